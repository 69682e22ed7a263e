import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import path from 'node:path';
// Lists the sessions in clones of public repositories, a line of sessions.jsonl each. Nothing of a session is kept but its
// place, its size and its hash.
//
//   node test/studies/corpus/list.mjs CLONE… > test/studies/corpus/sessions.jsonl
//
// A clone is a folder OWNER+NAME/repo or OWNER/NAME. Sessions are looked for in the newest commit and where Entire keeps
// transcripts: in a branch, or in a reference for each. Of several versions of one session, the largest is listed.

const BRANCHES = ['HEAD', 'entire/checkpoints/v1'];
const REFERENCES = 'refs/entire/checkpoints';
const SMALLEST = 400;
/** Characters in which a file shows whose it is. */
const HEAD = 200_000;
const MOST_BYTES = 2 ** 30;

/** The agent that wrote a file, its version and the id of the session; null for another file. */
function recognise(name, text) {
  const version = (pattern) => pattern.exec(text)?.[1] ?? null;
  const id = (pattern) => pattern.exec(text)?.[1] ?? null;
  if (name.endsWith('.jsonl')) {
    if (text.includes('"parentUuid"') && text.includes('"isSidechain"'))
      return { agent: 'claude-code', version: version(/"version":\s*"(\d[^"]*)"/), id: id(/"sessionId":\s*"([^"]+)"/) };
    if (text.includes('"parentUuid"') && text.includes('"parts"'))
      return { agent: 'qwen-code', version: version(/"version":\s*"(\d[^"]*)"/), id: id(/"sessionId":\s*"([^"]+)"/) };
    if (text.slice(0, 3000).includes('"session_meta"'))
      return { agent: 'codex', version: version(/"cli_version":\s*"([^"]*)"/), id: id(/"id":\s*"([^"]+)"/) };
    if (/^\{"type":\s*"session"[^\n]*"timestamp"/.test(text))
      return { agent: 'pi', version: version(/"version":\s*(\d+)/), id: id(/"id":\s*"([^"]+)"/) };
    if (text.slice(0, 2000).includes('"session.start"'))
      return {
        agent: 'copilot-cli',
        version: version(/"copilotVersion":\s*"([^"]*)"/),
        id: id(/"sessionId":\s*"([^"]+)"/),
      };
    if (text.includes('"projectHash"'))
      return { agent: 'gemini-cli', version: null, id: id(/"sessionId":\s*"([^"]+)"/) };
    if (/^\{"type":"session_start","id":.*"owner":/.test(text))
      return { agent: 'droid', version: null, id: id(/"id":"([^"]+)"/) };
    if (/^\{"type":"metadata","protocol_version":"1\.\d+","created_at":/.test(text))
      return { agent: 'kimi-code', version: null, id: name };
    if (text.startsWith('{"role":"user","message":{"content":[')) return { agent: 'cursor', version: null, id: name };
    return null;
  }
  if (text.slice(0, 2000).includes('"projectHash"') && text.includes('"messages"'))
    return { agent: 'gemini-cli', version: null, id: id(/"sessionId":\s*"([^"]+)"/) };
  // What VS Code exports has no id; of a chat that it keeps, the version is that of the format.
  if (text.slice(0, 3000).includes('"responderUsername"') && text.includes('"requests"'))
    return { agent: 'vscode-chat', version: null, id: name };
  return null;
}

function git(clone, ...args) {
  return execFileSync('git', ['-C', clone, ...args], { maxBuffer: MOST_BYTES, stdio: ['ignore', 'pipe', 'ignore'] });
}

function resolveCommit(clone, branch) {
  for (const ref of [branch, `refs/remotes/origin/${branch}`]) {
    try {
      return git(clone, 'rev-parse', '--verify', '--quiet', `${ref}^{commit}`).toString().trim();
    } catch {
      // The repository has no such branch.
    }
  }
  return null;
}

function readLicence(clone, commit) {
  const names = git(clone, 'ls-tree', '--name-only', commit).toString().split('\n');
  const name = names.find((each) => /^licen[cs]e(?:\.\w+)?$/i.test(each));
  if (name === undefined) return null;
  const text = git(clone, 'show', `${commit}:${name}`).toString();
  const known = [
    ['Apache-2.0', /Apache License/],
    ['MIT', /MIT License|Permission is hereby granted, free of charge/],
    ['GPL-3.0', /GNU GENERAL PUBLIC LICENSE/],
    ['AGPL-3.0', /GNU AFFERO/],
  ];
  return known.find(([, pattern]) => pattern.test(text))?.[0] ?? name;
}

function* listFiles(clone, commit) {
  for (const row of git(clone, 'ls-tree', '-r', '-l', '-z', commit).toString().split('\0')) {
    const [meta = '', name = ''] = row.split('\t');
    const [, type, blob, size] = meta.split(/ +/);
    const isCandidate = type === 'blob' && /\.jsonl?$/.test(name) && !/node_modules|package/.test(name);
    if (isCandidate && Number(size) >= SMALLEST) yield { name, blob };
  }
}

function readRepository(clone) {
  const parts = path.resolve(clone).split(path.sep);
  const folder = parts.at(-1) === 'repo' ? parts.at(-2) : parts.slice(-2).join('+');
  return folder.replace('+', '/');
}

for (const clone of process.argv.slice(2)) {
  const repository = readRepository(clone);
  const largest = new Map();
  const head = resolveCommit(clone, 'HEAD');
  const licence = head === null ? null : readLicence(clone, head);
  const references = git(clone, 'for-each-ref', '--format=%(refname)', REFERENCES)
    .toString()
    .split('\n')
    .filter(Boolean);
  for (const branch of [...BRANCHES, ...references]) {
    const commit = resolveCommit(clone, branch);
    if (commit === null) continue;
    for (const { name, blob } of listFiles(clone, commit)) {
      let bytes;
      try {
        bytes = git(clone, 'cat-file', 'blob', blob);
      } catch {
        // The clone lacks this file.
        continue;
      }
      const found = recognise(name, bytes.toString().slice(0, HEAD));
      if (found === null) continue;
      const { agent, version, id } = found;
      const key = `${agent} ${id ?? name}`;
      if ((largest.get(key)?.bytes ?? 0) >= bytes.length) continue;
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      largest.set(key, { agent, version, repository, commit, path: name, licence, bytes: bytes.length, sha256 });
    }
  }
  for (const row of largest.values()) console.log(JSON.stringify(row));
}
