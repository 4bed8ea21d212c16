// Follows the live runs of a page: text as it arrives, everything else as the server renders it.
"use strict";

(function () {
  const runs = new Map();
  const news = document.getElementById("news");
  const WORDS = {
    "run.started": () => "Working on it.",
    "tool.called": (data) => "Calling " + data.tool + ".",
    "tool.answered": (data) => data.tool + (data.refused ? " refused." : " answered."),
    "approval.needed": () => "A call waits for your approval.",
    "run.finished": (data) => (data.state === "succeeded" ? "The answer is there." : "The run has ended: " + data.state + "."),
  };
  const KINDS = ["run.queued", "run.started", "run.taken_back", "run.finished", "model.asked", "model.answered",
    "model.retrying", "text", "tool.called", "tool.answered", "approval.needed", "approval.given", "approval.refused"];

  function element(id) {
    return document.querySelector('[data-run="' + id + '"]');
  }

  // Shows streamed text that is not yet in what the server rendered.
  function show(run) {
    const section = element(run.id), place = section && section.querySelector("[data-saying]");
    if (!place) return;
    const parts = [];
    for (const [step, text] of run.said) {
      if (!section.querySelector('[data-said="' + step + '"]')) parts.push(text);
    }
    place.textContent = parts.join("\n\n");
  }

  // Waits for a request that is running in the section: htmx drops what is triggered on a section that is replaced.
  function refresh(run) {
    clearTimeout(run.timer);
    run.timer = setTimeout(() => {
      const section = element(run.id);
      if (!section) return;
      if (section.matches(".htmx-request") || section.querySelector(".htmx-request")) refresh(run);
      else htmx.trigger(section, "news");
    }, 60);
  }

  function take(run, event) {
    const data = JSON.parse(event.data), kind = event.type;
    run.last = Number(event.lastEventId) || run.last;
    if (kind === "text") {
      run.said.set(data.step, (run.said.get(data.step) || "") + data.text);
      show(run);
      return;
    }
    if (kind === "model.retrying") { run.said.delete(data.step); show(run); }
    if (WORDS[kind]) news.textContent = WORDS[kind](data);
    if (kind === "run.finished") {
      run.isOver = true;
      run.stream.close();
    }
    refresh(run);
  }

  function tell(run, what) {
    const section = element(run.id);
    if (section) section.dispatchEvent(new Event("toolroom:" + what, { bubbles: true }));
  }

  function open(run) {
    run.stream = new EventSource(run.address + "?after=" + run.last);
    for (const kind of KINDS) run.stream.addEventListener(kind, (event) => take(run, event));
    run.stream.addEventListener("open", () => {
      clearTimeout(run.lost);
      run.lost = undefined;
      if (run.isLost) { run.isLost = false; tell(run, "back"); refresh(run); }
    });
    // The session has ended or the conversation is gone: the page shows what the server then answers. A person
    // who logs in again in another tab comes back to this one.
    run.stream.addEventListener("stream.ended", () => {
      run.stream.close();
      run.isLost = true;
      refresh(run);
      document.addEventListener("visibilitychange", () => open(run), { once: true });
    });
    run.stream.addEventListener("error", () => {
      if (run.isOver) return;
      if (run.stream.readyState === EventSource.CLOSED) { // refused: the browser does not connect again by itself
        run.isLost = true;
        refresh(run);
        setTimeout(() => open(run), 5000);
      } else if (!run.lost) {
        run.lost = setTimeout(() => { run.isLost = true; tell(run, "away"); }, 4000);
      }
    });
  }

  function attach() {
    for (const section of document.querySelectorAll("[data-live]")) {
      const id = section.dataset.run;
      if (!runs.has(id)) {
        runs.set(id, { id, address: section.dataset.live, last: 0, said: new Map(), isOver: false });
        open(runs.get(id));
        setTimeout(() => runs.get(id).isOver || refresh(runs.get(id)), 10000); // has a worker claimed it?
      }
      show(runs.get(id));
    }
  }

  // Keeps what a person is typing, has chosen and has opened when the page refreshes its parts.
  const kept = { values: new Map(), opened: new Set(), focus: null };
  const boxes = () => document.querySelectorAll("[data-run] form :is(textarea, input[type=text], select)");
  const sections = () => document.querySelectorAll("[data-run] details");
  const nameBox = (box) => box.id || [box.form.action, box.name, box.matches("button") ? box.value : ""].join(" ");
  const nameSection = (part) => part.closest("[data-run]").id + " " + part.querySelector("summary").textContent;
  const nameFocused = (element) => (element.matches("[data-run] summary") ? nameSection(element.parentElement)
    : element.matches("[data-run] form :is(textarea, input, select, button)") ? nameBox(element) : null);
  const isAsRendered = (box) => (box.options ? box.selectedIndex <= 0 : box.value === box.defaultValue);
  document.addEventListener("htmx:beforeSwap", () => {
    for (const box of boxes()) if (!isAsRendered(box)) kept.values.set(nameBox(box), box.value);
    for (const part of sections()) if (part.open) kept.opened.add(nameSection(part));
    kept.focus = nameFocused(document.activeElement);
  });
  document.addEventListener("htmx:load", () => {
    for (const box of boxes()) if (kept.values.has(nameBox(box))) box.value = kept.values.get(nameBox(box));
    for (const part of sections()) if (kept.opened.has(nameSection(part))) part.open = true;
    if (kept.focus && document.activeElement === document.body) {
      const focused = [...document.querySelectorAll("[data-run] *")].find((element) => nameFocused(element) === kept.focus);
      if (focused) focused.focus();
    }
    Object.assign(kept, { values: new Map(), opened: new Set(), focus: null });
  });

  addEventListener("pagehide", () => runs.forEach((run) => run.stream && run.stream.close()));
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  document.addEventListener("htmx:load", attach);
  attach();
})();
