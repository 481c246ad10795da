// Search results while typing, in the dialog and on the page of results. search.js finds them.
"use strict";
(() => {
  const { ROOT, find, load, open, toPattern } = jzSearch;

  // — excerpts —

  const BEFORE = 30;
  const LENGTH = 150;

  const pieceOf = async (page, piece) => {
    const file = page.starts.findLastIndex((start) => start <= piece);
    const pieces = await load(`pages/${page.name}.${file}`, page.folder);
    const [anchor, heading, text, english] = pieces[piece - page.starts[file]] ?? ["", "", "", ""];
    // The title of an object's page shows its name. So an excerpt starts with the docstring below the signature.
    const hasSignature = page.isObject && piece === 0 && text.includes("\n");
    return { anchor, heading, text: hasSignature ? text.slice(text.indexOf("\n") + 1) : text, english };
  };
  // Returns the words around the first match. The page's own text is searched before its English. If only the heading matches, returns the start of the text.
  const excerptOf = ({ heading, text, english }, pattern) => {
    for (const words of [text, english]) {
      const at = words.search(pattern);
      if (at < 0) continue;
      let start = at <= BEFORE ? 0 : Math.max(words.lastIndexOf("\n", at) + 1, at - BEFORE);
      // Do not start within a Latin word, or within a name in a formula.
      while (start && start < at && /^[\w\\]\w/.test(words.slice(start - 1, start + 1))) start++;
      return { words: cut(words, start), isEnglish: words === english };
    }
    return heading.search(pattern) < 0 ? undefined : { words: cut(text, 0), isEnglish: false };
  };
  const cut = (words, start) => {
    const end = start + LENGTH;
    return `${start ? "…" : ""}${words.slice(start, end).replaceAll("\n", " ")}${end < words.length ? "…" : ""}`;
  };
  // Returns the place of a match on a page, with its excerpt. Chinese runs of three or more characters are found by pairs of characters, which may be apart. If they are apart in all places of the page, `isNone` drops the page.
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

  // — display —

  const SAID = jzWords.search;
  const counted = (key, count) => SAID[key].replace("{}", count);
  const PAUSE = 250; // ms without a key before the search starts: results for the first letters are not needed
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
    return `${ROOT}${page.folder}${path}.html?highlight=${encodeURIComponent(words.join(" "))}${anchor && `#${encodeURIComponent(anchor)}`}`;
  };

  // Returns a result with its excerpt, so that shown results never move; undefined if the page does not match after all.
  const itemOf = async (result, asked, pattern) => {
    const { page } = result;
    const { anchor, heading, excerpt, isNone } = await placeOf(result, asked);
    if (isNone) return undefined;
    const link = make("a", "", make("span", "jz-found-title", ...marked(page.title, pattern)));
    link.href = addressOf(page, "", result.isOther ? asked.marks : asked.words);
    if (page.english && page.english !== page.title) link.append(" ", Object.assign(make("span", "jz-found-english", ...marked(page.english, pattern)), { lang: "en" }));
    if (page.isObject) link.append(" ", Object.assign(make("span", "jz-found-kind", "API"), { title: SAID.object }));
    if (!page.isTranslated) link.append(" ", Object.assign(make("span", "jz-found-kind jz-found-en", "EN"), { lang: "en", title: SAID.untranslated }));
    if (heading && heading !== page.title) {
      link.href = addressOf(page, anchor, result.isOther ? asked.marks : asked.words);
      link.append(" ", make("span", "jz-found-heading", ...marked(heading, pattern)));
    }
    const around = make("p", "", ...marked(excerpt.words, pattern));
    if (excerpt.isEnglish || !page.isTranslated) around.lang = "en";
    return make("li", "", link, around);
  };
  const itemsOf = async (results, asked, pattern) => (await Promise.all(results.map((result) => itemOf(result, asked, pattern)))).filter(Boolean);

  // Returns the status: how many pages match the whole query, and how many come close.
  const told = (count, similar) => {
    if (!count) return similar ? SAID.similar : SAID.none;
    return counted("found", count) + (similar ? counted("also", similar) : "");
  };

  // Connects one form with its results: a status, which screen readers announce, and a list that grows on request.
  const serve = (form, box, { isPage }) => {
    const input = form.querySelector("input[name=q]");
    const status = make("p", "jz-found-status");
    status.setAttribute("role", "status");
    const results = make("div", "jz-found");
    box.append(status, results);
    let latest = 0;

    // Returns a button below the list that shows more results.
    const moreOf = (list, found, asked, pattern) => {
      const button = Object.assign(make("button", "jz-found-more", SAID.more), { type: "button" });
      let at = AT_ONCE;
      button.addEventListener("click", async () => {
        const items = await itemsOf(found.slice(at, (at += AT_ONCE)), asked, pattern);
        list.append(...items);
        items[0]?.querySelector("a").focus();
        button.hidden = at >= found.length;
      });
      return button;
    };
    const addressOfResults = (query) => `${form.action.replace(/[?#].*/, "")}?q=${encodeURIComponent(query)}`;
    const allOf = (query, count) => {
      const all = make("a", "jz-found-more", counted("all", count));
      all.href = addressOfResults(query);
      return all;
    };

    // Returns suggestions, as links to their results.
    const meantOf = (queries) => {
      const links = queries.map((query) => {
        const link = make("a", "", query);
        link.href = addressOfResults(query);
        link.addEventListener("click", (event) => {
          event.preventDefault();
          input.value = query;
          input.focus();
          attempt();
        });
        return link;
      });
      return make("span", "jz-found-meant", SAID.meant, ...links);
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
      if (turn !== latest) return undefined; // the query has changed meanwhile
      const found = asked.results;
      const pattern = toPattern(asked.marks);
      const first = found.slice(0, AT_ONCE);
      const items = await itemsOf(first, asked, pattern);
      if (turn !== latest) return undefined;
      const similar = found.filter(({ isPart }) => isPart).length;
      status.textContent = told(found.length - similar - (first.length - items.length), similar);
      if (asked.meant.length) status.append(meantOf(asked.meant));
      const list = make("ol", "", ...items);
      list.setAttribute("aria-label", SAID.results);
      results.replaceChildren(...(items.length ? [list] : []));
      if (found.length > AT_ONCE) results.append(isPage ? moreOf(list, found, asked, pattern) : allOf(query, found.length));
      return undefined;
    };
    const attempt = () => show().catch(() => {
      results.replaceChildren();
      status.textContent = SAID.broken;
    });

    let pause;
    const attemptLater = () => {
      clearTimeout(pause);
      pause = setTimeout(attempt, PAUSE);
    };
    input.addEventListener("input", (event) => {
      // Input that is still being composed is not part of the query yet.
      if (event.isComposing) clearTimeout(pause);
      else attemptLater();
    });
    input.addEventListener("compositionend", attemptLater);
    input.addEventListener("focus", () => { open().catch(() => {}); }, { once: true });
    if (isPage) {
      form.addEventListener("submit", (event) => { event.preventDefault(); attempt(); });
      input.value = new URLSearchParams(location.search).get("q") ?? "";
      if (input.value) attempt();
    }

    // The arrow keys move from the field through the results and back.
    box.parentElement.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const stops = [input, ...results.querySelectorAll("a, button:not([hidden])")];
      const at = stops.indexOf(document.activeElement);
      if (!step || at < 0 || event.isComposing) return;
      event.preventDefault();
      stops[Math.min(Math.max(at + step, 0), stops.length - 1)].focus();
    });
  };
  // Keeps the query in the address of the page. Browsers refuse that for files in a folder.
  const remember = (query) => {
    const address = new URL(location.href);
    address.search = query && new URLSearchParams({ q: query }).toString();
    try { history.replaceState(null, "", address); } catch (refused) { /* the results are shown anyway */ }
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
