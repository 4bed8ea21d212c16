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

  addEventListener("load", () => name(document));
  document.addEventListener("formset:added", (event) => setTimeout(() => name(event.target)));
})();
