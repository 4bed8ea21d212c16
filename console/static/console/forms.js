// A form that is on its way is not sent again by another click; the server carries it out once in any case.
"use strict";

(function () {
  const SECONDS = 5;
  const sent = new WeakSet();

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.method !== "post") return;
    if (sent.has(form)) {
      event.preventDefault();
      return;
    }
    sent.add(form);
    setTimeout(() => sent.delete(form), SECONDS * 1000);
  });
  addEventListener("pageshow", (event) => {
    if (event.persisted) for (const form of document.forms) sent.delete(form);
  });
})();
