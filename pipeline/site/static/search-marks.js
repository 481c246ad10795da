// Marks all matches of a search on the page that a result leads to, in its text only. The address has the query (?highlight=…).
"use strict";
(() => {
  const { runs, toPattern } = jzSearch;
  const article = document.querySelector(".bd-article");
  const address = new URL(location.href);
  if (!address.searchParams.has("highlight")) return;
  const MOST_WORDS = 50; // the address may contain anything
  const words = runs(address.searchParams.get("highlight") ?? "").slice(0, MOST_WORDS);
  // Remove the query, so that a copied address is that of the page.
  address.searchParams.delete("highlight");
  try { history.replaceState(history.state, "", address); } catch (refused) { /* refused by some browsers for files in a folder */ }
  if (!article || !words.length) return;

  // — lines: text that reads as one, across inline elements —

  const SILENT = ".headerlink, .jz-mark, .jz-edit, .jz-fresh, .jz-since, .jz-downloads, button, script, style, svg, math, .math";
  const LINE = "p, li, dt, dd, td, th, pre, h1, h2, h3, h4, h5, h6, caption, figcaption, summary, div, .jz-en, .jz-zh";
  const linesIn = (element) => {
    const lines = [];
    let last;
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { currentNode: text, currentNode: { parentElement } } = texts;
      if (parentElement.closest(SILENT)) continue;
      const line = parentElement.closest(LINE);
      if (line !== last) lines.push([]);
      lines.at(-1).push(text);
      last = line;
    }
    return lines;
  };

  const wrap = (text, from, to) => {
    const mark = Object.assign(document.createElement("mark"), { className: "jz-match" });
    const found = text.splitText(from);
    found.splitText(to - from);
    found.replaceWith(mark);
    mark.append(found);
  };
  // Marks ranges of a line, given by start and end. Later ranges come first, so that earlier positions stay valid.
  const markParts = (texts, parts) => {
    let end = texts.reduce((length, { data }) => length + data.length, 0);
    for (const text of texts.toReversed()) {
      const start = end - text.data.length;
      for (const [from, to] of parts.toReversed()) if (from < end && to > start) wrap(text, Math.max(from, start) - start, Math.min(to, end) - start);
      end = start;
    }
  };
  const pattern = toPattern(words);
  const markLine = (texts) => {
    const line = texts.map(({ data }) => data).join("");
    markParts(texts, [...line.matchAll(pattern)].map(({ 0: found, index }) => [index, index + found.length]));
  };
  for (const line of linesIn(article)) markLine(line);

  // — names that the page documents; a row may show only the last part of a name —

  const isAskedFor = ({ dataset }) => {
    const [name] = runs(dataset.jzName);
    return words.some((word) => name === word || name.endsWith(`.${word}`));
  };
  const named = [...article.querySelectorAll("[data-jz-name]")].filter(isAskedFor);
  for (const name of named) {
    (name.closest("tr, li") ?? name).classList.add("jz-match-row");
    if (!name.querySelector(".jz-match")) for (const line of linesIn(name)) markParts(line, [[0, Infinity]]);
  }

  // — scroll to the first visible match, preferably in the section that the result leads to —

  const all = [...article.querySelectorAll(".jz-match")];
  const isShown = (element) => element.getClientRects().length > 0;
  const lead = () => {
    const part = document.querySelector(":target") ?? article;
    const isIn = (mark) => part.compareDocumentPosition(mark) & Node.DOCUMENT_POSITION_FOLLOWING;
    const shown = all.filter(isShown);
    const first = named.find(isShown) ?? shown.find(isIn) ?? shown[0];
    const { top, bottom } = first?.getBoundingClientRect() ?? { top: 0, bottom: 0 };
    if (top < 0 || bottom > innerHeight) first.scrollIntoView({ block: "center", behavior: "instant" });
  };
  if (!all.length) return;
  if (document.readyState === "complete") lead();
  else addEventListener("load", lead, { once: true });

  // — a button that removes the marks, as Escape does —

  const button = Object.assign(document.createElement("button"), { type: "button", className: "jz-unmark", textContent: jzWords.reading["hide matches"] });
  const unmark = () => {
    button.remove();
    for (const mark of all) {
      const { parentNode } = mark;
      mark.replaceWith(...mark.childNodes);
      parentNode.normalize();
    }
    for (const row of article.querySelectorAll(".jz-match-row")) row.classList.remove("jz-match-row");
  };
  button.addEventListener("click", unmark);
  addEventListener("keydown", ({ key }) => { if (key === "Escape" && button.isConnected && !document.querySelector("dialog[open]")) unmark(); });
  document.querySelector("#searchbox")?.append(button);
})();
