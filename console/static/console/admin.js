// What libraries draw says what it is: fields that search as one types get their label, hints of two boxes a role.
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

  // The library draws them when it likes, which from a warm cache is after the page's load event.
  new MutationObserver(() => name(document)).observe(document.documentElement, { childList: true, subtree: true });
})();
