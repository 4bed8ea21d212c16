// Tables that sort, filter and export. The choices in a named table are kept in the address, so it can be shared:
// `data-sorts="games"` keeps `?games.sort=-3` (the third column, descending), `data-filters` adds `&games.has=boston`.
"use strict";

(function () {
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

  function value(row, column) {
    const cell = row.cells[column];
    return cell ? cell.dataset.value || cell.textContent.trim() : "";
  }

  // Parses figures as pages write them: 1,312 and +5 and 90.5 %.
  function figure(text) {
    const plain = text.replace(/(?<=\d),(?=\d{3})/g, "").replace(/\s*%$/, "").replace("−", "-");
    return plain === "" ? NaN : Number(plain);
  }

  function compare(a, b) {
    if (a === "" || b === "") return a === b ? 0 : a === "" ? 1 : -1;
    const x = figure(a), y = figure(b);
    return Number.isNaN(x) || Number.isNaN(y) ? collator.compare(a, b) : x - y;
  }

  function remember(table, part, text) {
    const name = table.dataset.sorts;
    if (!name) return;
    const address = new URL(location.href);
    if (text) address.searchParams.set(name + "." + part, text);
    else address.searchParams.delete(name + "." + part);
    history.replaceState(history.state, "", address);
  }

  function recall(table, part) {
    return table.dataset.sorts ? new URL(location.href).searchParams.get(table.dataset.sorts + "." + part) : null;
  }

  function sort(table, column, isUp) {
    const heads = table.tHead.rows[0].cells, body = table.tBodies[0];
    for (const other of heads) other.removeAttribute("aria-sort");
    heads[column].setAttribute("aria-sort", isUp ? "ascending" : "descending");
    const rows = Array.from(body.rows);
    rows.sort((a, b) => {
      const x = value(a, column), y = value(b, column), order = compare(x, y);
      return isUp || x === "" || y === "" ? order : -order; // empty cells are last either way
    });
    body.append(...rows);
  }

  function filter(table, words, said) {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean), rows = Array.from(table.tBodies[0].rows);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !wanted.every((word) => text.includes(word));
      if (!row.hidden) shown += 1;
    }
    said.textContent = wanted.length ? shown + " of " + rows.length + " rows" : rows.length + " rows";
  }

  function makeSortable(table) {
    const heads = table.tHead.rows[0].cells;
    for (const heading of heads) {
      if (!heading.textContent.trim()) continue; // a button needs a name
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...heading.childNodes);
      button.addEventListener("click", () => {
        const isUp = heading.getAttribute("aria-sort") !== "ascending", column = heading.cellIndex;
        sort(table, column, isUp);
        remember(table, "sort", (isUp ? "" : "-") + (column + 1));
      });
      heading.append(button);
    }
    const chosen = Number(recall(table, "sort"));
    if (chosen && Math.abs(chosen) <= heads.length) sort(table, Math.abs(chosen) - 1, chosen > 0);
  }

  function makeFilterable(table) {
    const bar = document.createElement("div"), label = document.createElement("label");
    const box = document.createElement("input"), said = document.createElement("span");
    bar.className = "filter";
    box.type = "search";
    box.placeholder = table.dataset.filters || "Filter";
    label.className = "out-of-sight";
    label.textContent = box.placeholder;
    box.id = "filter-" + table.dataset.sorts;
    label.htmlFor = box.id;
    said.className = "soft";
    said.setAttribute("role", "status");
    bar.append(label, box, said);
    (table.closest(".scroll") || table).before(bar);
    box.value = recall(table, "has") || "";
    box.addEventListener("input", () => { filter(table, box.value, said); remember(table, "has", box.value.trim()); });
    filter(table, box.value, said);
  }

  function prepare(root) {
    for (const table of root.querySelectorAll("table[data-sorts]:not([data-ready])")) {
      table.dataset.ready = "";
      if (table.dataset.filters !== undefined) makeFilterable(table);
      makeSortable(table);
    }
  }

  // A cell that a spreadsheet would run as a formula is exported as text; figures stay figures.
  function field(text) {
    const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? "'" + text : text;
    return /[",\r\n]/.test(safe) ? '"' + safe.replaceAll('"', '""') + '"' : safe;
  }

  function exportTable(button) {
    let around = button.dataset.of ? document.getElementById(button.dataset.of) : button.parentElement;
    while (around && !around.querySelector("table")) around = around.parentElement;
    const rows = Array.from(around.querySelector("table").rows).filter((row) => !row.hidden);
    const lines = rows.map((row) => Array.from(row.cells).map((cell) => field(cell.textContent.trim())).join(","));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(["\ufeff" + lines.join("\r\n") + "\r\n"], { type: "text/csv" }));
    link.download = (button.dataset.csv || "rows") + ".csv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-csv]");
    if (button) exportTable(button);
  });

  prepare(document);
  document.addEventListener("htmx:load", (event) => prepare(event.target.parentElement || event.target));
})();
