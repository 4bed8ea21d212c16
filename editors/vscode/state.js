// What is pushed and when; knows nothing of VS Code, so that Node can test it.
"use strict";

const LIMITS = { selection: 20000, diagnostics: 200, message: 2000, source: 100, lines: 50, terminal: 60000, bytes: 250000 };
const SEVERITIES = ["error", "warning", "info", "info"]; // VS Code's Error, Warning, Information, Hint
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

// The server's own rules (devassist/files/secrets.py), so that nothing of such a file leaves the editor.
const RULES = require("./secret_files.json");
const [SECRET_NAMES, SECRET_FOLDERS, IN_GIT, EXAMPLES] = [RULES.names, RULES.folders, RULES.inGit, [RULES.examples]].map(
  (rules) => new RegExp(`^(?:${rules.join("|")})$`),
);
const COPY = new RegExp(`(?:${RULES.copies})+$`);

/** Tell whether a path, from the workspace's root, names what people keep secrets in. */
function looksSecret(path) {
  const folders = path.toLowerCase().split(/[\\/]/);
  const name = folders.pop().replace(/[. ]+$/, "");
  if (folders.some((folder) => SECRET_FOLDERS.test(folder))) return true;
  if (folders.includes(".git") && IN_GIT.test(name)) return true;
  const original = name.replace(COPY, "");
  return [name, original, original.replace(/^\./, "")].some((one) => SECRET_NAMES.test(one)) && !EXAMPLES.test(name);
}

/** Give the server's address without a slash at its end; null where a key may not be sent there. */
function usableAddress(address) {
  let url;
  try {
    url = new URL(address);
  } catch {
    return null;
  }
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.includes(url.hostname));
  return isSafe && !url.username && !url.password ? (url.origin + url.pathname).replace(/\/+$/, "") : null;
}

/** Cut text without leaving half of a character of two units. */
function cut(text, most) {
  if (text.length <= most) return text;
  const end = /[\ud800-\udbff]/.test(text[most - 1]) ? most - 1 : most;
  return text.slice(0, end);
}

/** Give the contract's diagnostics, the worst first; lines and columns count from 1. */
function diagnosticsOf(found) {
  return found
    .map((one) => ({
      severity: SEVERITIES[one.severity] ?? "info",
      message: cut(String(one.message ?? ""), LIMITS.message),
      line: one.line + 1,
      column: one.character + 1,
      source: cut(String(one.source ?? ""), LIMITS.source),
    }))
    .sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) || a.line - b.line)
    .slice(0, LIMITS.diagnostics);
}

/**
 * Give what is pushed of an editor: `{path, line, character, selection, diagnostics}` as VS Code counts, from 0.
 * Null where nothing may be: no file of a folder that is open, or one that holds secrets.
 */
function editorState(editor, workspace) {
  if (!editor || !editor.path || editor.path.startsWith("..") || looksSecret(editor.path)) return null;
  const state = {
    activeFile: editor.path.replaceAll("\\", "/"),
    cursorPosition: { line: editor.line + 1, character: editor.character + 1 },
    selectedText: cut(editor.selection ?? "", LIMITS.selection),
    diagnostics: diagnosticsOf(editor.diagnostics ?? []),
  };
  return workspace ? { ...state, workspace } : state;
}

/** Shorten a state until it is no larger than the server takes: the terminal's beginning first. */
function fitted(state) {
  const fits = (some) => Buffer.byteLength(JSON.stringify(some)) <= LIMITS.bytes;
  const shorter = { ...state };
  while (!fits(shorter) && shorter.terminalOutput) {
    shorter.terminalOutput = shorter.terminalOutput.slice(Math.ceil(shorter.terminalOutput.length / 2));
  }
  while (!fits(shorter) && shorter.diagnostics?.length) {
    shorter.diagnostics = shorter.diagnostics.slice(0, Math.floor(shorter.diagnostics.length / 2));
  }
  return shorter;
}

/**
 * Give what a window pushes. Without an editor whose file may be shared, `activeFile` is null: the server then drops the
 * file that this window shared before.
 */
function windowState(editor, terminalOutput, window) {
  const state = { window, ...(editor ?? { activeFile: null }) };
  return fitted(terminalOutput === null ? state : { ...state, terminalOutput });
}

/** Keeps the end of what terminals print, except while sharing is paused. */
class Tail {
  constructor() {
    this.text = "";
    this.isPaused = false;
    this.session = {};
  }

  /**
   * Follow a command. Gives what takes its output, which answers false once nothing more is taken: also after a resume,
   * for what the command prints then may belong to what was paused. Null while paused.
   */
  begin(command) {
    if (this.isPaused) return null;
    const { session } = this;
    this.add(`$ ${command}\n`);
    return (piece) => {
      if (session !== this.session) return false;
      this.add(piece);
      return true;
    };
  }

  pause() {
    this.isPaused = true;
    this.session = {};
    this.clear();
  }

  resume() {
    this.isPaused = false;
  }

  clear() {
    this.text = "";
  }

  add(piece) {
    this.text = (this.text + piece).slice(-LIMITS.terminal);
  }

  /** Give the last lines; null while nothing was printed. */
  lines() {
    const kept = this.text.trimEnd();
    return kept ? kept.split("\n").slice(-LIMITS.lines).join("\n") : null;
  }
}

/**
 * Sends what has changed once the user pauses, one request at a time.
 *
 * `gather()` gives the body or null; `send(body)` resolves to an HTTP status, or rejects; `say(status)` is called when
 * that changes. `timers` are setTimeout and clearTimeout. A refused key is not sent again before `reset()`.
 */
class Pusher {
  constructor({ gather, send, say, timers, delay = 800, repeat = 300000 }) {
    Object.assign(this, { gather, send, say, timers, delay, repeat });
    this.reset();
  }

  /** Begin anew: the key or the address has changed. */
  reset() {
    this.last = null;
    this.status = null;
    this.isRefused = false;
  }

  /** Something may have changed. */
  touch() {
    this.timers.clearTimeout(this.timer);
    this.timer = this.timers.setTimeout(() => this.flush(), this.delay);
  }

  /** Send nothing more until something changes; resolves when the request that is under way has ended. */
  async stop() {
    this.timers.clearTimeout(this.timer);
    this.timer = undefined;
    await this.sending;
    this.timers.clearTimeout(this.timer);
  }

  /** Send now, unless that was sent already or a request is under way, after which it is looked at again. */
  async flush() {
    this.timers.clearTimeout(this.timer);
    if (this.isSending) {
      this.isStale = true;
      return;
    }
    const body = this.isRefused ? null : this.gather();
    const written = body && JSON.stringify(body);
    if (!written || written === this.last) return;
    this.isSending = true;
    try {
      const answer = this.send(written);
      this.sending = answer.catch(() => undefined);
      this.note(await answer, written);
    } catch {
      this.note(0, written);
    } finally {
      this.isSending = false;
    }
    this.timer = this.timers.setTimeout(() => this.again(), this.isStale ? this.delay : this.repeat);
    this.isStale = false;
  }

  /** What is kept there ends by itself: tell it again while the editor is open. */
  again() {
    this.last = null;
    return this.flush();
  }

  note(status, written) {
    this.last = status === 200 ? written : null;
    this.isRefused = status === 401 || status === 403;
    if (status !== this.status) this.say(status);
    this.status = status;
  }
}

module.exports = { LIMITS, Pusher, Tail, cut, diagnosticsOf, editorState, fitted, looksSecret, usableAddress, windowState };
