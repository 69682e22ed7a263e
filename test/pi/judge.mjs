// What real Pi makes of session files: one JSON line for each path read from stdin.
//
//   ls *.jsonl | node judge.mjs [--hash] [--head]
import crypto, { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { getCurrentSystemPrompt, getCurrentTools } from './pi-ai.mjs';

// Pi exports these only through its bundle, which needs a newer Node.js than reading sessions does.
const core = new URL('./node_modules/@earendil-works/pi-coding-agent/dist/core/', import.meta.url);
const { SessionManager, buildSessionContext, loadEntriesFromFile } = await import(
  new URL('session-manager.js', core).href
);
const { convertToLlm } = await import(new URL('messages.js', core).href);

/** Judges one file. Pi rewrites old versions when it opens them, so it gets a copy. */
export function judgeFile(path, { hash = false, headOnly = false } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'pi-judge-'));
  const copy = join(directory, 'session.jsonl');
  try {
    copyFileSync(path, copy);
    const header = loadEntriesFromFile(copy)[0];
    const session = openWithCountedIds(copy);
    return {
      file: path,
      ok: true,
      ...(header && (header.version ?? 1) < 3 && { migrated: true }),
      leafId: session.getLeafId() ?? null,
      entries: judgeEntries(session, { hash, headOnly }),
    };
  } catch (error) {
    return { file: path, ok: false, error: reason(error).replaceAll(copy, path) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function judgeEntries(session, { hash, headOnly }) {
  const entries = session.getEntries();
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const named = (id) => (id ? byId.get(id) : undefined);
  // As in Pi: only null means "no leaf", any other id that names nothing means the last entry.
  const leafOf = (id) => (id === null ? undefined : (named(id) ?? entries.at(-1)));
  const isEndless = endlessPaths((entry) => named(entry.parentId));

  const record = (names, leafId, getContext) => {
    const leaf = leafOf(leafId);
    if (leaf !== undefined && isEndless(leaf)) return { ...names, error: 'cycle' };
    try {
      const input = modelInput(getContext());
      return { ...names, ...(hash ? { sha256: sha256(input) } : input) };
    } catch (error) {
      return { ...names, error: reason(error) };
    }
  };

  const records = entries.flatMap((entry, index) => {
    const { id } = entry;
    if (headOnly || typeof id !== 'string' || byId.get(id) !== entry) return [];
    return [record({ id, index }, id, () => buildSessionContext(entries, id, byId))];
  });
  const headId = session.getLeafId();
  const index = entries.lastIndexOf(leafOf(headId));
  const head = { id: null, head: true, index: index < 0 ? null : index };
  return [...records, record(head, headId, () => session.buildSessionContext())];
}

function modelInput({ messages, model, thinkingLevel }) {
  return {
    messages: convertToLlm(messages).filter((message) => message.role !== 'system'),
    compiled: getCurrentSystemPrompt(messages),
    tools: getCurrentTools(messages),
    model,
    thinkingLevel,
  };
}

/** Tells whether the way to the root never ends. Pi has no guard and would run out of memory. */
function endlessPaths(parentOf) {
  const known = new Map();
  return (entry) => {
    const path = new Set();
    let current = entry;
    while (current !== undefined && !known.has(current) && !path.has(current)) {
      path.add(current);
      current = parentOf(current);
    }
    const endless = current !== undefined && (known.get(current) ?? true);
    for (const passed of path) known.set(passed, endless);
    return endless;
  };
}

/** Migration invents random entry ids; counted ones make the output the same every time. */
function openWithCountedIds(path) {
  const { randomUUID } = crypto;
  let count = 0;
  const nextId = () => (++count).toString(16).padStart(8, '0');
  crypto.randomUUID = () => `${nextId()}-0000-4000-8000-000000000000`;
  syncBuiltinESMExports();
  try {
    return SessionManager.open(path);
  } finally {
    crypto.randomUUID = randomUUID;
    syncBuiltinESMExports();
  }
}

/** Hashes the sorted text of an input, put together from parts. */
function sha256({ messages, ...rest }) {
  const text = { messages: messagesText(messages) };
  for (const [name, value] of Object.entries(rest)) text[name] = sortedText(value);
  const names = Object.keys(text).filter((name) => text[name] !== undefined);
  const fields = names.toSorted().map((name) => `"${name}":${text[name]}`);
  return createHash('sha256')
    .update(`{${fields.join(',')}}`)
    .digest('hex');
}

// Most messages are part of many contexts, so each is turned into text only once.
const texts = new WeakMap();

function messagesText(messages) {
  const parts = messages.map((message) => {
    if (!texts.has(message)) texts.set(message, sortedText(message));
    return texts.get(message);
  });
  return `[${parts.join(',')}]`;
}

/** JSON with the keys of every object in the order of their UTF-16 code units, integer-like ones included. */
export function sortedText(value) {
  if (Array.isArray(value)) return `[${value.map((item) => sortedText(item) ?? 'null').join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.keys(value)
    .toSorted()
    .map((key) => [key, sortedText(value[key])])
    .filter(([, text]) => text !== undefined);
  return `{${fields.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`;
}

function reason(error) {
  return error instanceof Error ? error.message : String(error);
}

const [, script] = process.argv;
if (script && import.meta.url === pathToFileURL(realpathSync(script)).href) {
  const hash = process.argv.includes('--hash');
  const headOnly = process.argv.includes('--head');
  for await (const path of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    if (path !== '') process.stdout.write(`${JSON.stringify(judgeFile(path, { hash, headOnly }))}\n`);
  }
}
