// What MathJax is told before it begins: where formulas stand, and no menu, which would fetch parts of it that are not copied.
window.MathJax = { options: { enableMenu: false, processHtmlClass: "tex2jax_process|mathjax_process|math|output_area" } };
