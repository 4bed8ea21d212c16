"use strict";

const assert = require("node:assert/strict");
const { test } = require("node:test");
const { LIMITS, Pusher, Tail, cut, diagnosticsOf, editorState, fitted, looksSecret, usableAddress, windowState } = require("../state.js");

const EDITOR = { path: "src/app.ts", line: 11, character: 4, selection: "x", diagnostics: [] };

test("an editor's state counts from 1 and names its workspace", () => {
  assert.deepEqual(editorState({ ...EDITOR, path: "src\\app.ts" }, "shop"), {
    activeFile: "src/app.ts",
    cursorPosition: { line: 12, character: 5 },
    selectedText: "x",
    diagnostics: [],
    workspace: "shop",
  });
  assert.equal("workspace" in editorState(EDITOR, ""), false);
});

test("nothing is told of secrets, of files outside, or where no file is open", () => {
  for (const path of [".env", "app/local.properties", "deploy/id_rsa", ".ssh/known", "../other/a.ts", ""]) {
    assert.equal(editorState({ ...EDITOR, path }), null, path);
  }
  assert.equal(editorState(null), null);
  assert.equal(looksSecret(".env.example"), false);
});

test("diagnostics come the worst first, bounded", () => {
  const found = [
    { severity: 3, message: "hint", line: 0, character: 0 },
    { severity: 0, message: "x".repeat(5000), line: 8, character: 2, source: "ts" },
    { severity: 0, message: "first", line: 1, character: 0, source: "ts" },
  ];

  const told = diagnosticsOf(found);

  assert.deepEqual(told.map((one) => [one.severity, one.line]), [["error", 2], ["error", 9], ["info", 1]]);
  assert.equal(told[1].message.length, LIMITS.message);
  assert.equal(told[2].source, "");
  assert.equal(diagnosticsOf(Array(500).fill(found[0])).length, LIMITS.diagnostics);
});

test("text is never cut within a character", () => {
  assert.equal(cut("ab\u{1f600}", 3), "ab");
  assert.equal(cut("ab\u{1f600}", 4), "ab\u{1f600}");
});

test("a key goes to https, or to this machine", () => {
  assert.equal(usableAddress("http://127.0.0.1:8000/"), "http://127.0.0.1:8000");
  assert.equal(usableAddress("https://tools.example.org/toolroom/"), "https://tools.example.org/toolroom");
  for (const address of ["http://tools.example.org", "http://127.0.0.1.evil.example", "ftp://localhost", "x", "https://a:b@c"]) {
    assert.equal(usableAddress(address), null, address);
  }
});

test("the tail keeps the last fifty lines, and no more than fits", () => {
  const tail = new Tail();
  assert.equal(tail.lines(), null);
  for (let line = 0; line < 80; line += 1) tail.add(`line ${line}\n`);
  assert.equal(tail.lines().split("\n").length, 50);
  assert.ok(tail.lines().endsWith("line 79"));
  tail.add("x".repeat(1e6));
  assert.equal(tail.text.length, LIMITS.terminal);
});

test("a state is shortened to what the server takes", () => {
  const state = { activeFile: "a", diagnostics: Array(200).fill({ message: "\u0001".repeat(2000) }), terminalOutput: "z".repeat(60000) };

  const kept = fitted(state);

  assert.ok(Buffer.byteLength(JSON.stringify(kept)) <= LIMITS.bytes);
  assert.equal(kept.activeFile, "a");
  assert.ok(kept.diagnostics.length > 10);
  assert.deepEqual(fitted({ terminalOutput: "short" }), { terminalOutput: "short" });
});

/** A pusher whose timers are run by hand. */
function pusher(answers) {
  const made = { sent: [], said: [], due: null, body: { activeFile: "a" } };
  const timers = {
    setTimeout: (work, delay) => {
      made.due = { work, delay };
      return made.due;
    },
    clearTimeout: (timer) => {
      if (timer && timer === made.due) made.due = null;
    },
  };
  const send = (body) => {
    made.sent.push(body);
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    return answer instanceof Promise || typeof answer === "number" ? Promise.resolve(answer) : Promise.reject(answer);
  };
  made.pusher = new Pusher({ gather: () => made.body, send, say: (status) => made.said.push(status), timers });
  made.run = () => made.due.work();
  return made;
}

test("many changes make one push, and the same state is not pushed twice", async () => {
  const made = pusher([200]);
  for (let change = 0; change < 20; change += 1) made.pusher.touch();
  await made.run();
  made.pusher.touch();
  await made.run();

  assert.deepEqual(made.sent, ['{"activeFile":"a"}']);
  assert.deepEqual(made.said, [200]);
});

test("what changes during a push is pushed after it", async () => {
  let answer;
  const made = pusher([new Promise((resolve) => (answer = resolve)), 200]);
  made.pusher.touch();
  const first = made.run();
  made.body = { activeFile: "b" };
  await made.pusher.flush();
  assert.equal(made.sent.length, 1);
  answer(200);
  await first;
  assert.equal(made.due.delay, made.pusher.delay);
  await made.run();

  assert.deepEqual(made.sent, ['{"activeFile":"a"}', '{"activeFile":"b"}']);
});

test("a refused key is not tried again before it changes; a server that is away is", async () => {
  const refused = pusher([401]);
  for (let time = 0; time < 3; time += 1) await refused.pusher.flush();
  assert.equal(refused.sent.length, 1);
  refused.pusher.reset();
  await refused.pusher.flush();
  assert.equal(refused.sent.length, 2);

  const away = pusher([new Error("refused"), 200]);
  await away.pusher.flush();
  await away.pusher.flush();
  assert.deepEqual(away.said, [0, 200]);
  assert.equal(away.sent.length, 2);
});

test("an unchanged state is told again before it ends on the server", async () => {
  const made = pusher([200]);
  await made.pusher.flush();
  assert.equal(made.due.delay, 300000);
  await made.run();

  assert.equal(made.sent.length, 2);
});

test("nothing is taken while paused, and nothing of a command that ran then is sent on resume", () => {
  const tail = new Tail();
  const before = tail.begin("npm test");
  assert.equal(before("one\n"), true);
  tail.pause();
  assert.equal(tail.begin("cat .env"), null);
  assert.equal(before("while paused\n"), false);
  assert.equal(tail.lines(), null);
  tail.resume();
  assert.equal(before("after resume\n"), false);
  assert.equal(tail.lines(), null);
  tail.begin("ls")("a.ts\n");
  assert.equal(tail.lines(), "$ ls\na.ts");
});

test("a window without a file to share drops the one before, under its own name", () => {
  const secret = editorState({ ...EDITOR, path: ".env" });

  assert.deepEqual(windowState(secret, null, "w"), { window: "w", activeFile: null });
  assert.deepEqual(windowState(secret, "x", "w"), { window: "w", activeFile: null, terminalOutput: "x" });
  assert.equal(windowState(editorState(EDITOR), null, "w").activeFile, "src/app.ts");
});

test("a stop waits for the request that is under way", async () => {
  let answer;
  const made = pusher([new Promise((resolve) => (answer = resolve))]);
  const sent = made.pusher.flush();
  let isStopped = false;
  const stopped = made.pusher.stop().then(() => (isStopped = true));
  await Promise.resolve();
  assert.equal(isStopped, false);
  answer(200);
  await Promise.all([sent, stopped]);
});
