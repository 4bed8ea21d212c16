// The extension: hears what changes in VS Code, and has state.js decide what is told.
"use strict";

const { randomUUID } = require("node:crypto");
const path = require("node:path");
const vscode = require("vscode");
const { Pusher, Tail, editorState, usableAddress, windowState } = require("./state.js");

const KEY = "toolroom.key";
const SEND_SECONDS = 5;
const OURS = new Set(["file", "vscode-remote"]);

let sharing;

/** Called by VS Code when its window has come up. */
function activate(context) {
  sharing = new Sharing(context);
  context.subscriptions.push(sharing);
  sharing.listen();
}

/** Called when the window closes: nothing of it is kept on the server. */
function deactivate() {
  sharing?.tail.pause();
  return sharing?.forget({ everything: false });
}

class Sharing {
  constructor(context) {
    this.context = context;
    this.window = randomUUID();
    this.tail = new Tail();
    this.bar = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Right);
    this.bar.command = "toolroom.toggle";
    this.pusher = new Pusher({
      gather: () => this.gather(),
      send: (body) => this.request("PUT", body),
      say: (status) => this.show(status),
      timers: { setTimeout, clearTimeout },
    });
    this.show(null);
    this.bar.show();
  }

  listen() {
    const touch = () => this.pusher.touch();
    const heard = [
      vscode.window.onDidChangeActiveTextEditor(touch),
      vscode.window.onDidChangeTextEditorSelection(touch),
      vscode.languages.onDidChangeDiagnostics(touch),
      vscode.workspace.onDidChangeConfiguration((change) => change.affectsConfiguration("toolroom") && this.restart()),
      vscode.commands.registerCommand("toolroom.setKey", () => this.askKey()),
      vscode.commands.registerCommand("toolroom.toggle", () => this.toggle()),
      vscode.commands.registerCommand("toolroom.forget", () => this.forget()),
    ];
    if (vscode.window.onDidStartTerminalShellExecution) {
      heard.push(vscode.window.onDidStartTerminalShellExecution((event) => this.read(event.execution)));
    }
    this.context.subscriptions.push(...heard);
    touch();
  }

  /** Follow what a command prints, if terminals are shared. */
  async read(execution) {
    const add = setting("shareTerminal") && this.tail.begin(execution.commandLine.value);
    if (!add) return;
    for await (const piece of execution.read()) {
      if (!add(piece)) return;
      this.pusher.touch();
    }
    if (add("\n")) this.pusher.touch();
  }

  gather() {
    if (this.tail.isPaused) return null;
    const editor = editorState(seen(vscode.window.activeTextEditor), setting("workspace"));
    const terminalOutput = setting("shareTerminal") ? this.tail.lines() : null;
    return windowState(editor, terminalOutput, this.window);
  }

  /** Ask the server; gives its status, 0 where nothing was sent. */
  async request(method, body, query = "") {
    const key = await this.context.secrets.get(KEY);
    const address = usableAddress(setting("address"));
    if (!key || !address) return 0;
    const answer = await fetch(`${address}/api/devassist/editor-context${query}`, {
      method,
      body,
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      redirect: "error",
      signal: AbortSignal.timeout(SEND_SECONDS * 1000),
    });
    return answer.status;
  }

  async askKey() {
    const key = await vscode.window.showInputBox({
      prompt: "A Toolroom key with the scope devassist:write. It is kept in this editor's secret storage.",
      password: true,
      ignoreFocusOut: true,
    });
    if (key === undefined) return;
    await (key.trim() ? this.context.secrets.store(KEY, key.trim()) : this.context.secrets.delete(KEY));
    this.restart();
  }

  async toggle() {
    if (this.tail.isPaused) {
      this.tail.resume();
    } else {
      this.tail.pause();
      await this.forget({ everything: false });
    }
    this.restart();
  }

  /** Forget what this window shared, or everything of the user; what changes next is sent unless sharing is paused. */
  async forget({ everything = true } = {}) {
    this.tail.clear();
    await this.pusher.stop();
    try {
      await this.request("DELETE", undefined, everything ? "" : `?window=${this.window}`);
    } catch {
      // What is kept there ends by itself.
    }
  }

  restart() {
    this.pusher.reset();
    this.show(null);
    this.pusher.touch();
  }

  show(status) {
    const said = this.tail.isPaused ? "paused" : { null: "on", 0: "no server or key", 200: "on" }[status] ?? `refused (${status})`;
    this.bar.text = `$(eye) Toolroom: ${said}`;
    this.bar.tooltip = "Your agents see the open file, selection, diagnostics and terminal. Click to pause or resume.";
  }

  dispose() {
    this.pusher.stop();
    this.bar.dispose();
  }
}

/** Read the open editor; null where it shows no file of an open folder. */
function seen(editor) {
  const uri = editor?.document.uri;
  const folder = uri && OURS.has(uri.scheme) && vscode.workspace.getWorkspaceFolder(uri);
  if (!folder) return null;
  return {
    path: path.posix.relative(folder.uri.path, uri.path),
    line: editor.selection.active.line,
    character: editor.selection.active.character,
    selection: editor.document.getText(editor.selection),
    diagnostics: vscode.languages.getDiagnostics(uri).map((one) => ({
      severity: one.severity,
      message: one.message,
      line: one.range.start.line,
      character: one.range.start.character,
      source: one.source,
    })),
  };
}

function setting(name) {
  return vscode.workspace.getConfiguration("toolroom").get(name);
}

module.exports = { activate, deactivate };
