// Put before sphinx-copybutton's own function, which copies the lines with a prompt and no others.
// What belongs to a command without one gets it here: code above the first prompt, a blank "...",
// and in a shell what a backslash, a quotation mark or <<EOF leaves open.
function withPrompts(text, prompts) {
  const pattern = new RegExp(`^(${prompts})`);
  const lines = text.split("\n");
  const first = lines.findIndex((line) => pattern.test(line));
  if (first < 0) return text;
  let prompt = "", command = "";
  return lines.map((line, number) => {
    const found = line.match(pattern);
    if (number < first) return line.trim() ? lines[first].match(pattern)[0] + line : line;
    if (found && !isOpen(command)) {
      prompt = found[0];
      command = prompt.trim() === "$" ? line.slice(prompt.length) : "";
      return line;
    }
    if (line === "..." && !found) return `... `.match(pattern) ? "... " : line;
    if (!isOpen(command)) return line;
    command += `\n${line}`;
    return prompt + line;
  }).join("\n");
}

// Whether a command of a shell goes on in the next line.
function isOpen(command) {
  let mark = "", waiting = "";
  for (const line of command.split("\n")) {
    if (waiting) {
      if (line.trim() === waiting) waiting = "";
      continue;
    }
    const here = mark ? null : line.match(/<<-?\s*["']?(\w+)/);
    if (here) waiting = here[1];
    for (const [letter] of line.matchAll(/\\.|["']/g)) {
      if (letter === mark) mark = "";
      else if (!mark && letter.length === 1) mark = letter;
    }
  }
  return Boolean(mark || waiting || /\\$/.test(command));
}
