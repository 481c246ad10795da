// The review queue: translations that wait for a person, one after the other, with a key for each
// decision. There is no key that accepts all of them, because a person must read each one.

const SOON = 200; // ms until the queue is fetched again, if the user made a decision during a fetch
const TAGS = { removed: "del", added: "ins" };

// `bench` has the functions of serve.js for the page, the server and the elements.
export function reviewing(bench) {
  const { $, ask, desk, element, fill } = bench;
  let all = []; // the waiting items of all pages, in page order
  let scope = ""; // the page to review; empty for all pages
  let at = 0; // position in the queue
  let shown; // the displayed item, also while a newer queue is loading
  let steps = []; // decisions that can be undone: the server's number and the item of each
  let isOpen = false;
  let isBusy = false;
  let turn = 0; // number of changes of the queue

  const words = () => bench.words();
  const queue = () => all.filter((item) => !scope || item.page === scope);
  const current = () => queue()[at];
  const isSame = (one, other) => one?.page === other?.page && one?.msgid === other?.msgid && one?.context === other?.context;
  // Return the block of an item on the open page; undefined while its page is being opened.
  const blockOf = (item) => desk.page === item?.page && desk.blocks.find((block) => block.msgid === item.msgid && block.context === item.context);
  const tell = (text) => { $("review-told").textContent = text; };

  async function open(page) {
    scope = page;
    at = 0;
    isOpen = true;
    $("queue").hidden = $("editor").hidden = true;
    $("review").hidden = false;
    tell("");
    await once(load);
  }

  async function waiting() {
    try { return await ask("waiting"); } catch (error) { tell(error.message); return []; }
  }

  async function load() {
    all = await waiting();
    turn += 1;
  }

  function close() {
    isOpen = false;
    $("review").hidden = true;
    $("queue").hidden = false;
    bench.rest();
  }

  // Show the number of items, and the state and page of the current one.
  function speak() {
    const items = queue();
    $("review-count").textContent = items.length ? words().count(at + 1, items.length) : "";
    $("scope").textContent = scope ? words().scopeAll : words().scopePage;
    $("scope").append(element("kbd", "t"));
    $("scope").disabled = !scope && !desk.page;
    $("undo").disabled = steps.length === 0;
    const item = current();
    $("review-card").hidden = !item;
    $("review-empty").hidden = Boolean(item);
    if (!item) return;
    $("review-state").textContent = words().state[item.state];
    $("review-state").className = `chip s-${item.state}`;
    $("review-where").textContent = item.page;
  }

  async function show() {
    at = Math.max(0, Math.min(at, queue().length - 1));
    speak();
    const item = shown = current();
    if (!item) {
      ($("undo").disabled ? $("review-close") : $("undo")).focus();
      return;
    }
    $("review-english").textContent = item.msgid;
    showText(item);
    for (const list of ["review-findings", "review-notes"]) fill($(list), []);
    $("review-diff-part").hidden = true;
    $("review-card").focus();
    if (desk.page !== item.page) await bench.openPage(item.page);
    if (item === current()) await look(item);
  }

  // Show the translation. For a change, also show the old words, the translator and the kind.
  function showText({ msgstr, change }) {
    const pieces = change?.pieces ?? [["kept", msgstr]];
    $("review-text").replaceChildren(...pieces.map(([part, text]) => element(TAGS[part] ?? "span", text)));
    $("review-change").hidden = !change;
    $("review-change").textContent = change ? [words().happened[change.happened], change.translator].filter(Boolean).join(" · ") : "";
  }

  // Show notes, findings and the diff of the English, and the translation on the page.
  async function look(item) {
    const block = blockOf(item);
    if (!block) { tell(words().gone); return; }
    bench.goTo(block);
    const about = { page: item.page, number: block.number, msgid: item.msgid };
    try {
      const message = await ask("message", about);
      if (item !== current()) return;
      bench.showDiff("review-diff", message.diff);
      fill($("review-notes"), [...message.comments, ...message.notes].map((note) => [note]));
      if (!item.msgstr) return;
      const told = await ask("preview", { ...about, msgstr: item.msgstr });
      if (item !== current()) return;
      bench.showFindings("review-findings", told.findings, item.msgstr);
      bench.showOnPage(block, told.html);
    } catch (error) { tell(error.message); }
  }

  // Send one request at a time, then show the next item. Ignore keys until the response is there:
  // they would decide about an item that the user has not read.
  async function once(question) {
    if (isBusy) return;
    isBusy = true;
    try { await question(); } catch (error) { tell(error.message); } finally { isBusy = false; }
    await show();
  }

  const decide = (isAccepted) => current() && once(async () => {
    const item = current();
    const told = await ask("decide", { page: item.page, seen: bench.seenOf(item), is_accepted: isAccepted });
    if (told.errors) { tell(words().hasErrors); return; }
    if (told.conflict) { await changed(item, told.theirs); return; }
    steps.push({ number: told.undo, item });
    turn += 1;
    all = all.filter((one) => !isSame(one, item));
    if (desk.page === item.page) bench.renew(told.page);
    tell(words().decided(isAccepted, queue().length));
  });

  // Somebody else has changed the entry: show the current text. Nothing was written.
  async function changed(item, theirs) {
    await load();
    find(item);
    tell(theirs ? words().changedNow(theirs.msgstr) : words().gone);
  }

  // Go to an item, if it is still in the queue. Return whether it is.
  function find(item) {
    const found = queue().findIndex((one) => isSame(one, item));
    if (found >= 0) at = found;
    return found >= 0;
  }

  const undo = () => steps.length > 0 && once(async () => {
    const { number, item } = steps.at(-1);
    const told = await ask("undo", { number });
    steps.pop();
    if (told.conflict) { await changed(item, told.theirs); return; }
    if (scope) scope = item.page;
    await load();
    find(item);
    if (desk.page === item.page) bench.renew(told.page);
    tell(words().undone);
  });

  function amend() {
    const block = blockOf(current());
    if (!block) return;
    $("review").hidden = true;
    bench.edit(block.number);
  }

  // Return from the editor. `step` undoes the edit that was saved there, if there was one.
  async function back(step) {
    $("review").hidden = false;
    tell(step ? words().saved : "");
    if (step) saved(step);
    await once(load);
  }

  // Remember an edit that was saved in the editor, so that it can be undone here.
  function saved(step) { if (isOpen) steps.push(step); }

  // Fetch the queue again after files have changed. Keep showing the same item if it is unchanged.
  async function refresh() {
    if ($("review").hidden) return;
    const before = turn;
    const found = await waiting();
    // If the user has decided meanwhile, this response still has the decided item: fetch again.
    if (isBusy || turn !== before) { setTimeout(refresh, SOON); return; }
    const item = shown;
    all = found;
    turn += 1;
    if (find(item) && current().msgstr === item.msgstr) {
      all[all.indexOf(current())] = item;
      speak();
      return;
    }
    if (!item && !current()) return;
    if (item) tell(words().changed);
    await show();
  }

  function step(by) {
    const next = at + by;
    if (next < 0 || next >= queue().length) return;
    at = next;
    tell("");
    show();
  }

  async function rescope() {
    if (!scope && !desk.page) return;
    const item = current();
    scope = scope ? "" : (item?.page ?? desk.page);
    at = Math.max(0, queue().findIndex((one) => one === item));
    tell(scope ? scope : words().scopeAll);
    await show();
  }

  const KEYS = {
    a: () => decide(true), x: () => decide(false), e: amend, u: undo, t: rescope,
    j: () => step(1), ArrowDown: () => step(1), k: () => step(-1), ArrowUp: () => step(-1),
    Escape: close, l: bench.switchLanguage, "?": () => $("help").showModal(),
  };

  function onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || !KEYS[event.key]) return false;
    // Ignore repeats of a key that is held down: the user has not read the next item yet.
    if (!event.repeat || event.key.startsWith("Arrow") || "jk".includes(event.key)) KEYS[event.key]();
    return true;
  }

  $("accept").addEventListener("click", () => decide(true));
  $("reject").addEventListener("click", () => decide(false));
  $("amend").addEventListener("click", amend);
  $("undo").addEventListener("click", undo);
  $("scope").addEventListener("click", rescope);
  $("review-close").addEventListener("click", close);

  return { open, close, back, saved, refresh, speak, onKey, isOpen: () => isOpen };
}
