// Every chart of a page: picture or table, and a download of either. `data-chart="name"` marks the chart, inside it
// `data-picture` the drawing and `data-rows` the table; a table elsewhere on the page is named by `data-rows="id"` on the
// chart. Without scripts both are there, one below the other.
"use strict";

(function () {
  const DRAWN = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "opacity",
    "font-family", "font-size", "font-weight", "text-anchor"];
  const SCALE = 2; // pixels of a PNG for one of the drawing's units

  function make(tag, words, attributes) {
    const element = document.createElement(tag);
    element.textContent = words;
    for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
    return element;
  }

  function save(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  function makeShape(tag, attributes) {
    const shape = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) shape.setAttribute(name, value);
    return shape;
  }

  // A copy without the sheet: its colours become attributes.
  function copyDrawing(drawing) {
    const copy = drawing.cloneNode(true);
    const originals = [drawing, ...drawing.querySelectorAll("*")], copies = [copy, ...copy.querySelectorAll("*")];
    originals.forEach((original, place) => {
      const style = getComputedStyle(original);
      for (const name of DRAWN) copies[place].setAttribute(name, style.getPropertyValue(name));
      copies[place].removeAttribute("class");
    });
    return copy;
  }

  // The drawings of a chart, one below the other on the page's own ground, as a file that stands alone.
  function write(picture) {
    const drawings = Array.from(picture.querySelectorAll("svg")), sizes = drawings.map((one) => one.viewBox.baseVal);
    const width = Math.max(...sizes.map((one) => one.width)), height = sizes.reduce((sum, one) => sum + one.height, 0);
    const whole = makeShape("svg", { width, height, viewBox: "0 0 " + width + " " + height });
    const ground = getComputedStyle(document.documentElement).getPropertyValue("--surface").trim();
    whole.append(makeShape("rect", { width, height, fill: ground }));
    let top = 0;
    drawings.forEach((drawing, place) => {
      const copy = copyDrawing(drawing), size = { x: 0, y: top, width: sizes[place].width, height: sizes[place].height };
      for (const [name, value] of Object.entries(size)) copy.setAttribute(name, value);
      whole.append(copy);
      top += size.height;
    });
    return { text: new XMLSerializer().serializeToString(whole), width, height };
  }

  function saveSvg(picture, name) {
    save(new Blob([write(picture).text], { type: "image/svg+xml" }), name + ".svg");
  }

  function savePng(picture, name) {
    const { text, width, height } = write(picture), image = new Image();
    image.addEventListener("load", () => {
      const canvas = make("canvas", "", { width: width * SCALE, height: height * SCALE });
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => save(blob, name + ".png"), "image/png");
    });
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
  }

  function makeSwitch(tools, picture, rows) {
    const buttons = ["Picture", "Table"].map((words) => make("button", words, { type: "button", class: "quiet small" }));
    function show(isTable) {
      picture.hidden = isTable;
      if (rows.tagName === "DETAILS") rows.open = isTable;
      buttons.forEach((button, place) => button.setAttribute("aria-pressed", String(isTable === Boolean(place))));
    }
    buttons.forEach((button, place) => button.addEventListener("click", () => show(Boolean(place))));
    tools.append(...buttons);
    show(false);
  }

  function makeDownloads(tools, picture, name, rows) {
    const menu = make("details", "", { class: "menu" }), list = make("div", "", { class: "card" });
    const kinds = { SVG: () => saveSvg(picture, name), PNG: () => savePng(picture, name) };
    menu.append(make("summary", "Download", { class: "button quiet small" }), list);
    for (const [kind, download] of Object.entries(kinds)) {
      const button = make("button", kind, { type: "button", class: "quiet small", "aria-label": "Download " + kind });
      button.addEventListener("click", download);
      list.append(button);
    }
    if (rows) { // tables.js exports what the table shows
      const attributes = { type: "button", class: "quiet small", "data-csv": name, "aria-label": "Download CSV" };
      list.append(make("button", "CSV", rows.id ? { ...attributes, "data-of": rows.id } : attributes));
    }
    list.addEventListener("click", () => { menu.open = false; });
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      menu.open = false;
      menu.querySelector("summary").focus();
    });
    tools.append(menu);
  }

  function prepare(root) {
    for (const chart of root.querySelectorAll("[data-chart]:not([data-ready])")) {
      const picture = chart.querySelector("[data-picture]"), drawing = picture && picture.querySelector("svg");
      if (!drawing) continue;
      const name = chart.dataset.chart || "chart", tools = make("div", "", { class: "chart-tools row", role: "group" });
      const rows = chart.dataset.rows ? document.getElementById(chart.dataset.rows) : chart.querySelector("[data-rows]");
      chart.dataset.ready = "";
      tools.setAttribute("aria-label", (drawing.getAttribute("aria-label") || name) + ": picture or table, download");
      if (rows) makeSwitch(tools, picture, rows);
      makeDownloads(tools, picture, name, rows);
      (chart.querySelector("[data-tools]") || chart).prepend(tools);
    }
  }

  prepare(document);
  document.addEventListener("htmx:load", (event) => prepare(event.target.parentElement || event.target));
})();
