// What MathJax is told before it begins: where formulas stand, and no menu, which would fetch parts of it that are not copied.
// A formula is words: it leads nowhere, has no looks or names of its own, and loads no more of MathJax.
window.MathJax = {
  loader: { load: ["ui/safe"] },
  options: {
    enableMenu: false,
    processHtmlClass: "tex2jax_process|mathjax_process|math|output_area",
    safeOptions: { allow: { URLs: "none", classes: "none", cssIDs: "none", styles: "none" } },
  },
  tex: { packages: { "[-]": ["require"] } },
};
