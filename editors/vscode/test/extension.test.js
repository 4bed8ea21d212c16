"use strict";

const assert = require("node:assert/strict");
const Module = require("node:module");
const { afterEach, beforeEach, mock, test } = require("node:test");

const DELAY = 800;

/** A stand-in for VS Code, as its documentation describes it: what the extension registers is called by hand. */
function standIn() {
  const heard = {};
  const hear = (name) => (listener) => {
    heard[name] = listener;
    return { dispose() {} };
  };
  return {
    heard,
    StatusBarAlignment: { Right: 2 },
    window: {
      activeTextEditor: undefined,
      createStatusBarItem: () => ({ show() {}, dispose() {} }),
      onDidChangeActiveTextEditor: hear("editor"),
      onDidChangeTextEditorSelection: hear("selection"),
      onDidStartTerminalShellExecution: hear("command"),
    },
    languages: { onDidChangeDiagnostics: hear("diagnostics"), getDiagnostics: () => [] },
    workspace: {
      onDidChangeConfiguration: hear("configuration"),
      getConfiguration: () => ({ get: (name) => ({ address: "http://127.0.0.1:9", shareTerminal: true })[name] }),
      getWorkspaceFolder: () => ({ uri: { path: "/shop" } }),
    },
    commands: { registerCommand: (name, work) => hear(name)(work) },
  };
}

let vscode, extension, sent;
const load = Module._load;

beforeEach(() => {
  vscode = standIn();
  Module._load = (name, ...others) => (name === "vscode" ? vscode : load(name, ...others));
  delete require.cache[require.resolve("../extension.js")];
  extension = require("../extension.js");
  sent = [];
  mock.timers.enable({ apis: ["setTimeout"] });
  mock.method(globalThis, "fetch", async (url, { method, body }) => {
    sent.push({ method, query: new URL(url).search, body: body && JSON.parse(body) });
    return { status: 200 };
  });
  extension.activate({ subscriptions: [], secrets: { get: async () => "tr_key" } });
});

afterEach(() => {
  Module._load = load;
  mock.timers.reset();
  mock.restoreAll();
});

/** Let what waits for a promise go on. */
async function settle() {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
}

/** Let the pause after a change pass, and give what was sent since. */
async function pushed() {
  sent.length = 0;
  mock.timers.tick(DELAY);
  await settle();
  return sent.slice();
}

function open(path) {
  const uri = { scheme: "file", path: `/shop/${path}` };
  vscode.window.activeTextEditor = {
    document: { uri, getText: () => `text of ${path}` },
    selection: { active: { line: 0, character: 0 } },
  };
  vscode.heard.editor();
}

/** A command in the terminal; gives what prints a piece, and ends without one. */
function run(command) {
  let next;
  const pieces = (async function* () {
    for (;;) {
      const piece = await new Promise((resolve) => (next = resolve));
      if (piece === undefined) return;
      yield piece;
    }
  })();
  vscode.heard.command({ execution: { commandLine: { value: command }, read: () => pieces } });
  return async (piece) => {
    await settle();
    next?.(piece);
    await settle();
  };
}

test("a change is sent with the window's name", async () => {
  open("a.ts");
  const [one, ...more] = await pushed();

  assert.deepEqual(more, []);
  assert.equal(one.method, "PUT");
  assert.equal(one.body.activeFile, "a.ts");
  assert.ok(one.body.window);
});

test("a pause forgets what this window sent, takes nothing, and a resume sends nothing of it", async () => {
  open("a.ts");
  const print = run("npm test");
  await print("before\n");
  const [first] = await pushed();
  assert.match(first.body.terminalOutput, /before/);

  sent.length = 0;
  await vscode.heard["toolroom.toggle"]();
  assert.deepEqual(sent.map((one) => [one.method, one.query]), [["DELETE", `?window=${first.body.window}`]]);
  await print("while paused\n");
  await run("cat .env")("PASSWORD=1\n");
  open("b.ts");
  assert.deepEqual(await pushed(), []);

  await vscode.heard["toolroom.toggle"]();
  await print("after resume\n");
  const [resumed] = await pushed();
  assert.equal(resumed.body.activeFile, "b.ts");
  assert.equal("terminalOutput" in resumed.body, false);
});

test("opening a file of secrets takes back the file before", async () => {
  open("a.ts");
  await pushed();
  open(".env");
  const [taken] = await pushed();

  assert.equal(taken.body.activeFile, null);
  assert.ok(taken.body.window);
  assert.doesNotMatch(JSON.stringify(taken.body), /\.env|a\.ts/);
});

test("a window that closes forgets what it sent alone, and sends nothing after that", async () => {
  open("a.ts");
  const [first] = await pushed();
  sent.length = 0;

  await extension.deactivate();
  open("b.ts");

  assert.deepEqual(sent.map((one) => [one.method, one.query]), [["DELETE", `?window=${first.body.window}`]]);
  assert.deepEqual(await pushed(), []);
});
