// The progress page: makes its table sortable. Numbers sort in descending order first; page names restore the order of the contents.
"use strict";
(() => {
  const table = document.querySelector(".jz-table");
  if (!table) return;
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  const value = (row, column) => Number(row.cells[column].dataset.value);
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const order = column === 0 ? "none" : head.getAttribute("aria-sort") === "descending" ? "ascending" : "descending";
      for (const other of heads) other.removeAttribute("aria-sort");
      if (order !== "none") head.setAttribute("aria-sort", order);
      const sign = order === "descending" ? -1 : 1;
      body.append(...(order === "none" ? rows : rows.toSorted((one, two) => sign * (value(one, column) - value(two, column)))));
    });
  });
})();
