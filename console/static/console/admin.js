// Fields that search as one types say what they are called: their library draws them without the field's label.
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
  }

  // The library draws them when it likes, which from a warm cache is after the page's load event.
  new MutationObserver(() => name(document)).observe(document.documentElement, { childList: true, subtree: true });
})();
