// A box for a statement beside its schema: a click inserts a name, Ctrl+Enter runs the statement.
"use strict";

(function () {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-inserts]");
    if (!button) return;
    event.preventDefault();
    const box = document.getElementById(button.dataset.inserts);
    box.setRangeText(button.dataset.text || button.textContent.trim(), box.selectionStart, box.selectionEnd, "end");
    box.focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    const button = document.querySelector(`button[data-runs="${CSS.escape(event.target.id || "-")}"]`);
    if (button) { event.preventDefault(); button.click(); }
  });
})();
