(function (root) { // before the first paint, so that nothing flashes
  try { localStorage.setItem("jz-kept", "1"); } catch (denied) { // scripts of the theme use localStorage unconditionally, so a replacement is needed
    var memory = {};
    Object.defineProperty(window, "localStorage", { value: {
      getItem: function (key) { return key in memory ? memory[key] : null; },
      setItem: function (key, value) { memory[key] = String(value); },
      removeItem: function (key) { delete memory[key]; },
    } });
  }
  var view = localStorage.getItem("jz-view");
  root.dataset.jzView = view === "both" || view === "en" ? view : "zh";
  root.dataset.mode = localStorage.getItem("mode") || "auto";
  var addresses = document.currentScript.dataset.scripts.split(" ");
  // Load the scripts in order when the page is parsed. Then repeat the event for those that wait for it.
  document.addEventListener("DOMContentLoaded", function () {
    var waiting = addresses.length;
    addresses.forEach(function (address) {
      var script = Object.assign(document.createElement("script"), { src: address, async: false });
      script.onload = script.onerror = function () { if (!--waiting) document.dispatchEvent(new Event("DOMContentLoaded")); };
      document.head.append(script);
    });
  }, { once: true });
  root.dataset.theme = localStorage.getItem("theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
})(document.documentElement);
