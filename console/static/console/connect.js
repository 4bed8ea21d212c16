// Tests a connection as a client does: lists the tools over MCP, with the key, at the address shown.
"use strict";

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-tests]");
  if (!button) return;
  const said = document.getElementById(button.dataset.says);
  const say = (words, kind) => { said.textContent = words; said.className = "chip " + kind; };
  button.disabled = true;
  say("Testing …", "live");
  try {
    const answer = await fetch(button.dataset.tests, {
      method: "POST",
      credentials: "omit",
      headers: {
        Authorization: "Bearer " + button.dataset.key,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        "Mcp-Protocol-Version": "2025-06-18",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });
    const body = await answer.json();
    if (answer.ok && body.result) say("It works: " + body.result.tools.length + " tools", "good");
    else say("Refused with " + answer.status, "bad");
  } catch {
    say("No answer from " + button.dataset.tests, "bad");
  } finally {
    button.disabled = false;
  }
});
