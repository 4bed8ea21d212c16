// Statements are typed beside their schema. What libraries draw says what it is: fields that search as one types get their label, hints of two boxes a role.
"use strict";

(function () {
  function name(root) {
    for (const field of root.querySelectorAll("select.admin-autocomplete")) {
      const label = document.querySelector(`label[for="${field.id}"]`);
      const drawn = field.nextElementSibling;
      if (!label || !drawn) continue;
      for (const part of drawn.querySelectorAll("[role=combobox], [role=textbox]")) {
        part.removeAttribute("aria-labelledby");
        part.setAttribute("aria-label", label.textContent.trim().replace("*", ""));
      }
    }
    for (const hint of root.querySelectorAll(".help-tooltip[aria-label]:not([role])")) hint.setAttribute("role", "img");
  }

  // The schema beside a statement: a click inserts the name, Ctrl+Enter runs what is typed.
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

  // The library draws them when it likes, which from a warm cache is after the page's load event.
  new MutationObserver(() => name(document)).observe(document.documentElement, { childList: true, subtree: true });
})();
