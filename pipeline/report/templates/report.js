"use strict";
(() => {
  const form = document.getElementById("filter");
  if (!form) return;
  const rows = [...document.querySelectorAll("table.pages tbody tr")];
  const count = document.getElementById("shown");
  const show = () => {
    const words = form.elements.words.value.trim().toLowerCase();
    const state = form.elements.state.value;
    let shown = 0;
    for (const row of rows) {
      const fits = (!state || row.dataset.state === state) && row.dataset.words.toLowerCase().includes(words);
      row.hidden = !fits;
      shown += fits;
    }
    count.textContent = `${shown} of ${rows.length}`;
  };
  form.hidden = false;
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  const reveal = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target && target.hidden) { form.reset(); show(); target.scrollIntoView(); }
  };
  addEventListener("hashchange", reveal);
  show();
})();
