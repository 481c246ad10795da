// The search: what a query asks for, and the pages that have it, best first. search-box.js shows them.
// The index lies in _search as scripts that call jzSearch(name, data), so that it can be read from a folder, too; a query loads the few that it needs.
// How texts are taken apart is told in pipeline/site/search/words.py, what is in the files in index.py: queries are taken apart by the same rules.
"use strict";
(() => {
  // — files of the index —

  const ROOT = document.documentElement.dataset.content_root ?? "./";
  const files = new Map(); // by name: { promise, resolve }
  let version = "";

  const jzSearch = (name, data) => files.get(name)?.resolve(data);
  window.jzSearch = jzSearch;

  const load = (name) => {
    if (!files.has(name)) {
      const file = {};
      file.promise = new Promise((resolve, reject) => {
        file.resolve = resolve;
        const script = document.createElement("script");
        script.src = `${ROOT}_search/${name.split("/").map(encodeURIComponent).join("/")}.js${version && `?v=${version}`}`;
        script.onerror = () => { files.delete(name); reject(new Error(name)); };
        script.onload = () => script.remove();
        document.head.append(script);
      });
      files.set(name, file);
    }
    return files.get(name).promise;
  };

  let contents; // a promise of the pages and of what else is in index.js
  const open = () => {
    contents ??= load("index").then((index) => {
      version = index.version;
      return { ...index, pages: index.pages.map(toPage), words: toWords(index.synonyms) };
    }, (error) => { contents = undefined; throw error; });
    return contents;
  };
  const toPage = ([name, title, english, isTranslated, size, starts], number) => {
    const titles = [title, english, name].map((text) => runs(text).join(" "));
    return { number, name, title, english, isTranslated, size, starts, titles };
  };
  // By what may be asked: what else is looked for. An English word asks for its renderings, and these for the English.
  const toWords = (synonyms) => {
    const words = new Map();
    const add = (asked, other) => {
      const key = runs(asked).join(" ");
      words.set(key, [...(words.get(key) ?? []), other]);
    };
    for (const [asked, renderings] of synonyms) {
      for (const word of asked) for (const rendering of renderings) add(word, rendering);
      for (const rendering of renderings) add(rendering, asked[0]);
    }
    return words;
  };

  // — what a query asks for —

  const UNSPACED = "\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff\\u{20000}-\\u{3ffff}";
  const LETTER = `(?:(?![${UNSPACED}])[\\p{L}\\p{N}_])`;
  const RUN = new RegExp(`[${UNSPACED}]+|${LETTER}+(?:\\.${LETTER}+)*`, "gu");
  const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, "u");
  const LONGEST_WORD = 60;
  const LONGEST_NUMBER = 8;

  const runs = (text) => text.normalize("NFKC").toLowerCase().match(RUN) ?? [];
  const isIndexed = (word) => word && (word.length <= LONGEST_NUMBER || !/^\p{N}/u.test(word));
  const isNumber = (word) => /^\p{N}/u.test(word);

  // The entries that a run is found by; of the last one the beginning is enough while it is being typed.
  const toAsked = (run) => {
    if (IS_UNSPACED.test(run)) {
      const letters = [...run];
      if (letters.length === 1) return { run, entries: [run], isOpen: true };
      return { run, entries: letters.slice(1).map((letter, at) => letters[at] + letter), isOpen: false };
    }
    const words = run.split(".").map((word) => word.slice(0, LONGEST_WORD));
    const pairs = words.slice(1).flatMap((right, at) => (isNumber(right) ? [] : [`.${words[at]}.${right}`]));
    const entries = pairs.length ? pairs : words.filter(isIndexed);
    return { run, entries, isOpen: run.length > 2 };
  };

  // — places: by page, by piece, how much an entry counts there —

  const NAMED = 10; // in a heading, or where a name is explained
  const MARKS = { n: NAMED, m: 2.5, t: 0.1 }; // as the index marks them: named, many times, in the title of another page
  const BEGUN = 0.3; // a longer word that begins so
  const MOST_SHELVES = 4; // that the beginning of a word is looked for on

  const read = (places, weight, into) => {
    for (const part of places.split(";")) {
      const [page, pieces] = part.split(":");
      const found = into.get(+page) ?? new Map();
      for (const piece of pieces.split(",")) {
        const number = parseInt(piece, 10);
        const counts = weight * (MARKS[piece.at(-1)] ?? 1);
        found.set(number, Math.max(found.get(number) ?? 0, counts));
      }
      into.set(+page, found);
    }
  };

  const look = async (entry, isOpen) => {
    const { firsts } = await open();
    let shelf = 0;
    for (let [low, high] = [0, firsts.length]; low < high; ) {
      const middle = (low + high) >> 1;
      if (firsts[middle] <= entry) low = (shelf = middle) + 1;
      else high = middle;
    }
    let end = shelf + 1;
    while (isOpen && end < Math.min(firsts.length, shelf + MOST_SHELVES) && firsts[end].startsWith(entry)) end++;
    const found = new Map();
    for (const entries of await Promise.all(firsts.slice(shelf, end).map((_, at) => load(`entries/${shelf + at}`)))) {
      if (Object.hasOwn(entries, entry)) read(entries[entry], 1, found);
      if (isOpen) for (const longer in entries) if (longer !== entry && longer.startsWith(entry)) read(entries[longer], IS_UNSPACED.test(entry) ? 1 : BEGUN, found);
    }
    return found;
  };

  // Pieces that have all entries: there the run stands as it was asked for.
  const lookForRun = async ({ entries, isOpen }) => {
    const all = await Promise.all(entries.map((entry, at) => look(entry, isOpen && at === entries.length - 1)));
    return all.reduce((found, others) => shared(found, others, sharedPieces));
  };
  // Pages that have all runs, wherever they stand.
  const lookForAll = async (asked) => {
    const all = await Promise.all(asked.map(lookForRun));
    return all.reduce((found, others) => shared(found, others, (pieces, other) => sum(new Map(pieces), other, 1)));
  };
  const shared = (found, others, join) => {
    const both = new Map();
    for (const [page, pieces] of found) {
      const joined = others.has(page) ? join(pieces, others.get(page)) : new Map();
      if (joined.size) both.set(page, joined);
    }
    return both;
  };
  const sharedPieces = (pieces, others) => {
    const both = new Map();
    for (const [piece, counts] of pieces) if (others.has(piece)) both.set(piece, Math.min(counts, others.get(piece)));
    return both;
  };
  const sum = (into, pieces, weight) => {
    for (const [piece, counts] of pieces) into.set(piece, (into.get(piece) ?? 0) + weight * counts);
    return into;
  };

  // — ranking —

  const OTHER = 0.6; // what a synonym counts
  const MOST_OTHERS = 3;
  const UNTRANSLATED = 0.6; // what a page in English counts
  const MOST_SIMILAR = 20;
  const FEW = 5; // results, below which pages are shown that have only a part of what was asked for

  // The query as slots: a term of the glossary, which may have several words, or a single run.
  const toSlots = (asked, words) => {
    const slots = [];
    for (let at = 0; at < asked.length; ) {
      let length = Math.min(4, asked.length - at);
      const key = () => asked.slice(at, at + length).map(({ run }) => run).join(" ");
      while (length > 1 && !words.has(key())) length--;
      const others = (words.get(key()) ?? []).slice(0, MOST_OTHERS);
      slots.push({ asked: asked.slice(at, at + length), others: others.map((word) => runs(word).map(toAsked)) });
      at += length;
    }
    return slots;
  };

  const isIn = (title, run) => (IS_UNSPACED.test(run) ? title.includes(run) : ` ${title} `.replaceAll(".", " ").includes(` ${run.replaceAll(".", " ")} `));

  // How well a title fits: 1 if it is what was asked for, less if it says more.
  const fits = (page, asked) => Math.max(...page.titles.map((title) => {
    const fitting = asked.filter(({ run }) => isIn(title, run));
    const letters = fitting.reduce((count, { run }) => count + run.length, 0);
    return fitting.length === asked.length ? 0.4 + 0.6 * (letters / title.replaceAll(" ", "").length) : 0;
  }));

  // How much a page has to do with words that stand in these pieces of it, 1 to 10. The weights are chosen by the questions of tests/site/search/questions.csv.
  const scored = (page, pieces, pages, asked) => {
    let counts = 0;
    let isNamed = false;
    for (const weight of pieces.values()) {
      counts += Math.min(weight, MARKS.m);
      isNamed ||= weight >= NAMED;
    }
    const often = 1.2 * (counts / (counts + 4));
    const throughout = Math.min(1, counts / (page.size + 3));
    const begins = pieces.get(0) >= 1 ? 0.4 : 0;
    const early = 1.2 * (1 - page.number / pages.length); // what the contents list first is met first
    return 1 + often + throughout + begins + early + (isNamed ? 0.5 : 0) + 5 * fits(page, asked);
  };
  const rarityOf = (found, pages) => Math.log(1 + pages.length / Math.max(found.size, 1));

  // What is found for a synonym only, ``isOther``, counts less.
  const lookForSlot = async ({ asked, others }, pages) => {
    const [found, ...more] = await Promise.all([asked, ...others].map(lookForAll));
    const rarity = rarityOf(found.size ? found : more[0] ?? found, pages);
    const results = new Map();
    const add = (words, places, weight) => {
      for (const [number, pieces] of places) {
        const page = pages[number];
        const score = weight * rarity * scored(page, pieces, pages, words);
        const known = results.get(number);
        results.set(number, {
          score: Math.max(score, known?.score ?? 0),
          pieces: sum(known?.pieces ?? new Map(), pieces, weight),
          isOther: !found.has(number),
        });
      }
    };
    add(asked, found, 1);
    more.forEach((places, at) => add(others[at], places, OTHER));
    return results;
  };

  // Results that both have.
  const meet = (all, others) => {
    const both = new Map();
    for (const [number, one] of all) {
      const other = others.get(number);
      if (other) both.set(number, { score: one.score + other.score, pieces: sum(new Map(one.pieces), other.pieces, 1), isOther: one.isOther || other.isOther });
    }
    return both;
  };

  // A page whose title is just what was asked for comes before all others.
  const ranked = (results, pages, title) => {
    const found = [...results].map(([number, { score, pieces, isOther }]) => {
      const page = pages[number];
      const places = [...pieces].sort((one, other) => other[1] - one[1] || one[0] - other[0]).map(([piece]) => piece);
      return { page, places, isOther, score: page.isTranslated ? score : score * UNTRANSLATED };
    });
    const isIt = ({ page }) => Number(page.titles.includes(title));
    return found.sort((one, other) => isIt(other) - isIt(one) || other.score - one.score || one.page.number - other.page.number);
  };

  // What asks and says nothing: 怎么安装 is 安装.
  const QUESTION = /请问|为什么|为何|怎么样|怎么|怎样|如何|什么是|是什么|有什么|什么|哪里|哪些|哪个|能不能|是否|能用|吗|呢|的|^(?:how|what|why|when|where|which|who|is|are|do|does|can|i|to|the|an?|of|in|on|for|with|and|or|not)$/g;
  // 在 TPU 上装 JAX: small words say nothing at the ends of runs; within them they are parts of others (存在, 上下文).
  const ENDS = /^(?:可以|应该|需要|自己|得到|不能|能否|可否|[在里上中用把被对从给我你和与跟])+|(?:可以|应该|需要|得到|一下|的话)+$|(?<=..)[在里上中]$/g;
  const withoutQuestion = (words) => words.flatMap((run) => runs(run.replace(QUESTION, " "))).map((run) => run.replace(ENDS, "")).filter(Boolean);

  // The pages for a query, best first: ``exact`` have all of its runs, ``similar`` only a part. ``words`` are the runs, ``marks`` all that was looked for.
  const find = async (query) => {
    const { pages, words: synonyms } = await open();
    const all = runs(query);
    const title = all.join(" ");
    // One run by itself is looked for as it is: it may be a part of any text.
    const telling = all.length > 1 ? withoutQuestion(all) : all;
    const asked = (telling.length ? telling : all).map(toAsked).filter(({ entries }) => entries.length);
    if (!asked.length) return { words: [], marks: [], isPaired: false, exact: [], similar: [] };
    const slots = toSlots(asked, synonyms);
    const exact = (await Promise.all(slots.map((slot) => lookForSlot(slot, pages)))).reduce(meet);
    const words = asked.map(({ run }) => run);
    const marks = [...words, ...slots.flatMap(({ others }) => others.flat().map(({ run }) => run))];
    // Three letters and more are found by their pairs: these may stand apart in a piece.
    const isPaired = asked.length === 1 && IS_UNSPACED.test(words[0]) && asked[0].entries.length > 1;
    if (exact.size >= FEW) return { words, marks, isPaired, exact: ranked(exact, pages, title), similar: [] };
    const parts = toParts(withoutQuestion(all), synonyms);
    const similar = await lookForParts(parts, pages);
    for (const number of exact.keys()) similar.delete(number);
    return { words, marks: [...marks, ...parts.keys()], isPaired, exact: ranked(exact, pages, title), similar: ranked(similar, pages, title).slice(0, MOST_SIMILAR) };
  };

  // The entries of runs, and the synonyms of all that stands in them, with what they count.
  const toParts = (asked, words) => {
    const parts = new Map();
    for (const run of asked) {
      for (const entry of toAsked(run).entries) parts.set(entry, 1);
      for (const [word, others] of words) {
        const isPart = IS_UNSPACED.test(word) && word.length > 1 && run.includes(word);
        if (isPart || word === run) for (const other of others) parts.set(other, OTHER);
      }
    }
    return parts;
  };

  // Pages with some of the parts; rare parts count more.
  const lookForParts = async (parts, pages) => {
    const results = new Map();
    const lookForPart = async ([part, weight]) => {
      const words = runs(part).map(toAsked);
      const found = await lookForAll(words);
      const rarity = weight * rarityOf(found, pages);
      for (const [number, pieces] of found) {
        const known = results.get(number) ?? { score: 0, pieces: new Map(), isOther: true };
        known.score += rarity * scored(pages[number], pieces, pages, words);
        sum(known.pieces, pieces, rarity);
        results.set(number, known);
      }
    };
    await Promise.all([...parts].map(lookForPart));
    return results;
  };

  Object.assign(jzSearch, { ROOT, find, load, open });
})();
