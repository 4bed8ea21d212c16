// Names for screen readers in what libraries draw: search fields get their label, the hints of paired boxes a role.
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

  // The library may draw them after the page's load event, if its files come from the cache.
  new MutationObserver(() => name(document)).observe(document.documentElement, { childList: true, subtree: true });
})();
