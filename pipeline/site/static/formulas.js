// Configuration of MathJax: which elements have formulas. There is no menu, because the menu would fetch parts that are not copied.
// A formula must not contain links, styles or ids, or load further parts of MathJax.
window.MathJax = {
  loader: { load: ["ui/safe"] },
  options: {
    enableMenu: false,
    processHtmlClass: "tex2jax_process|mathjax_process|math|output_area",
    safeOptions: { allow: { URLs: "none", classes: "none", cssIDs: "none", styles: "none" } },
  },
  tex: { packages: { "[-]": ["require"] } },
};
