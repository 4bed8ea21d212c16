// Pages with forms: buttons that fill and copy, Enter that sends, and messages when htmx cannot show an answer.
"use strict";

(function () {
  // Questions that an answer suggests become buttons, if the page has a box to ask in.
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

  // If htmx cannot show an answer, say so above its place, in the words of the page that came instead.
  function say(near, words) {
    const old = document.getElementById("trouble");
    if (old) old.remove();
    const said = document.createElement("p");
    said.id = "trouble";
    said.className = "notice bad";
    said.setAttribute("role", "alert");
    said.textContent = words;
    near.before(said);
    return said;
  }

  // The page stays as it is, with what is being written; what is sent before the log-in is carried through it.
  function sayLoggedOut(near) {
    const link = document.createElement("a");
    link.href = "/login/";
    link.target = "_blank";
    link.textContent = "Log in in another tab";
    say(near, "You are logged out. ").append(link, ", then go on here.");
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
      sayLoggedOut(place(event));
      return;
    }
    const old = document.getElementById("trouble");
    if (old && event.detail.shouldSwap) old.remove();
  });

  document.addEventListener("toolroom:away", (event) => {
    say(event.target, "The server does not answer. Nothing was lost; this page tries again by itself.");
  });
  document.addEventListener("toolroom:back", () => {
    const old = document.getElementById("trouble");
    if (old) old.remove();
  });

  makeAskable();
  document.addEventListener("htmx:load", makeAskable);
})();
