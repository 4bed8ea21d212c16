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

  function refresh(run) {
    clearTimeout(run.timer);
    run.timer = setTimeout(() => {
      const section = element(run.id);
      if (section) htmx.trigger(section, "news");
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

  function open(run) {
    run.stream = new EventSource(run.address + "?after=" + run.last);
    for (const kind of KINDS) run.stream.addEventListener(kind, (event) => take(run, event));
    // The session has ended: the page redirects to the log-in.
    run.stream.addEventListener("stream.ended", () => { run.isOver = true; run.stream.close(); location.reload(); });
    run.stream.addEventListener("error", () => {
      // A browser reconnects by itself after a broken connection, but not after a refusal.
      if (run.isOver || run.stream.readyState !== EventSource.CLOSED) return;
      setTimeout(() => open(run), 2000);
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

  // Keeps what a person is typing when the page refreshes its parts.
  const edited = new Map();
  const boxes = () => [...document.querySelectorAll("[data-run] form textarea")];
  const key = (box) => box.form.action + " " + box.name;
  document.addEventListener("htmx:beforeSwap", () => {
    for (const box of boxes()) if (box.value !== box.defaultValue) edited.set(key(box), box.value);
  });
  document.addEventListener("htmx:load", () => {
    for (const box of boxes()) if (edited.has(key(box))) box.value = edited.get(key(box));
    edited.clear();
  });

  addEventListener("pagehide", () => runs.forEach((run) => run.stream && run.stream.close()));
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  document.addEventListener("htmx:load", attach);
  attach();
})();
