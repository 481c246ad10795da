// The workbench: the page on the left, the message to translate on the right.
// Texts of catalogues and pages are inserted with textContent, so they never become markup. Only the
// frame gets HTML. It runs no scripts, and its policy allows no requests.

import { reviewing } from "./review.js";
import { KEYS, TEXTS } from "./texts.js";

const LOOK = 1000; // ms between two requests for changes of files
const LONG = 1200; // ms until the user sees why a save takes so long
const OPEN = ["english", "fuzzy", "draft", "adopted", "refused"];
const FILTERS = {
  all: () => true,
  open: (block) => OPEN.includes(block.state),
  fuzzy: (block) => block.state === "fuzzy" || block.state === "adopted",
  draft: (block) => block.state === "draft",
  findings: (block) => block.state === "refused" || desk.findings.has(block.msgid),
};

const $ = (id) => document.getElementById(id);
const desk = {
  language: localStorage.getItem("language") ?? "zh",
  page: "",
  blocks: [],
  current: -1, // number of the current block: the first block of its entry
  isFresh: false, // whether the page was opened and the user has not moved yet
  seen: null, // the entry of the current block when the editor was opened
  typed: new Map(), // unsaved texts, by msgid
  findings: new Map(), // findings of the whole page, by msgid
  filter: "all",
  revision: 0,
  atoms: [],
  suggestions: [],
  isRendered: false, // whether the frame shows the page
  rendered: null, // promise that is fulfilled when the frame shows the page
  drawn: 0, // number of requests for the page's HTML
  asked: 0, // number of requests for previews
};
let words = TEXTS[desk.language] ?? TEXTS.zh;

// --- the server

class Refused extends Error {}

async function ask(name, question = {}) {
  const answer = await fetch(`api/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(question),
  }).catch(() => { throw new Refused(words.lost); });
  const told = await answer.json();
  if (!answer.ok) {
    const where = told.where ? `${told.where}: ` : "";
    const { error, hint } = inLanguage(told);
    throw new Refused(`${where}${error}${hint ? `\n${hint}` : ""}`);
  }
  return told;
}

// Return the texts of a finding or an error in the language of the interface.
function inLanguage(told) { return desk.language === "zh" && told.chinese ? told.chinese : told; }

function ofMessage(block, more = {}) {
  return { page: desk.page, number: block.number, msgid: block.msgid, ...more };
}

// --- elements

function element(tag, text = "", attributes = {}) {
  const made = document.createElement(tag);
  made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function fill(list, items) {
  list.replaceChildren(...items.map((parts) => {
    const item = element("li");
    item.append(...parts);
    return item;
  }));
  const part = $(`${list.id}-part`);
  if (part) part.hidden = items.length === 0;
}

function tell(text) { $("told").textContent = text; }

function speak() {
  document.documentElement.lang = desk.language === "zh" ? "zh-CN" : "en";
  document.title = desk.page ? `${desk.page} · ${words.title}` : words.title;
  for (const one of document.querySelectorAll("[data-text]")) {
    one.textContent = words[one.dataset.text];
    if (one.dataset.key) one.append(element("kbd", one.dataset.key));
  }
  for (const one of document.querySelectorAll("[data-label]")) one.setAttribute("aria-label", words[one.dataset.label]);
  $("search").placeholder = words.search;
  $("frame").title = words.page;
  $("language").textContent = desk.language === "zh" ? "English" : "中文";
  $("language").lang = desk.language === "zh" ? "en" : "zh-CN";
  $("keys").replaceChildren(...KEYS.flatMap(([keys, what]) => [element("dt", keys), element("dd", words.key[what])]));
  showFilters();
  showQueue();
  showPlace();
  review.speak();
}

function switchLanguage() {
  desk.language = desk.language === "zh" ? "en" : "zh";
  localStorage.setItem("language", desk.language);
  words = TEXTS[desk.language];
  speak();
}

// --- the list of pages

async function showPages() {
  if (review.isOpen()) review.close();
  $("pages").hidden = false;
  const pages = await ask("pages").catch(trouble);
  if (!pages) return;
  fill($("page-list"), pages.map(({ page, counts: [done, , all] }) => {
    const button = element("button", "", { type: "button", "data-page": page });
    const bar = element("progress", "", { max: Math.max(all, 1), value: done, "aria-label": page });
    button.append(element("span", page, { class: "words" }), bar, element("span", `${done} / ${all}`, { class: "number" }));
    button.addEventListener("click", () => openPage(page));
    return [button];
  }));
  sift();
  const here = [...$("page-list").querySelectorAll("button")].find((one) => one.dataset.page === desk.page);
  (here ?? $("page-list").querySelector("button"))?.focus();
}

// Filter the list of pages by the search field.
function sift() {
  const sought = $("search").value.trim().toLowerCase();
  for (const button of $("page-list").querySelectorAll("button")) {
    button.closest("li").hidden = !button.dataset.page.toLowerCase().includes(sought);
  }
}

function trouble(error) {
  $("trouble").hidden = false;
  $("trouble").textContent = error.message;
}

// --- the page

async function openPage(page, keep = false) {
  desk.drawn += 1;
  desk.isRendered = false;
  $("trouble").hidden = true;
  try {
    const told = await ask("page", { page });
    $("pages").hidden = true;
    if (!keep) {
      leaveEditor();
      desk.filter = "all";
      $("search").value = "";
    }
    desk.page = page;
    location.hash = encodeURIComponent(page);
    take(told);
    // Show the messages now: the user can translate them while the page is being rendered.
    speak();
    if (!keep && !review.isOpen()) {
      move(1, FILTERS.open, -1);
      desk.isFresh = true;
    }
    await showFrame();
    showQueue();
    showPlace();
    preview();
    findOnPage();
  } catch (error) {
    desk.page = page;
    desk.blocks = [];
    $("pages").hidden = true;
    $("name").textContent = page;
    showQueue();
    trouble(error);
  }
}

function take(told) {
  desk.blocks = told.blocks;
  desk.revision = told.revision;
  $("name").textContent = told.page;
  $("progress").textContent = words.progress(...told.progress, told.refused);
}

// Load the page into the frame. After a save (`again`), replace only the frame's content, which
// keeps the scroll position.
async function showFrame(again = false) {
  const address = `frame/${desk.page.split("/").map(encodeURIComponent).join("/")}`;
  const frame = $("frame");
  if (!again) {
    desk.rendered = new Promise((done) => {
      frame.addEventListener("load", done, { once: true });
      frame.src = address;
    });
    await desk.rendered;
    desk.isRendered = true;
    frame.contentDocument.addEventListener("click", onPageClick);
    frame.contentDocument.addEventListener("keydown", onKey);
  } else {
    const number = ++desk.drawn;
    await desk.rendered; // a user may save before the page is rendered
    const { html } = await ask("body", { page: desk.page });
    if (number !== desk.drawn) return; // a later request is under way
    frame.contentDocument.querySelector("main").innerHTML = html;
    preview();
  }
  paint();
}

function onPageClick(event) {
  const link = event.target.closest("a[href]");
  if (link) event.preventDefault();
  const place = event.target.closest("[data-block]");
  if (place) edit(Number(place.getAttribute("data-block")));
}

// A message may occur several times on a page. The list has only its first block.
function isFirst(block) { return block.number === block.first; }

function placesOf(block) {
  return desk.blocks.filter((one) => one.first === block.first).flatMap((one) => [...places(one.number)]);
}

function places(number) {
  if (!desk.isRendered) return []; // the frame may still show another page
  return $("frame").contentDocument?.querySelectorAll(`[data-block="${number}"]`) ?? [];
}

// Return whether a message is visible on the page; true while the page is being rendered.
function isShown(block) { return !desk.isRendered || placesOf(block).length > 0; }

function paint() {
  const fitting = new Set(shown().map((block) => block.number));
  for (const block of desk.blocks) {
    for (const place of places(block.number)) {
      place.className = `s-${block.state}`;
      place.classList.toggle("is-dim", !fitting.has(block.first));
      place.classList.toggle("is-open", block.first === desk.current);
      place.classList.toggle("has-findings", desk.findings.has(block.msgid));
      place.title = words.state[block.state];
    }
  }
}

async function findOnPage() {
  const page = desk.page;
  const found = await ask("findings", { page }).catch(() => []);
  if (page !== desk.page) return;
  desk.findings = new Map();
  for (const finding of found) {
    if (finding.severity === "note") continue;
    desk.findings.set(finding.msgid, [...(desk.findings.get(finding.msgid) ?? []), finding]);
  }
  showFilters();
  showQueue();
  paint();
}

// --- filters and the queue

function shown() {
  const sought = $("search").value.trim().toLowerCase();
  const fits = (block) => !sought || `${block.msgid}\n${block.msgstr}`.toLowerCase().includes(sought);
  return desk.blocks.filter((block) => isFirst(block) && FILTERS[desk.filter](block) && fits(block));
}

function showFilters() {
  const buttons = Object.keys(FILTERS).map((name, at) => {
    const count = desk.blocks.filter((block) => isFirst(block) && FILTERS[name](block)).length;
    const button = element("button", `${words.filter[name]} ${count}`, {
      type: "button", "aria-pressed": String(name === desk.filter), "data-filter": name,
    });
    button.append(element("kbd", at + 1));
    button.addEventListener("click", () => setFilter(name));
    return button;
  });
  $("filters").replaceChildren(...buttons);
}

function setFilter(name) {
  desk.filter = name;
  showFilters();
  showQueue();
  paint();
}

function showQueue() {
  const blocks = shown();
  const at = blocks.findIndex((block) => block.number === desk.current);
  $("queue-count").textContent = words.count(at + 1, blocks.length);
  fill($("queue-list"), blocks.map((block) => {
    const button = element("button", "", { type: "button", "data-number": block.number, "aria-current": String(block.number === desk.current) });
    const unsaved = desk.typed.has(block.msgid) ? ` · ${words.unsaved}` : "";
    const apart = isShown(block) ? "" : ` · ${words.apart}`;
    button.append(
      element("span", words.state[block.state] + unsaved, { class: `chip s-${block.state}` }),
      element("span", (block.msgstr || block.msgid) + apart, { class: "words" }),
    );
    button.addEventListener("click", () => edit(block.number));
    return [button];
  }));
  if (!blocks.length) $("queue-list").append(element("li", words.empty));
  $("queue-list").querySelector("[aria-current=true]")?.scrollIntoView({ block: "nearest" });
}

// Go to the next matching block after `from`, or with step -1 to the previous one. Return whether
// there is one.
function move(step, fits = () => true, from = desk.current) {
  const blocks = shown().filter(fits);
  const next = step > 0
    ? blocks.find((block) => block.number > from)
    : blocks.findLast((block) => block.number < from);
  if (!next) return false;
  goTo(next);
  return true;
}

// Go to the next open message. If the page was just opened, this is the current one.
function nextOpen() {
  const here = current();
  if (desk.isFresh && here && FILTERS.open(here)) goTo(here);
  else move(1, FILTERS.open);
}

function goTo(block) {
  desk.isFresh = false;
  desk.current = block.number;
  showQueue();
  paint();
  places(block.number)[0]?.scrollIntoView({ block: "nearest" });
}

// --- the editor

function current() { return desk.blocks.find((block) => block.number === desk.current); }

function isEditing() { return !$("editor").hidden; }

async function edit(number) {
  const chosen = desk.blocks.find((one) => one.number === number);
  if (!chosen) return;
  const block = desk.blocks.find((one) => one.number === chosen.first);
  keepTyped();
  desk.isFresh = false;
  desk.current = block.number;
  desk.seen = seenOf(block);
  $("queue").hidden = $("review").hidden = true;
  $("editor").hidden = false;
  $("conflict").hidden = true;
  tell("");
  $("english").textContent = block.msgid;
  for (const list of ["atoms", "findings", "terms", "suggestions", "notes"]) fill($(list), []);
  $("diff-part").hidden = true;
  $("text").value = desk.typed.get(block.msgid) ?? block.msgstr;
  $("text").focus();
  showPlace();
  paint();
  places(number)[0]?.scrollIntoView({ block: "nearest" });
  try {
    const message = await ask("message", ofMessage(block));
    if (block !== current()) return;
    showMessage(block, message);
    preview();
    const found = await ask("suggestions", ofMessage(block));
    if (block === current()) showSuggestions(found);
  } catch (error) { tell(error.message); }
}

function showPlace() {
  const block = current();
  if (!block) return;
  $("state").textContent = words.state[block.state];
  $("state").className = `chip s-${block.state}`;
  const kind = words.kind[block.kind] ?? block.kind;
  $("section").textContent = [kind, block.section, isShown(block) ? "" : words.apart].filter(Boolean).join(" · ");
}

function showMessage(block, message) {
  desk.atoms = [...new Set(message.atoms)];
  showEnglish(block.msgid, desk.atoms);
  showDiff("diff", message.diff);
  fill($("atoms"), desk.atoms.map((atom, at) => {
    const button = element("button", "", { type: "button" });
    button.append(element("code", atom));
    if (at < 9) button.append(element("kbd", `Alt ${at + 1}`));
    button.addEventListener("click", () => insert(atom));
    return [button];
  }));
  fill($("terms"), message.terms.map((term) => {
    const parts = [element("span", `${term.english} → ${term.renderings.join("，")}`)];
    if (term.avoided.length) parts.push(" ", element("del", term.avoided.join("，")));
    if (term.note) parts.push(element("span", term.note, { class: "note" }));
    return parts;
  }));
  fill($("notes"), [...message.comments, ...message.notes].map((note) => [note]));
}

function showDiff(id, diff) {
  $(`${id}-part`).hidden = diff.length === 0;
  $(id).replaceChildren(...diff.map(([part, text]) => element({ removed: "del", added: "ins" }[part] ?? "span", text)));
}

// Show the English with its atoms marked.
function showEnglish(english, atoms) {
  const parts = [];
  let rest = english;
  while (rest) {
    const next = atoms.map((atom) => [rest.indexOf(atom), atom]).filter(([at]) => at >= 0)
      .sort(([one, a], [other, b]) => one - other || b.length - a.length)[0];
    if (!next) break;
    const [at, atom] = next;
    parts.push(rest.slice(0, at), element("mark", atom));
    rest = rest.slice(at + atom.length);
  }
  $("english").replaceChildren(...parts, rest);
}

function showSuggestions(found) {
  desk.suggestions = found;
  fill($("suggestions"), found.map((one, at) => {
    const button = element("button", "", { type: "button" });
    button.append(
      element("span", `${one.score} %`, { class: "number" }), element("span", one.msgstr, { lang: "zh-CN" }),
      element("kbd", `Alt Shift ${at + 1}`), element("span", `${one.english} · ${one.page}`, { class: "note", lang: "en" }),
    );
    button.addEventListener("click", () => write(one.msgstr));
    return [button];
  }));
}

function insert(text) {
  const field = $("text");
  field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
  field.focus();
  onTyped();
}

function write(text) {
  $("text").value = text;
  $("text").focus();
  onTyped();
}

function missingAtom() { return desk.atoms.find((atom) => !$("text").value.includes(atom)); }

function keepTyped() {
  const block = current();
  if (!block || !isEditing()) return;
  if ($("text").value === desk.seen.msgstr) desk.typed.delete(block.msgid);
  else desk.typed.set(block.msgid, $("text").value);
}

// Request a preview of the typed text. Send one request at a time: if the user types on, request
// another preview after the response.
let isAsking = false;
let isStale = false;
async function onTyped() {
  keepTyped();
  isStale = true;
  if (isAsking) return;
  isAsking = true;
  while (isStale) {
    isStale = false;
    await preview();
  }
  isAsking = false;
}

async function preview() {
  const block = current();
  if (!block || !isEditing()) return;
  const number = ++desk.asked;
  const text = $("text").value;
  try {
    const told = await ask("preview", ofMessage(block, { msgstr: text }));
    // Ignore the response if the user has typed on, or has gone to another message.
    if (number !== desk.asked || block.msgid !== current()?.msgid) return;
    showFindings("findings", told.findings, text);
    showOnPage(block, told.html);
    [...$("atoms").querySelectorAll("button")].forEach((button, at) => button.classList.toggle("used", text.includes(desk.atoms[at])));
  } catch (error) { tell(error.message); }
}

// Show rendered HTML in the places of a message. It is null if the message has none on the page.
function showOnPage(block, html) {
  if (html !== null) for (const place of placesOf(block)) place.innerHTML = html;
}

function showFindings(id, findings, text) {
  const items = findings.map((finding) => {
    const item = element("li", "", { class: finding.severity });
    const { text: told, hint } = inLanguage(finding);
    item.append(element("strong", `${words.severity[finding.severity]} ${finding.code} `), told);
    const [start, end] = finding.spans[0] ?? [0, 0];
    if (end) item.append(" ", element("mark", [...text].slice(start, end).join("")));
    item.append(element("span", hint, { class: "hint" }));
    return item;
  });
  $(id).replaceChildren(...(items.length || !text ? items : [element("li", words.none)]));
}

async function fix() {
  const block = current();
  const typed = $("text").value;
  try {
    const told = await ask("fix", ofMessage(block, { msgstr: typed }));
    if (block !== current() || typed !== $("text").value) return;
    if (told.msgstr === typed) tell(words.nothingFixed);
    else write(told.msgstr);
  } catch (error) { tell(error.message); }
}

let isSaving = false;
async function save(isDraft = false) {
  const block = current();
  if (!block || isSaving) return;
  isSaving = true;
  const text = $("text").value;
  const waiting = setTimeout(() => tell(words.waiting), LONG);
  tell(words.saving);
  try {
    const told = await ask("save", { page: desk.page, seen: desk.seen, msgstr: text, is_draft: isDraft });
    clearTimeout(waiting);
    if (told.conflict) { showConflict(told.theirs); return; }
    desk.typed.delete(block.msgid);
    if (told.page.page === desk.page) take(told.page);
    showFilters();
    showPlace();
    const isStillHere = current()?.number === block.number && $("text").value === text;
    desk.seen = seenOf(current()) ?? desk.seen;
    const hasErrors = !isDraft && told.errors.length > 0;
    const saved = hasErrors ? words.savedWithErrors : words.saved;
    tell(isDraft ? words.draftSaved : saved);
    // Allow the next save now, while the page is still being rendered.
    isSaving = false;
    // Stay at a message with errors, so that the user sees them.
    if (hasErrors) review.saved(stepOf(block, told.undo));
    else if (isStillHere && !isDraft) goOn(block, told.undo);
    await showFrame(true);
    findOnPage();
  } catch (error) { tell(error.message); } finally {
    clearTimeout(waiting);
    isSaving = false;
  }
}

function seenOf(block) {
  return block && { msgid: block.msgid, context: block.context, msgstr: block.msgstr, fuzzy: block.fuzzy };
}

function goOn(block, undo) {
  if (!review.isOpen()) { next(block); return; }
  leaveEditor();
  review.back(stepOf(block, undo));
}

function stepOf(block, undo) {
  return { number: undo, item: { page: desk.page, msgid: block.msgid, context: block.context } };
}

// Edit the next open message after this one; after the last one, continue at the top.
function next(block) {
  const open = shown().filter((one) => FILTERS.open(one) && one.number !== block.number);
  const following = open.find((one) => one.number > block.number) ?? open[0];
  if (following) { edit(following.number); return; }
  tell(words.done);
  closeEditor();
  $("queue-list").querySelector("button")?.focus();
}

function showConflict(theirs) {
  tell("");
  $("conflict").hidden = false;
  $("theirs").textContent = theirs ? theirs.msgstr : words.gone;
  $("take-theirs").hidden = $("keep-mine").hidden = !theirs;
  desk.theirs = theirs;
  (theirs ? $("take-theirs") : $("text")).focus();
}

function settle(isMine) {
  desk.seen = { ...desk.seen, msgstr: desk.theirs.msgstr, fuzzy: desk.theirs.fuzzy };
  $("conflict").hidden = true;
  if (isMine) save();
  else write(desk.theirs.msgstr);
}

function closeEditor() {
  leaveEditor();
  if (review.isOpen()) { review.back(); return; }
  rest();
}

function leaveEditor() {
  keepTyped();
  $("editor").hidden = true;
  $("queue").hidden = review.isOpen();
}

// Return to the list of messages.
function rest() {
  showQueue();
  if (desk.page) showFrame(true);
  ($("queue-list").querySelector("[aria-current=true]") ?? $("language")).focus();
}

// --- changes by other programs

async function look() {
  if (document.visibilityState === "visible") {
    try {
      const told = await ask("changes", { revision: desk.revision });
      if (told.pages.includes(desk.page) && !isSaving) await reload();
      desk.revision = Math.max(desk.revision, told.revision);
    } catch { /* the next action of the user reports the problem */ }
  }
  setTimeout(look, LOOK);
}

async function reload() {
  const told = await ask("page", { page: desk.page }).catch(trouble);
  // Ignore the response if the user has opened another page.
  if (!told || told.page !== desk.page) return;
  const wasTroubled = !$("trouble").hidden || desk.blocks.length === 0;
  const seen = desk.seen;
  if (wasTroubled) { openPage(desk.page); return; }
  take(told);
  showFilters();
  showQueue();
  showFrame(true);
  findOnPage();
  if (review.isOpen()) review.refresh();
  if (!isEditing() || !seen) return;
  const block = current();
  const isSame = block?.msgid === seen.msgid;
  if (isSame && block.msgstr === seen.msgstr && block.fuzzy === seen.fuzzy) { preview(); return; }
  // If the user has not typed, show the new text. Otherwise show the conflict.
  if (isSame && $("text").value === seen.msgstr) { desk.seen = seenOf(block); write(block.msgstr); tell(words.changed); }
  else if (isSame && $("text").value !== block.msgstr) showConflict(block);
  else if (isSame) desk.seen = seenOf(block);
  else showConflict(null);
}

// --- keys

const PLAIN = {
  j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1),
  n: nextOpen, p: () => move(-1, FILTERS.open),
  Enter: () => edit(desk.current),
  "/": () => $("search").focus(), g: showPages, r: () => review.open(desk.page), l: switchLanguage, "?": () => $("help").showModal(),
};
const WITH_ALT = { KeyX: fix, KeyD: () => save(true), KeyC: () => write(current().msgid), KeyA: () => { const atom = missingAtom(); if (atom) insert(atom); } };

function onKey(event) {
  if (event.isComposing || $("help").open) return;
  const isReviewing = review.isOpen() && !isEditing() && event.target.id !== "search";
  const onOther = isReviewing ? review.onKey : onPageKey;
  if (isEditing() ? onEditorKey(event) : onOther(event)) event.preventDefault();
}

function onEditorKey(event) {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { save(); return true; }
  if (event.key === "Escape") { closeEditor(); return true; }
  if (!event.altKey || event.ctrlKey) return false;
  const digit = /^Digit([1-9])$/.exec(event.code);
  if (digit && event.shiftKey) { const found = desk.suggestions[digit[1] - 1]; if (found) write(found.msgstr); return true; }
  if (digit) { const atom = desk.atoms[digit[1] - 1]; if (atom) insert(atom); return true; }
  if (WITH_ALT[event.code]) { WITH_ALT[event.code](); return true; }
  if (event.code === "ArrowDown" || event.code === "ArrowUp") {
    keepTyped();
    if (move(event.code === "ArrowDown" ? 1 : -1)) edit(desk.current);
    return true;
  }
  return false;
}

function onPageKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return false;
  const target = event.target;
  if (event.key === "Escape") { $("pages").hidden = !!desk.page; $("search").value = ""; showQueue(); paint(); target.blur?.(); return true; }
  if (target.id === "search") {
    if (event.key !== "Enter" && event.key !== "ArrowDown") return false;
    target.blur();
    return $("pages").hidden ? move(1, () => true, -1) : focusList(0);
  }
  if (!$("pages").hidden) return onListKey(event);
  // An element that was just hidden, such as the help's button, keeps the focus for a moment.
  const isSeen = target.getClientRects().length > 0;
  const isButton = isSeen && target.tagName === "BUTTON" && !target.closest("#queue-list");
  if (event.key === "Enter" && isButton) return false;
  const filter = Object.keys(FILTERS)[Number(event.key) - 1];
  if (filter) { setFilter(filter); return true; }
  if (!PLAIN[event.key]) return false;
  PLAIN[event.key]();
  return true;
}

function onListKey(event) {
  if (event.key === "r") { reviewAll(); return true; }
  if (PLAIN[event.key] && "/l?".includes(event.key)) { PLAIN[event.key](); return true; }
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
  return step ? focusList(step) : false;
}

// Move the focus down or up the list of pages; with 0, to its top.
function focusList(step) {
  const buttons = [...$("page-list").querySelectorAll("li:not([hidden]) button")];
  const at = step ? buttons.indexOf(document.activeElement) + step : 0;
  buttons[Math.max(0, Math.min(buttons.length - 1, at))]?.focus();
  return true;
}

// --- the review queue

const review = reviewing({
  $, ask, desk, element, fill, edit, goTo, openPage, rest, renew, seenOf, showDiff, showFindings, showOnPage,
  switchLanguage, words: () => words,
});

// Show a new state of the page, which the server has sent.
function renew(told) {
  take(told);
  showFilters();
  showFrame(true);
}

// Open the review queue of all pages, from the list of pages.
function reviewAll() {
  $("pages").hidden = true;
  review.open("");
}

// --- begin

document.addEventListener("keydown", onKey);
$("text").addEventListener("input", onTyped);
$("editor").addEventListener("submit", (event) => { event.preventDefault(); save(); });
$("draft").addEventListener("click", () => save(true));
$("fix").addEventListener("click", fix);
$("close").addEventListener("click", () => closeEditor());
$("take-theirs").addEventListener("click", () => settle(false));
$("keep-mine").addEventListener("click", () => settle(true));
$("review-open").addEventListener("click", () => ($("pages").hidden ? review.open(desk.page) : reviewAll()));
$("list").addEventListener("click", showPages);
$("help-open").addEventListener("click", () => $("help").showModal());
$("language").addEventListener("click", switchLanguage);
$("search").addEventListener("input", () => { if ($("pages").hidden) { showQueue(); paint(); } else sift(); });
addEventListener("beforeunload", (event) => { keepTyped(); if (desk.typed.size) event.preventDefault(); });

const start = await ask("start").catch((error) => { trouble(error); return { page: "", revision: 0 }; });
desk.revision = start.revision;
speak();
const asked = decodeURIComponent(location.hash.slice(1)) || start.page;
if (asked) await openPage(asked);
else await showPages();
if (start.base && asked) review.open(start.page);
else if (start.base) reviewAll();
look();
