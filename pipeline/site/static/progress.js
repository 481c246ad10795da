// The progress page: arrow keys in the map, a line that tells what is pointed at, a table that sorts.
"use strict";
(() => {
  const map = document.querySelector(".jz-map");
  if (!map) return;
  const tiles = [...map.querySelectorAll(".jz-tile a")];
  const detail = document.querySelector(".jz-detail");

  // — one stop of the Tab key for the whole map; the arrows move to the nearest tile in their direction —

  const middle = (tile) => {
    const box = tile.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  };
  const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const nearest = (from, [dx, dy]) => {
    const [x, y] = middle(from);
    let best = null;
    let least = Infinity;
    for (const tile of tiles) {
      const [tx, ty] = middle(tile);
      const along = (tx - x) * dx + (ty - y) * dy;
      const aside = Math.abs((tx - x) * dy + (ty - y) * dx);
      if (along > 1 && along + 2 * aside < least) [best, least] = [tile, along + 2 * aside];
    }
    return best;
  };
  const settle = (tile) => { for (const other of tiles) other.tabIndex = other === tile ? 0 : -1; };
  map.addEventListener("keydown", (event) => {
    const from = event.target.closest(".jz-tile a");
    if (!from || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = { Home: tiles[0], End: tiles.at(-1) }[event.key] ?? (DIRECTIONS[event.key] && nearest(from, DIRECTIONS[event.key]));
    if (!to) return;
    event.preventDefault();
    settle(to);
    to.focus();
  });
  settle(tiles[0]);

  // — what is pointed at, in words —

  const tell = (event) => {
    const tile = event.target.closest(".jz-tile a");
    if (tile) detail.textContent = tile.getAttribute("aria-label");
    if (tile && event.type === "focusin") settle(tile);
  };
  map.addEventListener("mouseover", tell);
  map.addEventListener("focusin", tell);

  // — the table, sorted by a column: numbers down first, names as they stand in the site —

  const table = document.querySelector(".jz-table");
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
