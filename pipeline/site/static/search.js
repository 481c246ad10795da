// The search: what a query asks for, and the pages that have it, best first. search-box.js shows them.
// The index lies in _search as scripts that call jzSearch(name, data), so that it can be read from a folder, too; a query loads the few that it needs.
// How texts are taken apart is told in pipeline/site/search/pieces.py, what is in the files in index.py: queries are taken apart by the same rules.
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
      const names = toNames(index.names);
      return { ...index, pages: index.pages.map(toPage), names, modules: toNames(index.modules), owners: new Map(Object.entries(index.owners)), words: new Map([...names, ...toWords(index.synonyms)]) };
    }, (error) => { contents = undefined; throw error; });
    return contents;
  };
  const toPage = ([name, title, english, isTranslated, size, starts], number) => {
    const titles = [title, english, name].map((text) => runs(text).join(" ")).filter(Boolean);
    return { number, name, title, english, isTranslated, size, starts, titles };
  };
  // Names of other frameworks: torch.where is jax.numpy.where. They ask for ours, and ours not for them.
  const toNames = (rows) => new Map(Object.entries(rows).map(([name, others]) => [name, others.split(" ")]));
  // By what may be asked: what else is looked for. An English word asks for its renderings, and these for the English; 显存 asks for 内存, which does not ask for it.
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

  // — weights, chosen by the questions of tests/site/search/ —

  const WEIGHTS = {
    // What a page gets if all words of a query stand there as well as they can.
    often: 3, // in its text, many times for its length: a page on a thing repeats its name
    title: 2, // in its title: it is the page on it
    early: 1.5, // readers meet it first: of pages that say the same, they want the one that leads on to others
    phrase: 1, // side by side in one piece, small words as well: 类的方法 is not 类 and 方法 somewhere
    heading: 1, // in a heading: a part of the page is on it
    // Shares of that.
    explained: 0.2, // of a heading: a name in a list of names, which explains less than what is headed by it
    synonym: 0.8, // of a word: its rendering may have other senses
    apart: 0.3, // of a term whose words stand in different pieces
    begun: 0.5, // of a word: a longer one that begins so
    module: 0.5, // of a title: a dotted name is of the module that is the title, an argument of the name in it
    last: 0.4, // of a dotted name: scan for lax.scan
    unknown: 0.6, // of a Chinese word that no list of terms has: it may be rare, but most of them are chatter
    missing: 0.3, // taken from a page that has none of the words, in part if it has some
    untranslated: 0.6, // of what a page has: it is in English
    wordy: 0.4, // of a title: it says much else besides
    text: 0.6, // of a heading: of two pieces the one with the heading is where a result leads to
    fixed: 0.3, // of what counts as often: it is so for a short page, too
  };
  const RARITY = 0.5; // power of the rarity of words: most rare words of a question are chatter
  const HALF = 3; // a word that stands so often on a page of usual length is half of what counts
  const MOST_OTHERS = 3;
  const MOST_SIMILAR = 20;
  const FEW = 5; // results, below which pages are shown that have only a part of what was asked for
  const MOST_SHELVES = 4; // that the beginning of a word is looked for on

  // — places: by page, by piece, how often an entry stands there, how much of a heading it is, and whether it is a name that is explained there —

  // As the index marks them: in a heading, as both that and a name that is explained, as such a name, as a part of one, many times, only in asides.
  const MARKS = { h: [2.5, 1, 0], b: [2.5, 1, 1], d: [2.5, WEIGHTS.explained, 1], n: [2.5, WEIGHTS.explained, 0], m: [2.5, 0, 0], a: [0.1, 0, 0] };
  // Who asks for a dotted name, jnp.sum, wants it explained; who asks for a word may want to read about it.
  const MARKS_OF_DOTTED = { ...MARKS, d: [2.5, 1, 1], n: MARKS.h };
  const UNMARKED = [1, 0, 0];
  const ABSENT = [0, 0, 0];

  const better = (one, other) => one.map((number, at) => Math.max(number, other[at]));
  // Only a whole name, as it was asked for, is explained.
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

  // Within a query the same entry is looked for as a part of it all, of a word and of a phrase.
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

  // Pieces that have all entries: there the run stands as it was asked for.
  // Those of small words, which nothing else needs, are not loaded if the others meet nowhere.
  const lookForRun = async ({ entries, isOpen }, small = new Set()) => {
    const lookForEntries = (some) => Promise.all(some.map((entry) => look(entry, isOpen && entry === entries.at(-1))));
    const meet = (all) => all.reduce((found, others) => shared(found, others, sharedPieces));
    const telling = entries.filter((entry) => !small.has(entry));
    if (!telling.length) return meet(await lookForEntries(entries));
    const found = meet(await lookForEntries(telling));
    const rest = found.size ? entries.filter((entry) => small.has(entry)) : [];
    return meet([found, ...(await lookForEntries(rest))]);
  };
  // Pages that have all runs: best where one piece has them.
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
      // The last entry is the one that tells names apart.
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

  // What asks and says nothing, in English and in the language of the site. Its particles are no parts of words that the browser does not know, either.
  const SMALL = "how what why when where which who is are do does did can could should i my me we to the a an of in on for with and or not it be this that own use using from have has there any some about between";
  const wordsIn = (list) => list.split(" ").filter(Boolean);
  const APART = new Set(wordsIn(jzWords.search.particles));
  const STOPS = new Set([...APART, ...wordsIn(jzWords.search.small), ...wordsIn(SMALL)]);
  // 什么是 and 自己写 are small words in a row.
  const isSmallAnywhere = (word) => STOPS.has(word) || (IS_UNSPACED.test(word) && [...word].some((_, at) => at && STOPS.has(word.slice(0, at)) && isSmallAnywhere(word.slice(at))));
  // Beside Chinese no English word is small: where is a name there.
  const smallIn = (all) => {
    const isMixed = all.some((run) => IS_UNSPACED.test(run));
    return (word) => isSmallAnywhere(word) && (!isMixed || IS_UNSPACED.test(word));
  };
  const FRAMEWORKS = new Set(wordsIn("pytorch torch tensorflow tf numpy np"));
  const LONGEST_TERM = 8; // letters
  const MOST_RUNS = 4; // of a term

  const segmenter = Intl.Segmenter && new Intl.Segmenter("zh", { granularity: "word" });
  const firstWord = (run) => (segmenter ? segmenter.segment(run).containing(0).segment : run);
  const isLetter = (word) => IS_UNSPACED.test(word) && [...word].length === 1;

  // The words of a run: those that have synonyms, and of the rest what the browser takes for words.
  const cut = (run, synonyms) => {
    if (!IS_UNSPACED.test(run)) return [run];
    const words = [];
    let isLoose = false; // the last one: a letter that is left alone
    for (let rest = run; rest; ) {
      let length = Math.min(LONGEST_TERM, rest.length);
      while (length && !synonyms.has(rest.slice(0, length))) length--;
      const word = length ? rest.slice(0, length) : firstWord(rest);
      rest = rest.slice(word.length);
      // Two of them make a word that the browser does not know: 调 and 用.
      const fits = !length && isLetter(word) && !APART.has(word);
      const isRest = fits && isLoose;
      words.push(isRest ? words.pop() + word : word);
      isLoose = fits && !isRest && !STOPS.has(word);
    }
    return words;
  };

  // What a query is about: words and terms, each in all forms that are looked for, with the numbers of its runs.
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
    // A run of which nothing is left is looked for as it is, if it is more than a small word.
    all.forEach((word, number) => {
      const isLost = !terms.some(({ numbers }) => numbers.includes(number));
      if (isLost && !isSmall(word)) terms.push({ ...toTerm([{ word, number }], []), word });
    });
    // Beside a name of a framework the framework says nothing: what is backward of PyTorch in JAX?
    const isForeign = ({ word }) => known.names.has(word) || known.names.has(lastOf(word));
    const telling = terms.some(isForeign) ? terms.filter(({ word }) => !FRAMEWORKS.has(word)) : terms;
    return telling.length ? telling : all.map((word, number) => toTerm([{ word, number }], []));
  };
  // The last part of a dotted name; of any other word nothing.
  const lastOf = (word) => (word.includes(".") ? word.slice(word.lastIndexOf(".") + 1) : "");
  // jnp.sum is jax.numpy.sum, and torch.nn.functional.relu is jax.nn.relu: the longest module that is known counts.
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
    // What a name is called here says more than a part of it.
    const last = others.length ? "" : lastOf(words[0]);
    if (words.length === 1 && last.length > 2) forms.push({ words: [last], weight: WEIGHTS.last, isPart: true });
    const asked = forms.map((form) => ({ ...form, asked: form.words.map(toAsked).filter(({ entries }) => entries.length) }));
    return { numbers: own.map(({ number }) => number), forms: asked.filter((form) => form.asked.length) };
  };

  // — ranking —

  // The places of a term in any of its forms; ``whole`` are the pages that have more than a part of it.
  const lookForTerm = async ({ numbers, forms, owner }) => {
    const all = await Promise.all(forms.map(({ asked }) => lookForAll(asked)));
    const found = new Map();
    const whole = new Set();
    const used = forms.map((form, at) => {
      // What the site says more often than what was asked for is its word for it.
      const weight = form.isOther && all[at].size > all[0].size ? 1 : form.weight;
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

  // How rare something is, of what is found for it.
  const rarityOf = ({ size }, pages) => Math.log(1 + (pages.length - size + 0.5) / (size + 0.5)) ** RARITY;
  const isKnown = ({ forms: [own, ...others] }) => others.length > 0 || !IS_UNSPACED.test(own.words[0]);
  // Numbers as shares of their sum.
  const shares = (numbers) => {
    const sum = Math.max(1, numbers.reduce((all, one) => all + one, 0)); // of words that all pages have nothing is asked
    return numbers.map((one) => one / sum);
  };

  const isIn = (title, run) => title.includes(run) && (IS_UNSPACED.test(run) || ` ${title} `.replaceAll(".", " ").includes(` ${run.replaceAll(".", " ")} `));
  // jax.lax is the page of lax.scan.
  const isModule = (title, { asked: [{ run }] }) => run.includes(".") && `.${title}`.endsWith(`.${run.slice(0, run.lastIndexOf("."))}`);
  const lettersOf = (asked) => asked.reduce((count, { run }) => count + run.length, 0);
  // How well a title fits: 1 if it is what was asked for, less if it says more or if something is missing.
  const fits = (page, terms) => Math.max(...page.titles.map((title) => {
    let all = 0;
    let letters = 0;
    for (const { share, forms, owner } of terms) {
      // JIT compilation is the page of static_argnums, an argument of jit.
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

  // Adds to the pieces of a page how much of a query they have.
  const add = (into, pieces, share) => {
    for (const [piece, [often, headed]] of pieces) into.set(piece, (into.get(piece) ?? 0) + share * Math.max(headed, WEIGHTS.text * Math.min(1, often)));
  };

  // How much a page has to do with a query, and the pieces of it that have most.
  const score = (page, pages, { terms, pairs, length }) => {
    const places = new Map();
    let isNamed = false;
    let points = 0;
    let has = 0;
    for (const { share, found } of terms) {
      const pieces = found.get(page.number);
      if (!pieces) continue;
      add(places, pieces, share);
      const all = [...pieces.values()];
      const often = all.reduce((sum, [counts]) => sum + counts, 0);
      const headed = Math.max(...all.map(([, one]) => one));
      if (terms.length === 1) for (const [piece, [, , explained]] of pieces) {
        isNamed ||= explained > 0;
        places.set(piece, places.get(piece) + explained);
      }
      has += share * Math.min(1, often); // what stands only in asides says little: a 1.26 that code printed may be milliseconds
      const usual = HALF * (WEIGHTS.fixed + (1 - WEIGHTS.fixed) * (page.size / length));
      points += share * (WEIGHTS.often * (often / (often + usual)) + WEIGHTS.heading * headed);
    }
    const phrases = new Map();
    for (const { share, found } of pairs) add(phrases, found.get(page.number) ?? [], share);
    points += WEIGHTS.phrase * Math.max(0, ...phrases.values());
    points += WEIGHTS.title * fits(page, terms);
    points += WEIGHTS.early * (1 - page.number / pages.length);
    points *= 1 - WEIGHTS.missing * (1 - has);
    // A result leads to the piece that has most.
    for (const [piece, counts] of phrases) places.set(piece, (places.get(piece) ?? 0) + counts);
    const best = [...places].sort((one, other) => other[1] - one[1] || one[0] - other[0]).map(([piece]) => piece);
    return { score: page.isTranslated ? points : points * WEIGHTS.untranslated, places: best.length ? best : [0], isNamed };
  };

  // Small words of a run that stand in a row: 是什么 is no phrase.
  const rowsOfSmall = (words, isSmall) => words.map((word) => (isSmall(word) ? word : " ")).join("").split(" ").filter(Boolean);

  // A query taken apart: its runs as they stand, those that say something, its terms, the entries of its phrases, and what may be the title of a page.
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
  const weighed = (terms, pairs, pages) => {
    const ofTerms = shares(terms.map((term) => rarityOf(term.found, pages) * (isKnown(term) ? 1 : WEIGHTS.unknown)));
    const ofPairs = shares(pairs.map((found) => (found.size ? rarityOf(found, pages) : 0)));
    return {
      terms: terms.map((term, at) => ({ ...term, share: ofTerms[at] })),
      pairs: pairs.map((found, at) => ({ found, share: ofPairs[at] })),
      length: pages.reduce((sum, { size }) => sum + size, 0) / pages.length,
    };
  };

  // — what may have been meant by words that stand nowhere: names and terms that are written or read nearly so —

  const MOST_MEANT = 3;
  const SHORTEST_MEANT = 3; // letters
  const mostSlips = (word) => (word.length < 6 ? 1 : 2);
  // How many letters have to be left out, added, changed or swapped with their neighbour to make one word of another.
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
  // How far a word is from one that was asked for; what is too far is Infinity. Slips that keep the first letter are nearer.
  const distance = (asked, word) => {
    const most = mostSlips(asked);
    if (Math.abs(asked.length - word.length) > most) return Infinity;
    const count = slips(asked, word);
    return count > most ? Infinity : count + Number(asked[0] !== word[0]) / 2;
  };
  // The same for a term by how it is read, xiang liang hua: as a whole, by its first letters, how it begins, a part of it, or with a slip.
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

  // Queries that may have been meant, nearest first: the same one with names in the place of unknown words, and terms that are read as it was typed.
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

  // The pages for a query, best first. ``isPart``: they do not have all that was asked for; ``isOther``: they have it in other words. ``words`` are the runs, ``marks`` all that was looked for, ``meant`` the queries that may have been meant.
  const find = async (query) => {
    const known = await open();
    const { pages } = known;
    const { all, told, small, titles, ...sought } = understood(query, known);
    if (!all.length) return { words: [], marks: [], isPaired: false, results: [], meant: [] };
    looked.clear();
    const [asIs, pairs, terms] = await Promise.all([
      Promise.all(told.map((run) => lookForRun(toAsked(run), small))),
      Promise.all(sought.entries.map((entry) => look(entry, false))),
      Promise.all(sought.terms.map(lookForTerm)),
    ]);
    await new Promise((done) => setTimeout(done)); // keys that were pressed meanwhile come first
    const weights = weighed(terms, pairs, pages);
    // One run that stands somewhere as it is may be a part of any text: what has its words only comes close.
    const isText = all.length === 1 && asIs[0].size > 0 && !terms.some(({ forms }) => forms[0].asked[0].run === all[0]);
    const hasWords = (number, run) => !isText && terms.every(({ numbers, whole }) => whole.has(number) || !numbers.includes(all.indexOf(run)));
    const found = new Set([...asIs, ...terms.map((term) => term.found)].flatMap((places) => [...places.keys()]));
    const results = [...found].map((number) => ({
      page: pages[number],
      isPart: !told.every((run, at) => asIs[at].has(number) || hasWords(number, run)),
      isOther: !asIs.every((places) => places.has(number)),
      ...score(pages[number], pages, weights),
    }));
    // The same names, written out.
    const spelled = terms.flatMap(({ forms }) => forms.filter((form) => form.isSpelled).flatMap((form) => form.words));
    const marks = [...told, ...terms.flatMap(({ forms }) => forms.flatMap((form) => form.asked.map(({ run }) => run)))];
    // Three letters and more are found by their pairs: these may stand apart in a piece.
    const isPaired = all.length === 1 && IS_UNSPACED.test(all[0]) && [...all[0]].length > 2;
    const unknown = told.filter((run, at) => !asIs[at].size && !terms.some(({ numbers, whole }) => whole.size && numbers.includes(all.indexOf(run))));
    const meant = unknown.length ? await meantBy(all, unknown) : [];
    return { words: [...told, ...spelled], marks, isPaired, results: ranked(results, { titles, isText, isMany: terms.length > 1 }), meant };
  };

  // A page whose title is just what was asked for, small words or not, comes before all others; then those that explain the name that was asked for: where is a word of English as well. Pages that have a part are shown where a query has many, or few pages have all.
  const ranked = (results, { titles, isText, isMany }) => {
    const isIt = ({ page }) => Number(titles.some((title) => page.titles.includes(title)));
    const isFirst = (one) => 4 * isIt(one) + 2 * Number(one.isNamed) + Number(isText && !one.isPart);
    results.sort((one, other) => isFirst(other) - isFirst(one) || other.score - one.score || one.page.number - other.page.number);
    const similar = results.filter(({ isPart }) => isPart);
    const areShown = (isMany && !isText) || results.length - similar.length < FEW;
    const close = new Set(similar.slice(0, areShown ? MOST_SIMILAR : 0));
    return results.filter((one) => !one.isPart || close.has(one));
  };

  // What finds words in a text. Latin ones are marked where a word begins, so that ffi is not in efficient. A run has no sign that says something in a pattern but dots.
  const toPattern = (marks) => {
    const words = marks.map((word) => word.replace(/^\./, "").replaceAll(".", "\\."));
    words.sort((one, other) => other.length - one.length);
    return new RegExp(words.map((word) => (/^\w/.test(word) ? `(?<![a-z0-9])${word}` : word)).join("|"), "giu");
  };

  Object.assign(jzSearch, { ROOT, find, load, open, runs, toPattern });
})();
