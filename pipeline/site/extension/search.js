/* Goes into Sphinx's language_data.js, which search.html loads behind searchtools.js. */

// A query in Chinese has no spaces. It is cut into the longest words of the index, from left to right: 函数变换 → 函数, 变换.
const jzIsWord = (word) => [Search._index.terms, Search._index.titleterms].some((terms) => Object.hasOwn(terms, word));
const jzCut = (text) => {
  if (!Search._index || jzIsWord(text)) return [text];
  const words = [];
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + 8);
    while (end > at + 1 && !jzIsWord(text.slice(at, end))) end--;
    if (end > at + 1) words.push(text.slice(at, end));
    at = end;
  }
  return words.length ? words : [text];
};
const jzParts = /\p{Script=Han}+|(?:(?!\p{Script=Han})[\p{Letter}\p{Number}_])+/gu;
splitQuery = (query) => (query.match(jzParts) || []).flatMap((text) => (/\p{Script=Han}/u.test(text) ? jzCut(text) : [text]));

// A result is put on the page as HTML. Sphinx has escaped the title of its page, but not that of the section behind it: page > section.
const jzEscape = (text) => text.replace(/[&<>"']/g, (mark) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" })[mark]);
const jzSearch = Search._performSearch;
Search._performSearch = (...words) =>
  jzSearch(...words).map(([page, title, ...rest]) => {
    const pageTitle = Search._index.titles[Search._index.docnames.indexOf(page)];
    const start = `${pageTitle} > `;
    if (!title.startsWith(start)) return [page, title, ...rest];
    const section = jzEscape(title.slice(start.length));
    return [page, section === pageTitle ? pageTitle : start + section, ...rest];
  });

// What is shown of a page is its text: no navigation, no buttons, and the English only where it was looked for.
Search.htmlToText = (html, anchor) => {
  const page = new DOMParser().parseFromString(html, "text/html");
  const article = page.querySelector("article") || page.body;
  const part = (anchor && article.querySelector(anchor)) || article;
  const english = /^[\x00-\x7f]*$/.test(new URLSearchParams(location.search).get("q") || "");
  part.querySelectorAll(`.headerlink, .jz-fresh, .jz-downloads, .jz-edit, script, style${english ? "" : ", .jz-en"}`).forEach((node) => node.remove());
  return part.textContent;
};

Documentation.addTranslations({
  messages: {
    "Search finished, found one page matching the search query.": ["找到 ${resultCount} 个页面。"],
    "Search finished, found ${resultCount} pages matching the search query.": ["找到 ${resultCount} 个页面。"],
    "Your search did not match any documents. Please make sure that all words are spelled correctly and that you've selected enough categories.":
      "没有找到。换一个词试试，中文和英文都可以。",
  },
  locale: "zh_CN",
  plural_expr: "0",
});
