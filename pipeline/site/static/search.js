// The search: parses a query, and finds and ranks its pages. search-box.js shows them.
// The index in _search consists of scripts that call jzSearch(name, data), so that it also works from a folder. A query loads the few scripts that it needs.
// pipeline/site/search/pieces.py explains how texts are split, index.py what the files contain. Queries are split by the same rules.
"use strict";
(() => {
  // — files of the index —

  const ROOT = document.documentElement.dataset.content_root ?? "./";
  const files = new Map(); // by name: { promise, resolve }
  let version = "";

  const jzSearch = (name, data) => files.get(name)?.resolve(data);
  window.jzSearch = jzSearch;

  // `folder`: the site of the pinned release. It has the files of pages that both releases share.
  const load = (name, folder = "") => {
    if (!files.has(name)) {
      const file = {};
      file.promise = new Promise((resolve, reject) => {
        file.resolve = resolve;
        const script = document.createElement("script");
        script.src = `${ROOT}${folder}_search/${name.split("/").map(encodeURIComponent).join("/")}.js${version && `?v=${version}`}`;
        script.onerror = () => { files.delete(name); reject(new Error(name)); };
        script.onload = () => script.remove();
        document.head.append(script);
      });
      files.set(name, file);
    }
    return files.get(name).promise;
  };

  let contents; // promise of the content of index.js
  const open = () => {
    contents ??= load("index").then((index) => {
      version = index.version;
      const names = toNames(index.names);
      const pages = [...index.pages, ...toRows(index.objects)].map(toPage);
      return { ...index, pages, guides: index.pages.length, names, modules: toNames(index.modules), owners: new Map(Object.entries(index.owners)), words: new Map([...names, ...toWords(index.synonyms)]) };
    }, (error) => { contents = undefined; throw error; });
    return contents;
  };
  const toPage = ([name, title, english, isTranslated, size, starts, folder = "", isObject = false], number) => {
    const titles = [title, english, name].map((text) => runs(text).join(" ")).filter(Boolean);
    return { number, name, folder, title, english, isTranslated, size, starts, isObject, titles };
  };
  // Pages of objects: "api/jax.lax.scan cond:9:6 while_loop!" are three pages in api/. The second has 9 pieces in two files, the second file from piece 6 on. "!" marks a page in English. "@../" is the folder of the site that has the page.
  const toRows = (objects) => {
    let module = "";
    return objects.split(" ").filter(Boolean).map((word) => {
      const [shortened, folder = ""] = word.split("@");
      const [last, size = "1", ...starts] = shortened.replace("!", "").split(":");
      const name = last.includes(".") ? last : module + last;
      module = name.slice(0, name.lastIndexOf(".") + 1);
      return [name, name.slice(name.lastIndexOf("/") + 1), "", !shortened.endsWith("!"), +size, [0, ...starts.map(Number)], folder, true];
    });
  };
  // Names of other frameworks: torch.where finds jax.numpy.where, but not the other way round.
  const toNames = (rows) => new Map(Object.entries(rows).map(([name, others]) => [name, others.split(" ")]));
  // Other words to search for, by query word. An English word finds its renderings, and they find the English. 显存 finds 内存, but not the other way round.
  const toWords = (synonyms) => {
    const words = new Map();
    const add = (asked, other) => {
      const key = runs(asked).join(" ");
      words.set(key, [...(words.get(key) ?? []), other]);
    };
    for (const [asked, renderings] of synonyms) {
      for (const word of asked) for (const rendering of renderings) add(word, rendering);
      if (!IS_UNSPACED.test(asked[0])) for (const rendering of renderings) add(rendering, asked[0]);
    }
    return words;
  };

  // — splitting of a query into runs: "jax.jit 编译" has two, a dotted name and a sequence of Chinese characters —

  const UNSPACED = "\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff\\u{20000}-\\u{3ffff}";
  const LETTER = `(?:(?![${UNSPACED}])[\\p{L}\\p{N}_])`;
  const RUN = new RegExp(`[${UNSPACED}]+|${LETTER}+(?:\\.${LETTER}+)*`, "gu");
  const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, "u");
  const LONGEST_WORD = 60;
  const LONGEST_NUMBER = 8;

  const runs = (text) => text.normalize("NFKC").toLowerCase().match(RUN) ?? [];
  // The names in a query as they are spelled.
  const namesIn = (query) => query.normalize("NFKC").match(RUN) ?? [];
  const isIndexed = (word) => word && (word.length <= LONGEST_NUMBER || !/^\p{N}/u.test(word));
  const isNumber = (word) => /^\p{N}/u.test(word);

  // Returns the entries by which a run is found. While the last word is being typed, its beginning is enough.
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

  // — weights, tuned with the questions of tests/site/search/ —

  const WEIGHTS = {
    // Points that a page gets if all words of a query occur on it in the best way.
    often: 3, // many times in its text, compared with its length: a page repeats the name of its subject
    title: 2, // in its title: the page is about the query
    early: 1.5, // if the page comes early on the site: of similar pages, readers want the introductory one
    phrase: 1, // next to each other in one piece, including small words: 类的方法 is more than 类 and 方法 somewhere
    heading: 1, // in a heading: a section is about the query
    subject: 6, // in the summary of an object: this is what the object is for
    known: 0.5, // if guides mention the object: of similar objects, readers want the usual one
    // Factors. The points of the part that is named first are multiplied by them.
    summary: 1, // of a heading, for the summary of an object, which says what the object is for
    explained: 0.2, // of a heading, for a name in a list of names, which explains less than a section
    synonym: 0.8, // of a word, for its rendering, which may have other meanings
    apart: 0.3, // of a term whose words are in different pieces
    begun: 0.5, // of a word, for a longer word that starts with it
    module: 0.5, // of a title that is the module of a dotted name, or the function of an argument
    last: 0.4, // of a dotted name, for its last part only, as scan for lax.scan
    unknown: 0.6, // of a Chinese word outside of all term lists: rare words there are mostly filler
    missing: 0.3, // share of its points that a page without any of the words loses; a page with some of them loses a part of it
    untranslated: 0.6, // of an untranslated page
    wordy: 0.4, // of a title that has many other words
    text: 0.6, // of a heading, for a match in the text: in a tie, the result leads to the piece with the heading
    fixed: 0.3, // of the usual number of occurrences: the share that does not depend on the length of the page
  };
  const COVERED = 2; // exponent of the share of a query that is in the summary of an object: half of a query says little
  const APT = 0.8; // share of a query that a heading must have to be an answer
  const LEAD = 1.4; // an object comes before a guide if its score is so many times the guide's
  const BETWEEN = 2; // number of guides between two objects, so that the first results have only one object
  const FIRST = 3; // number of results that most readers look at
  const RARITY = 0.5; // exponent of a word's rarity: most rare words in a question are filler
  const HALF = 3; // number of occurrences on a page of average length that give half of the points of `often`
  const MOST_OTHERS = 3;
  const MOST_SIMILAR = 20;
  const FEW = 5; // results; with fewer, pages that match only a part of the query are shown too
  const MOST_SHELVES = 4; // number of entry files that are searched for the beginning of a word

  // — places, by page and piece. A place has three numbers: how often an entry occurs, how much it counts as a heading, and whether it is a name documented there (2) or listed (1) —

  // The letters of the index: h in a heading, o the name of an object, s in its summary, d a name in a list, b both h and d, n a part of such a name, m many times, a only in asides.
  const MARKS = { h: [2.5, 1, 0], o: [2.5, 1, 2], s: [2.5, WEIGHTS.summary, 0], b: [2.5, 1, 1], d: [2.5, WEIGHTS.explained, 1], n: [2.5, WEIGHTS.explained, 0], m: [2.5, 0, 0], a: [0.1, 0, 0] };
  // A query for a dotted name, jnp.sum, asks for its documentation; a query for a word may ask for explanations.
  const MARKS_OF_DOTTED = { ...MARKS, d: [2.5, 1, 1], n: MARKS.h };
  const UNMARKED = [1, 0, 0];
  const ABSENT = [0, 0, 0];

  const better = (one, other) => one.map((number, at) => Math.max(number, other[at]));
  // Only an exact match keeps the mark of a documented name.
  const less = ([often, headed, explained], weight) => [weight * often, weight * headed, weight === 1 ? explained : 0];

  const read = (places, marks, weight, into) => {
    for (const part of places.split(";")) {
      const [page, pieces] = part.split(":");
      const found = into.get(+page) ?? new Map();
      for (const piece of pieces.split(",")) {
        const number = parseInt(piece, 10);
        const mark = marks[piece.at(-1)] ?? UNMARKED;
        const place = weight === 1 ? mark : less(mark, weight);
        const known = found.get(number);
        found.set(number, known ? better(known, place) : place);
      }
      into.set(+page, found);
    }
  };

  // A query looks up the same entry several times: for the run, for a word, and for a phrase.
  const looked = new Map();
  const look = (entry, isOpen) => {
    const key = `${isOpen ? "…" : ""}${entry}`;
    if (!looked.has(key)) looked.set(key, lookUp(entry, isOpen));
    return looked.get(key);
  };
  const lookUp = async (entry, isOpen) => {
    const { firsts } = await open();
    let shelf = 0;
    for (let [low, high] = [0, firsts.length]; low < high; ) {
      const middle = (low + high) >> 1;
      if (firsts[middle] <= entry) low = (shelf = middle) + 1;
      else high = middle;
    }
    let end = shelf + 1;
    while (isOpen && end < Math.min(firsts.length, shelf + MOST_SHELVES) && firsts[end].startsWith(entry)) end++;
    const marks = entry.startsWith(".") ? MARKS_OF_DOTTED : MARKS;
    const found = new Map();
    for (const entries of await Promise.all(firsts.slice(shelf, end).map((_, at) => load(`entries/${shelf + at}`)))) {
      if (Object.hasOwn(entries, entry)) read(entries[entry], marks, 1, found);
      if (isOpen) for (const longer in entries) if (longer !== entry && longer.startsWith(entry)) read(entries[longer], marks, IS_UNSPACED.test(entry) ? 1 : WEIGHTS.begun, found);
    }
    return found;
  };

  // Finds the pieces that have all entries of a run.
  // Entries of small words are loaded only if the other entries have a piece in common.
  const lookForRun = async ({ entries, isOpen }, small = new Set()) => {
    const lookForEntries = (some) => Promise.all(some.map((entry) => look(entry, isOpen && entry === entries.at(-1))));
    const meet = (all) => all.reduce((found, others) => shared(found, others, sharedPieces));
    const telling = entries.filter((entry) => !small.has(entry));
    if (!telling.length) return meet(await lookForEntries(entries));
    const found = meet(await lookForEntries(telling));
    const rest = found.size ? entries.filter((entry) => small.has(entry)) : [];
    return meet([found, ...(await lookForEntries(rest))]);
  };
  // Finds the pages that have all runs. They score best if one piece has all.
  const lookForAll = async (asked) => {
    const all = await Promise.all(asked.map((one) => lookForRun(one)));
    return all.reduce((found, others) => shared(found, others, allPieces), all.shift());
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
    for (const [piece, [often, headed]] of pieces) {
      const other = others.get(piece);
      // The last entry tells whether the whole name is documented.
      if (other) both.set(piece, [Math.min(often, other[0]), Math.min(headed, other[1]), other[2]]);
    }
    return both;
  };
  const allPieces = (pieces, others) => {
    const all = new Map();
    for (const [piece, place] of [...pieces, ...others]) all.set(piece, better(all.get(piece) ?? ABSENT, less(place, WEIGHTS.apart)));
    for (const [piece, place] of sharedPieces(pieces, others)) all.set(piece, place);
    return all;
  };

  // — the words of a query —

  // Small words add nothing to a query, in English and in the language of the site. `cut` never joins a particle to another character.
  const SMALL = "how what why when where which who is are do does did can could should i my me we to the a an of in on for with and or not it be this that own use using from have has there any some about between";
  const wordsIn = (list) => list.split(" ").filter(Boolean);
  const APART = new Set(wordsIn(jzWords.search.particles));
  const STOPS = new Set([...APART, ...wordsIn(jzWords.search.small), ...wordsIn(SMALL)]);
  // Words that ask for an explanation, which no summary of an object gives.
  const REASONS = ["why", ...wordsIn(jzWords.search.reasons)];
  // 什么是 and 自己写 consist of small words.
  const isSmallAnywhere = (word) => STOPS.has(word) || (IS_UNSPACED.test(word) && [...word].some((_, at) => at && STOPS.has(word.slice(0, at)) && isSmallAnywhere(word.slice(at))));
  // In a query with Chinese, English words are names, such as where.
  const smallIn = (all) => {
    const isMixed = all.some((run) => IS_UNSPACED.test(run));
    return (word) => isSmallAnywhere(word) && (!isMixed || IS_UNSPACED.test(word));
  };
  const FRAMEWORKS = new Set(wordsIn("pytorch torch tensorflow tf numpy np"));
  const LONGEST_TERM = 8; // characters
  const MOST_RUNS = 4; // in a term

  const segmenter = Intl.Segmenter && new Intl.Segmenter("zh", { granularity: "word" });
  const firstWord = (run) => (segmenter ? segmenter.segment(run).containing(0).segment : run);
  const isLetter = (word) => IS_UNSPACED.test(word) && [...word].length === 1;

  // Splits a run into terms that have synonyms, and the rest into words by the browser's segmenter.
  const cut = (run, synonyms) => {
    if (!IS_UNSPACED.test(run)) return [run];
    const words = [];
    let isLoose = false; // whether the last word is a single character
    for (let rest = run; rest; ) {
      let length = Math.min(LONGEST_TERM, rest.length);
      while (length && !synonyms.has(rest.slice(0, length))) length--;
      const word = length ? rest.slice(0, length) : firstWord(rest);
      rest = rest.slice(word.length);
      // Join two single characters, 调 and 用: they may be a word that the browser does not know.
      const fits = !length && isLetter(word) && !APART.has(word);
      const isRest = fits && isLoose;
      words.push(isRest ? words.pop() + word : word);
      isLoose = fits && !isRest && !STOPS.has(word);
    }
    return words;
  };

  // Returns the terms of a query, each with all forms to search for and the numbers of its runs.
  const toTerms = (all, words, known, isSmall) => {
    const terms = [];
    for (let at = 0; at < words.length; ) {
      let length = Math.min(MOST_RUNS, words.length - at);
      const key = () => words.slice(at, at + length).map(({ word }) => word).join(" ");
      while (length > 1 && !known.words.has(key())) length--;
      const others = known.words.get(key()) ?? [];
      const own = words.slice(at, at + length);
      at += length;
      const [{ word, isAll }] = own;
      const saysNothing = length === 1 && !others.length && (isSmall(word) || (isLetter(word) && !isAll));
      const ofLast = known.names.get(lastOf(word)) ?? [];
      const term = toTerm(own, [...others, ...ofLast], spelledOut(word, known));
      if (!saysNothing) terms.push({ ...term, word, owner: known.owners.get(word) });
    }
    // A run without any term is searched for as it is, unless it is a small word.
    all.forEach((word, number) => {
      const isLost = !terms.some(({ numbers }) => numbers.includes(number));
      if (isLost && !isSmall(word)) terms.push({ ...toTerm([{ word, number }], []), word });
    });
    // The name of a framework is dropped beside a name of that framework: in "PyTorch backward", only backward counts.
    const isForeign = ({ word }) => known.names.has(word) || known.names.has(lastOf(word));
    const telling = terms.some(isForeign) ? terms.filter(({ word }) => !FRAMEWORKS.has(word)) : terms;
    return telling.length ? telling : all.map((word, number) => toTerm([{ word, number }], []));
  };
  // Returns the last part of a dotted name; empty for other words.
  const lastOf = (word) => (word.includes(".") ? word.slice(word.lastIndexOf(".") + 1) : "");
  // jnp.sum → jax.numpy.sum, torch.nn.functional.relu → jax.nn.relu. The longest known module is replaced.
  const spelledOut = (word, { words, modules }) => {
    for (let dot = word.lastIndexOf("."); dot > 0; dot = word.lastIndexOf(".", dot - 1)) {
      const module = word.slice(0, dot);
      const others = modules.get(module) ?? words.get(module);
      if (others) return others.map((other) => other + word.slice(dot));
    }
    return [];
  };
  const toTerm = (own, others, spelled = []) => {
    const words = own.map(({ word }) => word);
    const forms = [{ words, weight: 1 }];
    for (const other of spelled) forms.push({ words: runs(other), weight: 1, isSpelled: true });
    for (const other of others.slice(0, MOST_OTHERS)) forms.push({ words: runs(other), weight: WEIGHTS.synonym, isOther: true });
    // If there is a counterpart for the name, its last part is not needed.
    const last = others.length ? "" : lastOf(words[0]);
    if (words.length === 1 && last.length > 2) forms.push({ words: [last], weight: WEIGHTS.last, isPart: true });
    const asked = forms.map((form) => ({ ...form, asked: form.words.map(toAsked).filter(({ entries }) => entries.length) }));
    return { numbers: own.map(({ number }) => number), forms: asked.filter((form) => form.asked.length) };
  };

  // — ranking —

  // Finds the places of a term in any of its forms. ``whole`` are the pages that have all of the term, not only a part.
  const lookForTerm = async ({ numbers, forms, owner }, guides) => {
    const all = await Promise.all(forms.map(({ asked }) => lookForAll(asked)));
    const found = new Map();
    const whole = new Set();
    const used = forms.map((form, at) => {
      // A synonym that is more frequent than the word itself is the site's own term for it.
      const weight = form.isOther && countIn(all[at], 0, guides) > countIn(all[0], 0, guides) ? 1 : form.weight;
      for (const [page, pieces] of all[at]) {
        const into = found.get(page) ?? new Map();
        for (const [piece, place] of pieces) into.set(piece, better(into.get(piece) ?? ABSENT, less(place, weight)));
        found.set(page, into);
        if (!form.isPart) whole.add(page);
      }
      return { ...form, weight };
    });
    return { numbers, forms: used, owner, found, whole };
  };

  // Returns how many of the pages from one number to another have a term.
  const countIn = (found, from, to) => [...found.keys()].filter((number) => number >= from && number < to).length;
  // Returns how rare a term is among pages.
  const rarityOf = (count, pages) => Math.log(1 + (pages - count + 0.5) / (count + 0.5)) ** RARITY;
  const isKnown = ({ forms: [own, ...others] }) => others.length > 0 || !IS_UNSPACED.test(own.words[0]);
  // Returns numbers as shares of their sum.
  const shares = (numbers) => {
    const sum = Math.max(1, numbers.reduce((all, one) => all + one, 0)); // avoids a division by 0 if nothing is rare
    return numbers.map((one) => one / sum);
  };

  const isIn = (title, run) => title.includes(run) && (IS_UNSPACED.test(run) || ` ${title} `.replaceAll(".", " ").includes(` ${run.replaceAll(".", " ")} `));
  // A query for lax.scan matches the title jax.lax.
  const isModule = (title, { asked: [{ run }] }) => run.includes(".") && `.${title}`.endsWith(`.${run.slice(0, run.lastIndexOf("."))}`);
  const lettersOf = (asked) => asked.reduce((count, { run }) => count + run.length, 0);
  // Returns how well a title matches: 1 for a perfect match, less for additional or missing words.
  const fits = (page, terms) => Math.max(...page.titles.map((title) => {
    let all = 0;
    let letters = 0;
    for (const { share, forms, owner } of terms) {
      // The page "JIT compilation" matches static_argnums, an argument of jit.
      const isOfOwner = owner && isIn(title, owner);
      if (isOfOwner) letters += owner.length;
      all += isOfOwner || forms.some((form) => isModule(title, form)) ? share * WEIGHTS.module : 0;
      const [best] = forms.filter(({ asked }) => asked.every(({ run }) => isIn(title, run))).sort((one, other) => other.weight - one.weight);
      if (!best) continue;
      all += share * best.weight;
      letters += lettersOf(best.asked);
    }
    if (!all) return 0;
    return all * (WEIGHTS.wordy + (1 - WEIGHTS.wordy) * Math.min(1, letters / title.replaceAll(" ", "").length));
  }), 0);

  // Adds the share of a term or phrase to the pieces that have it.
  const add = (into, pieces, share) => {
    for (const [piece, [often, headed]] of pieces) into.set(piece, (into.get(piece) ?? 0) + share * Math.max(headed, WEIGHTS.text * Math.min(1, often)));
  };

  // Returns the score of a page, and its best pieces.
  const score = (page, { terms, pairs, length, from, to }) => {
    const places = new Map();
    let named = 0;
    let points = 0;
    let has = 0;
    const headings = new Map(); // by piece: the share of the terms that it has in its headings or summary
    for (const { share, found } of terms) {
      const pieces = found.get(page.number);
      if (!pieces) continue;
      add(places, pieces, share);
      const all = [...pieces.values()];
      const often = all.reduce((sum, [counts]) => sum + counts, 0);
      const headed = Math.max(...all.map(([, one]) => one));
      if (terms.length === 1) for (const [piece, [, , explained]] of pieces) {
        named = Math.max(named, explained);
        places.set(piece, places.get(piece) + explained);
      }
      for (const [piece, [, one]] of pieces) headings.set(piece, (headings.get(piece) ?? 0) + share * one);
      has += share * Math.min(1, often); // asides say little: 1.26 in an output may be milliseconds
      const usual = HALF * (WEIGHTS.fixed + (1 - WEIGHTS.fixed) * (page.size / length));
      points += share * (WEIGHTS.often * (often / (often + usual)) + WEIGHTS.heading * headed);
    }
    const phrases = new Map();
    for (const { share, found } of pairs) add(phrases, found.get(page.number) ?? [], share);
    points += WEIGHTS.phrase * Math.max(0, ...phrases.values());
    const fit = fits(page, terms);
    points += WEIGHTS.title * fit;
    const isAt = (page.number - from) / (to - from);
    points += (page.isObject ? WEIGHTS.known : WEIGHTS.early) * (1 - isAt);
    // The first piece of an object's page has its name and summary.
    points += page.isObject ? WEIGHTS.subject * (headings.get(0) ?? 0) ** COVERED : 0;
    points *= 1 - WEIGHTS.missing * (1 - has);
    // A result leads to the best piece.
    for (const [piece, counts] of phrases) places.set(piece, (places.get(piece) ?? 0) + counts);
    const best = [...places].sort((one, other) => other[1] - one[1] || one[0] - other[0]).map(([piece]) => piece);
    return { score: page.isTranslated ? points : points * WEIGHTS.untranslated, places: best.length ? best : [0], named, headed: Math.max(fit, ...headings.values()) };
  };

  // Returns the sequences of adjacent small words in a run, which are no phrases: 是什么.
  const rowsOfSmall = (words, isSmall) => words.map((word) => (isSmall(word) ? word : " ")).join("").split(" ").filter(Boolean);

  // Analyses a query: all runs, the significant ones, terms, entries of phrases, and possible titles.
  const understood = (query, known) => {
    const all = runs(query).filter((run) => toAsked(run).entries.length);
    const isSmall = smallIn(all);
    const cuts = all.map((run) => cut(run, known.words));
    const words = cuts.flatMap((parts, number) => parts.map((word) => ({ word, number, isAll: parts.length === 1 })));
    const telling = all.filter((run) => !isSmall(run));
    const small = new Set(telling.length ? cuts.flatMap((parts) => rowsOfSmall(parts, isSmall)).flatMap((row) => toAsked(row).entries) : []);
    const entries = [...new Set(all.flatMap((run) => toAsked(run).entries))].filter((entry) => !small.has(entry));
    const subject = cuts.map((parts) => parts.filter((word) => !isSmall(word)).join("")).filter(Boolean).join(" ");
    return { all, told: telling.length ? telling : all, small, terms: toTerms(all, words, known, isSmall), entries, titles: [all.join(" "), subject].filter(Boolean) };
  };
  // Guides and pages of objects have different words: a word that is rare in guides may be in most docstrings.
  const weighed = (terms, pairs, pages, from, to) => {
    const rarity = (found) => rarityOf(countIn(found, from, to), to - from);
    const ofTerms = shares(terms.map((term) => rarity(term.found) * (isKnown(term) ? 1 : WEIGHTS.unknown)));
    const ofPairs = shares(pairs.map((found) => (countIn(found, from, to) ? rarity(found) : 0)));
    return {
      terms: terms.map((term, at) => ({ ...term, share: ofTerms[at] })),
      pairs: pairs.map((found, at) => ({ found, share: ofPairs[at] })),
      length: pages.slice(from, to).reduce((sum, { size }) => sum + size, 0) / Math.max(1, to - from),
      from,
      to,
    };
  };

  // — suggestions for unknown words: names and terms of similar spelling or sound —

  const MOST_MEANT = 3;
  const SHORTEST_MEANT = 3; // letters
  const mostSlips = (word) => (word.length < 6 ? 1 : 2);
  // Returns the number of letters to remove, add, change or swap with a neighbour to turn one word into the other.
  const slips = (one, other) => {
    let [before, last] = [[], Array.from({ length: other.length + 1 }, (_, at) => at)];
    for (let i = 1; i <= one.length; i++) {
      const row = [i];
      for (let j = 1; j <= other.length; j++) {
        row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + Number(one[i - 1] !== other[j - 1]));
        const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
        if (isSwapped) row[j] = Math.min(row[j], before[j - 2] + 1);
      }
      [before, last] = [last, row];
    }
    return last[other.length];
  };
  // Returns the distance of two words, Infinity if they are too different. Words with the same first letter are closer.
  const distance = (asked, word) => {
    const most = mostSlips(asked);
    if (Math.abs(asked.length - word.length) > most) return Infinity;
    const count = slips(asked, word);
    return count > most ? Infinity : count + Number(asked[0] !== word[0]) / 2;
  };
  // Returns the distance of a query from the pronunciation of a term, such as xiang liang hua. The query may be all of it, its initials, its beginning or another part, or have a slip.
  const distanceOfReading = (asked, reading) => {
    const syllables = reading.split(" ");
    const whole = syllables.join("");
    if (whole === asked) return 0;
    if (syllables.map(([letter]) => letter).join("") === asked) return 0.5;
    if (asked.length > SHORTEST_MEANT && syllables.some((_, at) => syllables.slice(at).join("").startsWith(asked))) return whole.startsWith(asked) ? 0.6 : 0.7;
    const far = distance(asked, whole);
    return asked.length > 5 && far < 2 ? far : Infinity;
  };
  const nearest = (rows) => rows.filter(([far]) => far < Infinity).sort(([one], [other]) => one - other).slice(0, MOST_MEANT);

  // Returns suggested queries, closest first: the query with unknown words replaced by names, and terms that sound like the query.
  const meantBy = async (all, unknown) => {
    const { names, terms } = await load("hints");
    const known = names.split(" ");
    const parts = unknown.flatMap((run) => run.split(".")).filter((part) => part.length >= SHORTEST_MEANT && !known.includes(part));
    const typed = all.join("");
    const rows = typed.length < SHORTEST_MEANT ? [] : terms.map(([term, reading]) => [distanceOfReading(typed, reading) + term.length / 100, term]);
    for (const part of parts) {
      const near = known.map((name) => [distance(part, name), name]);
      const instead = (run, name) => run.split(".").map((word) => (word === part ? name : word)).join(".");
      for (const [far, name] of nearest(near)) rows.push([far, all.map((run) => instead(run, name)).join(" ")]);
    }
    return [...new Set(nearest(rows).map(([, query]) => query))];
  };

  // Returns the pages for a query, best first. ``isPart``: the page matches only a part of the query. ``isOther``: the page matches other words, such as synonyms. ``words`` are the runs, ``marks`` everything that was searched for, ``meant`` the suggestions.
  const find = async (query) => {
    const known = await open();
    const { pages, guides } = known;
    const { all, told, small, titles, ...sought } = understood(query, known);
    if (!all.length) return { words: [], marks: [], isPaired: false, results: [], meant: [] };
    looked.clear();
    const [asIs, pairs, terms] = await Promise.all([
      Promise.all(told.map((run) => lookForRun(toAsked(run), small))),
      Promise.all(sought.entries.map((entry) => look(entry, false))),
      Promise.all(sought.terms.map((term) => lookForTerm(term, guides))),
    ]);
    await new Promise((done) => setTimeout(done)); // let the browser handle keys pressed meanwhile
    const ofGuides = weighed(terms, pairs, pages, 0, guides);
    const ofObjects = weighed(terms, pairs, pages, guides, pages.length);
    // If the query is a single run that some page has as it is, pages that have only its words are close matches.
    const isText = all.length === 1 && asIs[0].size > 0 && !terms.some(({ forms }) => forms[0].asked[0].run === all[0]);
    const hasWords = (number, run) => !isText && terms.every(({ numbers, whole }) => whole.has(number) || !numbers.includes(all.indexOf(run)));
    const found = new Set([...asIs, ...terms.map((term) => term.found)].flatMap((places) => [...places.keys()]));
    const results = [...found].map((number) => ({
      page: pages[number],
      isPart: !told.every((run, at) => asIs[at].has(number) || hasWords(number, run)),
      isOther: !asIs.every((places) => places.has(number)),
      ...score(pages[number], pages[number].isObject ? ofObjects : ofGuides),
    }));
    // A query in words that mean a name, such as 求梯度, may ask for explanations.
    const isName = told.length === all.length && !all.some((run) => IS_UNSPACED.test(run));
    // The names of the query, with their modules spelled out: jnp.sum → jax.numpy.sum.
    const spelled = terms.flatMap(({ forms }) => forms.filter((form) => form.isSpelled).flatMap((form) => form.words));
    const marks = [...told, ...terms.flatMap(({ forms }) => forms.flatMap((form) => form.asked.map(({ run }) => run)))];
    // Runs of three or more characters are found by pairs, which may be apart within a piece.
    const isPaired = all.length === 1 && IS_UNSPACED.test(all[0]) && [...all[0]].length > 2;
    const unknown = told.filter((run, at) => !asIs[at].size && !terms.some(({ numbers, whole }) => whole.size && numbers.includes(all.indexOf(run))));
    const meant = unknown.length ? await meantBy(all, unknown) : [];
    return { words: [...told, ...spelled], marks, isPaired, results: ranked(results, { titles, isText, isMany: terms.length > 1, names: isName ? namesIn(query) : [], asksWhy: REASONS.some((word) => query.toLowerCase().includes(word)) }), meant };
  };

  // Sorts the results. First comes the object that the query names, then pages whose title is the query, then other objects of that name (if there are none, guides that list the name). All others follow by score. Partial matches are shown if the query has several terms, or if few pages match the whole query. ``names`` are the words of the query if all of them may be names.
  const ranked = (results, { titles, isText, isMany, names, asksWhy }) => {
    const isDocumented = results.some(({ named }) => named > 1);
    const hasObject = isDocumented && names.length > 0;
    const isNamed = ({ named, page }) => (isDocumented ? hasObject && named > 1 : named > 0 && !page.isObject);
    const isIt = ({ page }) => Number(titles.some((title) => page.titles.includes(title)));
    const isFirst = (one) => 4 * isIt(one) + 2 * Number(isNamed(one)) + Number(isText && !one.isPart);
    // Of objects of one name, those that are spelled as in the query come first (Array, not array). The others are sorted by number: an object that more guides mention has a lower number.
    const isSpelled = ({ page }) => Number(page.isObject && names.some((name) => `.${page.title}`.endsWith(`.${name}`)));
    const byName = (one, other) => Number(other.page.isObject) - Number(one.page.isObject) || isSpelled(other) - isSpelled(one) || one.page.number - other.page.number;
    results.sort((one, other) => isFirst(other) - isFirst(one) || (hasObject && isNamed(one) && byName(one, other)) || other.score - one.score || one.page.number - other.page.number);
    if (hasObject) results.unshift(...results.splice(results.findIndex(isNamed), 1));
    if (hasObject) results = alternated(results, () => 0);
    else results = alternated(results, asksWhy ? () => FIRST : guidesBefore);
    const similar = results.filter(({ isPart }) => isPart);
    const areShown = (isMany && !isText) || results.length - similar.length < FEW;
    const close = new Set(similar.slice(0, areShown ? MOST_SIMILAR : 0));
    return results.filter((one) => !one.isPart || close.has(one));
  };

  // Returns how many guides come before the first object: BETWEEN, unless the object scores much better. In that case, one guide if the heading of a guide has the query, otherwise none.
  const guidesBefore = (object, guides) => {
    if (object.isPart > guides[0].isPart || object.score < LEAD * guides[0].score) return BETWEEN;
    return guides.slice(0, FIRST).some(({ headed }) => headed >= APT) ? 1 : 0;
  };
  // Puts guides before and behind each object as long as they match well enough: some readers want to learn, others to look up.
  const alternated = (results, before) => {
    const objects = results.filter(({ page }) => page.isObject);
    const guides = results.filter(({ page }) => !page.isObject);
    if (!objects.length || !guides.length) return results;
    const places = new Map(results.map((one, at) => [one, at]));
    const all = [];
    let between = before(objects[0], guides); // guides that come before the next object
    while (objects.length && guides.length) {
      const [object, guide] = [objects[0], guides[0]];
      const isGuidesTurn = between > 0 && guide.isPart <= object.isPart;
      const isGuide = isGuidesTurn || places.get(guide) < places.get(object);
      all.push(isGuide ? guides.shift() : objects.shift());
      if (isGuide) between--;
      else between = BETWEEN;
    }
    return [...all, ...objects, ...guides];
  };

  // Returns a pattern for words in a text. Latin words match only at the start of a word, so that ffi does not match efficient. Dots are the only special characters of a run.
  const toPattern = (marks) => {
    const words = marks.map((word) => word.replace(/^\./, "").replaceAll(".", "\\."));
    words.sort((one, other) => other.length - one.length);
    return new RegExp(words.map((word) => (/^\w/.test(word) ? `(?<![a-z0-9])${word}` : word)).join("|"), "giu");
  };

  Object.assign(jzSearch, { ROOT, find, load, open, runs, toPattern });
})();
