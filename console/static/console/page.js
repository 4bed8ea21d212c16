// Small things of every page: tables that sort and export, buttons that fill and copy, Enter that sends.
"use strict";

(function () {
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

  function value(row, column) {
    return row.cells[column] ? row.cells[column].textContent.trim() : "";
  }

  function compare(a, b) {
    if (a === "" || b === "") return a === b ? 0 : a === "" ? 1 : -1;
    const x = Number(a), y = Number(b);
    return Number.isNaN(x) || Number.isNaN(y) ? collator.compare(a, b) : x - y;
  }

  function sort(heading) {
    const table = heading.closest("table"), body = table.tBodies[0];
    const isUp = heading.getAttribute("aria-sort") !== "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", isUp ? "ascending" : "descending");
    const rows = Array.from(body.rows);
    rows.sort((a, b) => {
      const order = compare(value(a, heading.cellIndex), value(b, heading.cellIndex));
      return isUp ? order : -order;
    });
    body.append(...rows);
  }

  function makeSortable(root) {
    for (const table of root.querySelectorAll("table[data-sorts]:not([data-ready])")) {
      table.dataset.ready = "";
      for (const heading of table.tHead.rows[0].cells) {
        const button = document.createElement("button");
        button.type = "button";
        button.className = "sort";
        button.append(...heading.childNodes);
        button.addEventListener("click", () => sort(heading));
        heading.append(button);
      }
    }
  }

  // A cell that a spreadsheet would run as a formula is kept as text; figures stay figures.
  function field(text) {
    const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? "'" + text : text;
    return /[",\r\n]/.test(safe) ? '"' + safe.replaceAll('"', '""') + '"' : safe;
  }

  function exportTable(button) {
    let around = button.parentElement;
    while (around && !around.querySelector("table")) around = around.parentElement;
    const rows = Array.from(around.querySelector("table").rows);
    const lines = rows.map((row) => Array.from(row.cells).map((cell) => field(cell.textContent.trim())).join(","));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(["\ufeff" + lines.join("\r\n") + "\r\n"], { type: "text/csv" }));
    link.download = (button.dataset.csv || "rows") + ".csv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  // A question that an answer offers is asked by a button, where there is a box to ask in.
  function makeAskable() {
    if (!document.getElementById("text")) return;
    for (const item of document.querySelectorAll(".answer li")) {
      const words = item.textContent.trim();
      if (item.firstElementChild || !words.endsWith("?") || words.length > 300) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "quiet small";
      button.dataset.fills = "text";
      button.textContent = words;
      item.replaceChildren(button);
    }
  }

  async function copy(button) {
    const text = document.getElementById(button.dataset.copies).textContent;
    const before = button.textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(document.getElementById(button.dataset.copies));
      button.textContent = "Selected: press Ctrl+C";
    }
    setTimeout(() => { button.textContent = before; }, 2000);
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.csv !== undefined) exportTable(button);
    if (button.dataset.copies) copy(button);
    if (button.dataset.fills) {
      const box = document.getElementById(button.dataset.fills);
      if (box) { box.value = button.textContent.trim(); box.focus(); }
    }
  });

  document.addEventListener("keydown", (event) => {
    const box = event.target;
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || !box.matches("[data-sends-on-enter]")) return;
    event.preventDefault();
    if (box.value.trim()) box.form.requestSubmit();
  });

  // What htmx cannot put in its place is said above it, in the words of the page that came instead.
  function say(near, words) {
    const old = document.getElementById("trouble");
    if (old) old.remove();
    const said = document.createElement("p");
    said.id = "trouble";
    said.className = "notice bad";
    said.setAttribute("role", "alert");
    said.textContent = words;
    near.before(said);
  }

  function place(event) {
    const target = event.detail.target;
    return target && target.isConnected && target !== document.body ? target : document.querySelector("main > *");
  }

  document.addEventListener("htmx:sendError", (event) => {
    say(place(event), "The server does not answer. Nothing was lost; try again in a moment.");
  });
  document.addEventListener("htmx:responseError", (event) => {
    const page = new DOMParser().parseFromString(event.detail.xhr.responseText, "text/html");
    const notice = page.querySelector("main .notice");
    say(place(event), notice ? notice.textContent.trim() : "That did not work. Load the page again, and try once more.");
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    const address = event.detail.xhr.responseURL;
    if (address && new URL(address).pathname === "/login/") {
      event.detail.shouldSwap = false;
      location.reload(); // logged out meanwhile: the page itself leads to log in, and back
      return;
    }
    const old = document.getElementById("trouble");
    if (old && event.detail.shouldSwap) old.remove();
  });

  makeSortable(document);
  makeAskable();
  document.addEventListener("htmx:load", (event) => {
    makeSortable(event.target.parentElement || event.target);
    makeAskable();
  });
})();
