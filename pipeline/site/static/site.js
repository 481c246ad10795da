// Reading in two languages: the view and its key, the button of a paragraph, the tooltip of a term.
// The view is <html data-jz-view>. A script in <head> sets it before the first paint; this script changes it.
"use strict";
(() => {
  const root = document.documentElement;
  const VIEWS = ["zh", "both", "en"];
  const SAID = jzWords.reading;
  const english = [...document.querySelectorAll(".jz-en[data-jz-for]")];
  const blockOf = new Map([...document.querySelectorAll(".jz-block[data-jz]")].map((block) => [block.dataset.jz, block]));
  const isShown = (element) => element.getClientRects().length > 0;

  // — the view —

  const radios = [...document.querySelectorAll(".jz-toggle input")];
  const status = document.createElement("p");
  status.className = "jz-status";
  status.setAttribute("role", "status");
  document.body.append(status);

  const tick = () => { for (const radio of radios) radio.checked = radio.value === root.dataset.jzView; };

  // Returns the first block below the sticky header. It stays in place while blocks above it grow or shrink.
  const held = () => {
    const edge = document.querySelector(".bd-header-article")?.getBoundingClientRect().bottom ?? 0;
    const pieces = [...document.querySelectorAll(".bd-article :is(.jz-block, .jz-en)")].filter(isShown);
    const first = pieces.find((piece) => piece.getBoundingClientRect().top >= edge);
    return first && first.getBoundingClientRect().top < innerHeight ? first : pieces.find((piece) => piece.getBoundingClientRect().bottom > edge);
  };
  const counterpart = (piece) => {
    if (isShown(piece)) return piece;
    const number = piece.dataset.jz ?? piece.dataset.jzFor;
    return [blockOf.get(number), ...english.filter((one) => one.dataset.jzFor === number)].find((one) => one && isShown(one));
  };

  const show = (view) => {
    if (view === root.dataset.jzView) return;
    const piece = scrollY > 0 ? held() : undefined;
    const before = piece?.getBoundingClientRect().top;
    root.style.overflowAnchor = "none";
    root.dataset.jzView = view;
    const now = piece && counterpart(piece);
    if (now) scrollBy({ top: now.getBoundingClientRect().top - before, behavior: "instant" });
    requestAnimationFrame(() => { root.style.overflowAnchor = ""; });
    for (const block of blockOf.values()) name(block);
    for (const box of document.querySelectorAll(".pst-scrollable-table-container")) box.tabIndex = box.scrollWidth > box.clientWidth ? 0 : -1;
    tick();
  };
  const choose = (view) => {
    show(view);
    status.textContent = radios.find((radio) => radio.value === view)?.parentElement.textContent.trim();
    try { localStorage.setItem("jz-view", view); } catch (denied) { /* the view is shown, but not remembered */ }
  };

  for (const radio of radios) radio.addEventListener("change", () => choose(radio.value));
  addEventListener("storage", (event) => { if (event.key === "jz-view" && VIEWS.includes(event.newValue)) show(event.newValue); });
  addEventListener("pageshow", tick);
  tick();

  const isTyping = (target) => target instanceof Element && target.closest("input:not([type=radio]), textarea, select, [contenteditable]:not([contenteditable=false])");
  addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "b" || event.repeat || event.isComposing || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    choose(VIEWS[(VIEWS.indexOf(root.dataset.jzView) + 1) % VIEWS.length]);
  });

  // — the pencil of a block, a link for editing its translation: the page has the common start of all addresses, the block has the rest —

  // Returns the words of an element, without those of its buttons and its link to itself.
  const LONGEST = 1200; // characters; the length of addresses is limited
  const wordsOf = (element) => {
    const copy = element?.cloneNode(true);
    for (const one of copy?.querySelectorAll(".jz-mark, .jz-edit, .headerlink, .jz-en") ?? []) if (one !== copy) one.remove();
    return copy?.textContent.trim().replace(/\s+/g, " ").slice(0, LONGEST) ?? "";
  };
  const say = (key, words) => SAID[key].replace("{}", () => words);
  // Fills in the fields of .github/ISSUE_TEMPLATE/translation.yml; other addresses are left unchanged.
  const filledIn = (address, block) => {
    const url = new URL(address);
    if (!url.pathname.endsWith("/issues/new")) return address;
    const digest = url.searchParams.get("digest") ?? "";
    const isWaiting = block.classList.contains("jz-english");
    const own = wordsOf(block);
    const original = isWaiting ? own : wordsOf(english.find((one) => one.dataset.jzFor === block.dataset.jz));
    const page = document.title.split(" - ")[0].split(" — ")[0];
    url.searchParams.delete("digest");
    url.searchParams.set("title", say(isWaiting ? "issue waiting" : "issue translated", page));
    url.searchParams.set("page", location.href.split("#")[0]);
    url.searchParams.set("text", [...(isWaiting ? [] : [say("issue own", own)]), say("issue english", original), say("issue digest", digest)].join("\n\n"));
    return url.href;
  };

  const editing = document.querySelector(".jz-fresh")?.dataset.jzEdit;
  for (const block of editing === undefined ? [] : blockOf.values()) {
    if (block.dataset.jzEdit === undefined) continue;
    const isWaiting = block.classList.contains("jz-english");
    const pencil = Object.assign(document.createElement("a"), { className: "jz-edit", href: editing + block.dataset.jzEdit, title: isWaiting ? SAID.translate : SAID.improve });
    pencil.setAttribute("aria-label", pencil.title);
    // Filled in only when somebody is about to write the issue, because that takes time.
    for (const event of ["pointerenter", "focus", "click"]) pencil.addEventListener(event, () => { pencil.href = filledIn(editing + block.dataset.jzEdit, block); });
    block.append(pencil);
  }

  // — the accessible name of a heading: its words, without its buttons and its link to itself —

  const name = (block) => {
    if (!/^H[1-6]$/.test(block.tagName)) return;
    const shown = root.dataset.jzView === "en" ? ".jz-en" : ".jz-zh";
    const words = block.querySelector(`:scope > ${shown}`);
    if (words) block.setAttribute("aria-label", words.textContent.trim());
  };

  // — the button of a paragraph, which shows the English —

  for (const text of english) {
    const block = blockOf.get(text.dataset.jzFor);
    if (!block) continue;
    text.id ||= `jz-en-${text.dataset.jzFor}`;
    const mark = document.createElement("button");
    mark.type = "button";
    mark.className = "jz-mark";
    mark.setAttribute("aria-expanded", "false");
    mark.setAttribute("aria-controls", text.id);
    mark.setAttribute("aria-label", SAID.english);
    mark.addEventListener("click", () => {
      const open = text.classList.toggle("jz-open");
      mark.setAttribute("aria-expanded", String(open));
    });
    const edit = [...block.children].find((child) => child.matches(".jz-edit"));
    name(block);
    block.insertBefore(mark, edit ?? null); // before the pencil, in the order of the Tab key
  }

  // — the contents of the page, in the language of its headings —

  for (const link of document.querySelectorAll("nav.page-toc a[href^='#'], #jb-print-toc a[href^='#'], .bd-article nav a[href^='#']")) {
    const target = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    const title = target?.querySelector(":scope > .jz-block > .jz-en");
    if (!title) continue;
    const [zh, en] = ["jz-zh", "jz-en"].map((name) => Object.assign(document.createElement("span"), { className: name }));
    en.lang = "en";
    en.textContent = title.textContent;
    zh.append(...link.childNodes);
    link.append(zh, en);
  }

  // — emphasis: dots below Chinese characters only —

  for (const em of document.querySelectorAll(".bd-article :is(em, i, cite, dfn)")) em.classList.toggle("jz-han", /\p{Script=Han}/u.test(em.textContent));

  // — formulas: keep punctuation on the same line. Browsers break lines beside a formula as they do beside an image —

  const OPENING = /[\p{Ps}\p{Pi}]+$/u;
  const CLOSING = /^[\p{Pe}\p{Pf}\p{Po}\p{Pd}]+/u;
  for (const formula of document.querySelectorAll(".bd-article span.math")) {
    const [before, after] = [formula.previousSibling, formula.nextSibling];
    const opening = before?.nodeType === Node.TEXT_NODE ? before.data.match(OPENING)?.[0] ?? "" : "";
    const closing = after?.nodeType === Node.TEXT_NODE ? after.data.match(CLOSING)?.[0] ?? "" : "";
    if (!opening && !closing) continue;
    const tied = Object.assign(document.createElement("span"), { className: "jz-tied" });
    if (opening) before.deleteData(before.length - opening.length, opening.length);
    if (closing) after.deleteData(0, closing.length);
    formula.replaceWith(tied);
    tied.append(opening, formula, closing);
  }

  // — formulas and tables wider than the page can be scrolled by keyboard. The observer measures after the layout and never forces one —

  const widths = new ResizeObserver((boxes) => {
    for (const { target } of boxes) {
      if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
      else target.removeAttribute("tabindex");
    }
  });
  for (const box of document.querySelectorAll(".bd-article :is(div.math, .pst-scrollable-table-container, table)")) widths.observe(box);

  // — the tooltip of a term —

  const tip = Object.assign(document.createElement("div"), { id: "jz-tip", hidden: true, lang: "en" });
  tip.setAttribute("role", "tooltip");
  document.body.append(tip);
  let owner = null;
  let leaving = 0;

  const hide = () => {
    clearTimeout(leaving);
    owner?.removeAttribute("aria-describedby");
    owner = null;
    tip.hidden = true;
  };
  const place = (term) => {
    clearTimeout(leaving);
    if (owner !== term) hide();
    owner = term;
    tip.textContent = term.dataset.jzTitle;
    tip.hidden = false;
    term.setAttribute("aria-describedby", tip.id);
    const box = term.getClientRects()[0];
    const left = Math.min(Math.max(box.left + (box.width - tip.offsetWidth) / 2, 8), root.clientWidth - tip.offsetWidth - 8);
    const above = box.top - tip.offsetHeight - 6;
    const edge = document.querySelector(".bd-header-article")?.getBoundingClientRect().bottom ?? 0;
    tip.style.left = `${left + scrollX}px`;
    tip.style.top = `${(above > edge ? above : box.bottom + 6) + scrollY}px`;
  };
  const leave = () => { leaving = setTimeout(hide, 200); };

  for (const term of document.querySelectorAll(".jz-term[title]")) {
    term.dataset.jzTitle = term.title; // otherwise the browser would show its own tooltip as well
    term.removeAttribute("title");
    for (const event of ["mouseenter", "focus", "click"]) term.addEventListener(event, () => place(term));
    term.addEventListener("mouseleave", leave);
    term.addEventListener("blur", hide);
  }
  tip.addEventListener("mouseenter", () => clearTimeout(leaving));
  tip.addEventListener("mouseleave", leave);
  addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });

  // — buttons of the theme and of notebooks are named by their visible text —

  const misnamed = ".search-button-field[aria-label], details.hide > summary[aria-label]";
  for (const control of document.querySelectorAll(misnamed)) control.removeAttribute("aria-label");

  // — print in light colours, because paper is white —

  let screenTheme;
  addEventListener("beforeprint", () => { screenTheme = root.dataset.theme; root.dataset.theme = "light"; });
  addEventListener("afterprint", () => { root.dataset.theme = screenTheme; });
})();
