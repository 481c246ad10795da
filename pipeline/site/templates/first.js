(function (root) { // before the first paint, so that nothing flashes
  function kept(key) { try { return localStorage.getItem(key); } catch (denied) { return null; } }
  var view = kept("jz-view");
  root.dataset.jzView = view === "both" || view === "en" ? view : "zh";
  root.dataset.mode = kept("mode") || "auto";
  root.dataset.theme = kept("theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
})(document.documentElement);
