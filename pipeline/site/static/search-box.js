// Results of the search while one types, in the dialog and on the page of results. search.js finds them.
"use strict";
(() => {
  const { ROOT, find, load, open } = jzSearch;

  // — excerpts —

  const BEFORE = 30;
  const LENGTH = 150;

  const pieceOf = async (page, piece) => {
    const file = page.starts.findLastIndex((start) => start <= piece);
    const pieces = await load(`pages/${page.name}.${file}`);
    const [anchor, heading, text, english] = pieces[piece - page.starts[file]] ?? ["", "", "", ""];
    return { anchor, heading, text, english };
  };
  // Latin words are marked where a word begins, so that ffi is not in efficient.
  const toPattern = (marks) => {
    const words = marks.map((word) => word.replace(/^\./, "").replaceAll(".", "\\."));
    words.sort((one, other) => other.length - one.length);
    return new RegExp(words.map((word) => (/^\w/.test(word) ? `(?<![a-z0-9])${word}` : word)).join("|"), "giu");
  };
  // The words around the first place of a pattern; those of the page come before their English. Under a heading that has it the text begins.
  const excerptOf = ({ heading, text, english }, pattern) => {
    for (const words of [text, english]) {
      const at = words.search(pattern);
      if (at < 0) continue;
      const start = at <= BEFORE ? 0 : Math.max(words.lastIndexOf("\n", at) + 1, at - BEFORE);
      return { words: cut(words, start), isEnglish: words === english };
    }
    return heading.search(pattern) < 0 ? undefined : { words: cut(text, 0), isEnglish: false };
  };
  const cut = (words, start) => {
    const end = start + LENGTH;
    return `${start ? "…" : ""}${words.slice(start, end).replaceAll("\n", " ")}${end < words.length ? "…" : ""}`;
  };
  // Where a page has what was asked for. Letters that were found by their pairs may stand apart: a page where they do in all places is none that was asked for.
  const MOST_PLACES = 3;
  const placeOf = async (result, { words, marks, isPaired }) => {
    const pattern = toPattern(result.isOther ? marks : words);
    let first;
    for (const piece of result.places.slice(0, MOST_PLACES)) {
      const place = await pieceOf(result.page, piece);
      const excerpt = excerptOf(place, pattern);
      if (excerpt) return { ...place, excerpt };
      first ??= place;
    }
    const isNone = isPaired && !result.isOther && result.places.length <= MOST_PLACES;
    return { ...first, excerpt: { words: cut(first.text, 0), isEnglish: false }, isNone };
  };

  // — what readers see —

  const IS_CHINESE = document.documentElement.lang.startsWith("zh");
  const TEXTS = IS_CHINESE
    ? { found: (count) => `找到 ${count} 个页面。`, none: "没有找到。换一个词试试，中文和英文都可以。", similar: "没有同时符合的页面，下面是相近的。", also: "相近的页面", all: (count) => `全部 ${count} 个结果`, more: "更多结果", results: "搜索结果", broken: "搜索索引无法载入。", untranslated: "尚未翻译" }
    : { found: (count) => `${count} pages found.`, none: "Nothing found. Try another word.", similar: "No page has all of it; these come close.", also: "Pages that come close", all: (count) => `All ${count} results`, more: "More results", results: "Results", broken: "The index of the search cannot be loaded.", untranslated: "Not translated" };
  const PAUSE = 120; // ms without a key, before anything is looked for
  const AT_ONCE = 8;

  const make = (tag, className, ...children) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    element.append(...children);
    return element;
  };
  const marked = (words, pattern) => {
    const pieces = [];
    let end = 0;
    for (const match of words.matchAll(pattern)) {
      pieces.push(words.slice(end, match.index), make("mark", "", match[0]));
      end = match.index + match[0].length;
    }
    return [...pieces, words.slice(end)];
  };
  const addressOf = (page, anchor, words) => {
    const path = page.name.split("/").map(encodeURIComponent).join("/");
    return `${ROOT}${path}.html?highlight=${encodeURIComponent(words.join(" "))}${anchor && `#${encodeURIComponent(anchor)}`}`;
  };

  // A result, and what fills in its excerpt and returns how many results it has taken away.
  const itemOf = (result, asked, pattern) => {
    const { page } = result;
    const words = result.isOther ? asked.marks : asked.words;
    const link = make("a", "", make("span", "jz-found-title", ...marked(page.title, pattern)));
    link.href = addressOf(page, "", words);
    if (page.english && page.english !== page.title) link.append(" ", Object.assign(make("span", "jz-found-english", ...marked(page.english, pattern)), { lang: "en" }));
    const item = make("li", "", link);
    if (!page.isTranslated) {
      const mark = Object.assign(make("span", "jz-found-en", "EN"), { lang: "en", title: TEXTS.untranslated });
      link.append(" ", mark);
    }
    const fill = async () => {
      const { anchor, heading, excerpt, isNone } = await placeOf(result, asked);
      if (isNone) {
        item.remove();
        return 1;
      }
      if (heading && heading !== page.title) {
        link.href = addressOf(page, anchor, words);
        link.append(" ", make("span", "jz-found-heading", ...marked(heading, pattern)));
      }
      const around = make("p", "", ...marked(excerpt.words, pattern));
      if (excerpt.isEnglish || !page.isTranslated) around.lang = "en";
      item.append(around);
      return 0;
    };
    return { item, fill };
  };

  // The results of one form: a status, which is read out, and lists that grow when they are asked to.
  const serve = (form, box, { isPage }) => {
    const input = form.querySelector("input[name=q]");
    const status = make("p", "jz-found-status");
    status.setAttribute("role", "status");
    const results = make("div", "jz-found");
    box.append(status, results);
    let latest = 0;

    const list = (found, label, asked) => {
      const pattern = toPattern(asked.marks);
      const element = make("ol", "");
      element.setAttribute("aria-label", label);
      results.append(element);
      let at = 0;
      const grow = () => {
        const items = found.slice(at, (at += AT_ONCE)).map((result) => itemOf(result, asked, pattern));
        element.append(...items.map(({ item }) => item));
        return Promise.all(items.map(({ fill }) => fill())).then((taken) => taken.reduce((all, one) => all + one, 0));
      };
      const button = Object.assign(make("button", "jz-found-more", TEXTS.more), { type: "button" });
      button.addEventListener("click", () => {
        const next = at;
        grow();
        element.children[next]?.querySelector("a").focus();
        button.hidden = at >= found.length;
      });
      if (isPage && found.length > AT_ONCE) results.append(button);
      return grow();
    };

    const show = async () => {
      const query = input.value.trim();
      const turn = ++latest;
      if (isPage) remember(query);
      if (!query) {
        status.textContent = "";
        return results.replaceChildren();
      }
      const asked = await find(query);
      const { exact, similar } = asked;
      if (turn !== latest) return undefined; // somebody has typed on
      results.replaceChildren();
      const count = exact.length || similar.length;
      status.textContent = exact.length ? TEXTS.found(exact.length) : similar.length ? TEXTS.similar : TEXTS.none;
      const lists = [];
      if (exact.length) lists.push(list(exact, TEXTS.results, asked).then((taken) => { if (taken && turn === latest) status.textContent = TEXTS.found(exact.length - taken); }));
      if (similar.length && (isPage || !exact.length)) {
        if (exact.length) results.append(make("h2", "", TEXTS.also));
        lists.push(list(similar, TEXTS.also, { ...asked, isPaired: false }));
      }
      if (!isPage && count > AT_ONCE) {
        const all = make("a", "jz-found-more", TEXTS.all(count));
        all.href = `${form.action.replace(/[?#].*/, "")}?q=${encodeURIComponent(query)}`;
        results.append(all);
      }
      return Promise.all(lists);
    };
    const attempt = () => show().catch(() => { status.textContent = TEXTS.broken; });

    let pause;
    input.addEventListener("input", (event) => {
      clearTimeout(pause);
      if (!event.isComposing) pause = setTimeout(attempt, PAUSE);
    });
    input.addEventListener("compositionend", attempt);
    input.addEventListener("focus", () => { open().catch(() => {}); }, { once: true });
    if (isPage) {
      form.addEventListener("submit", (event) => { event.preventDefault(); attempt(); });
      input.value = new URLSearchParams(location.search).get("q") ?? "";
      if (input.value) attempt();
    }

    // Up and down go from the field through the results and back.
    box.parentElement.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const stops = [input, ...results.querySelectorAll("a, button:not([hidden])")];
      const at = stops.indexOf(document.activeElement);
      if (!step || at < 0 || event.isComposing) return;
      event.preventDefault();
      stops[Math.min(Math.max(at + step, 0), stops.length - 1)].focus();
    });
  };
  // The address of the page of results says what was asked for. Browsers refuse that in a folder.
  const remember = (query) => {
    const address = new URL(location.href);
    address.search = query && new URLSearchParams({ q: query }).toString();
    try { history.replaceState(null, "", address); } catch (refused) { /* the results are there all the same */ }
  };

  for (const form of document.querySelectorAll("form.bd-search")) {
    const dialog = form.closest("dialog");
    const page = document.querySelector("#search-results");
    if (dialog) serve(form, dialog.appendChild(make("div", "jz-found-box")), { isPage: false });
    else if (page) {
      serve(form, page, { isPage: true });
      form.querySelector("input").select();
    }
  }
})();
