// Inserted before sphinx-copybutton's own function, which copies only lines with a prompt.
// Lines that belong to a command but have no prompt get one. These are code above the first prompt, and
// lines that are only "...". In a shell, they are also the lines that continue a command: the line above
// ends in a backslash, or a quotation mark or <<EOF is still open.
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

// Returns whether a shell command continues in the next line.
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
// sphinx-copybutton's own function is inserted here.

function formatCopyText(text, prompts, isRegexp, ...rules) {
  const whole = isRegexp ? withPrompts(text, prompts) : text;
  return formatLines(whole, prompts, isRegexp, ...rules);
}
