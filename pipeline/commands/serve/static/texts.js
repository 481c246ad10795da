// The words of the interface, in both languages. Keys are the names that index.html uses.

export const TEXTS = {
  zh: {
    title: "翻译工作台", pages: "页面", help: "帮助", search: "搜索本页…", filters: "筛选",
    choose: "选择一个页面", page: "页面", editor: "编辑", messages: "消息", english: "英文",
    translation: "译文", diff: "英文的改动", atoms: "原样保留的部分", save: "保存，下一条",
    draft: "存为草稿", fix: "自动修正", close: "关闭", findings: "检查", terms: "术语",
    suggestions: "相似的译文", notes: "注释", keys: "快捷键", none: "没有问题",
    conflict: "这一条已经被别处改过，文件里现在是：", takeTheirs: "用文件里的",
    keepMine: "用我写的覆盖", saved: "已保存", draftSaved: "已存为草稿", saving: "正在保存…",
    waiting: "另一个任务（sync 等）正在运行，等它结束就保存…", unsaved: "未保存",
    gone: "文件里已经没有这一条了。请先复制你写的译文，再重新打开页面。",
    changed: "文件在别处改过，页面已更新", nothingFixed: "没有可以自动修正的地方",
    done: "这个筛选里没有下一条了", lost: "连不上服务器：它还在终端里运行吗？你写的内容还在这里。",
    apart: "不显示在页面上", refused: "没有进入页面", empty: "没有符合条件的消息",
    progress: (done, all) => `已译 ${done} / ${all}`, count: (at, all) => `${at} / ${all}`,
    leave: "还有未保存的译文",
    filter: { all: "全部", open: "待译", fuzzy: "待改", draft: "草稿", findings: "有问题" },
    state: {
      translated: "已译", fuzzy: "英文改过", draft: "草稿", adopted: "采自别处",
      english: "未译", refused: "没有进入页面",
    },
    kind: {
      heading: "标题", paragraph: "段落", "list item": "列表项", "table cell": "表格",
      quote: "引用", footnote: "脚注", "definition term": "术语", definition: "定义",
      admonition: "提示框", "directive title": "指令标题", caption: "图表标题",
      html: "HTML", "image text": "图片文字",
    },
    severity: { error: "错误", warning: "警告", note: "建议" },
    key: {
      move: "上一条、下一条", open: "下一条、上一条待处理的", enter: "编辑", save: "保存并到下一条",
      draft: "存为草稿", atom: "插入第 n 个原样保留的部分", atoms: "插入下一个还没写的",
      suggestion: "使用第 n 个相似的译文", copy: "复制英文", fix: "自动修正", close: "关闭编辑",
      filters: "切换筛选", search: "搜索", pages: "页面列表", help: "这个窗口", language: "中文 / English",
    },
  },
  en: {
    title: "Workbench", pages: "Pages", help: "Help", search: "Search this page…", filters: "Filters",
    choose: "Choose a page", page: "Page", editor: "Editor", messages: "Messages", english: "English",
    translation: "Translation", diff: "What changed in the English", atoms: "Keep as they are",
    save: "Save, next", draft: "Save as draft", fix: "Fix", close: "Close", findings: "Checks",
    terms: "Terms", suggestions: "Similar translations", notes: "Notes", keys: "Keys",
    none: "nothing is wrong",
    conflict: "Somebody else has changed this entry. The file now says:", takeTheirs: "Take theirs",
    keepMine: "Replace it with mine", saved: "saved", draftSaved: "saved as a draft", saving: "saving…",
    waiting: "a run (sync or another) is at work: this is saved when it ends…", unsaved: "not saved",
    gone: "The file has no such entry any more. Copy what you wrote, then reload the page.",
    changed: "the file was changed elsewhere: the page is up to date", nothingFixed: "nothing to fix",
    done: "no more with this filter",
    lost: "The server does not answer: is it still running in its terminal? What you wrote is still here.",
    apart: "not seen on the page", refused: "left out of the page", empty: "no message fits",
    progress: (done, all) => `${done} of ${all} translated`, count: (at, all) => `${at} of ${all}`,
    leave: "some translations are not saved",
    filter: { all: "All", open: "Open", fuzzy: "Fuzzy", draft: "Drafts", findings: "Findings" },
    state: {
      translated: "translated", fuzzy: "English changed", draft: "draft", adopted: "adopted",
      english: "untranslated", refused: "left out of the page",
    },
    kind: {},
    severity: { error: "error", warning: "warning", note: "note" },
    key: {
      move: "previous, next message", open: "next, previous open one", enter: "edit",
      save: "save and go to the next", draft: "save as a draft", atom: "insert the n-th part to keep",
      atoms: "insert the next one that is missing", suggestion: "take the n-th similar translation",
      copy: "copy the English", fix: "fix what needs no judgement", close: "close the editor",
      filters: "change the filter", search: "search", pages: "list of pages", help: "this window",
      language: "中文 / English",
    },
  },
};

// What the help lists: keys, and the name of what they do.
export const KEYS = [
  ["↓ ↑ · j k", "move"], ["n p", "open"], ["⏎", "enter"], ["Ctrl ⏎", "save"], ["Alt D", "draft"],
  ["Alt 1…9", "atom"], ["Alt A", "atoms"], ["Alt Shift 1…5", "suggestion"], ["Alt C", "copy"],
  ["Alt X", "fix"], ["Esc", "close"], ["1 2 3 4 5", "filters"], ["/", "search"], ["g", "pages"],
  ["l", "language"], ["?", "help"],
];
