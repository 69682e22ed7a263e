import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
// The words, tables and plots of the pages in docs/studies, and the sessions of the corpus.

const studies = fileURLToPath(new URL('../../../docs/studies/', import.meta.url));
export const bin = fileURLToPath(new URL('../../../bin/ctx.js', import.meta.url));

export function readLines(file) {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

/** The rows of sessions.jsonl. */
export const listed = readLines(fileURLToPath(new URL('sessions.jsonl', import.meta.url)));

/** The file of a session in the folder of the corpus. */
export function placeOf(folder, { agent, repository, path: file, sha256 }) {
  const name = `${repository.replace('/', '+')}-${sha256.slice(0, 12)}${path.extname(file)}`;
  return path.join(folder, agent, name);
}

/** The listed sessions that are in the folder, each with its file. */
export function listSessions(folder) {
  return listed.map((row) => ({ ...row, file: placeOf(folder, row) })).filter(({ file }) => existsSync(file));
}

/** The hash of the built program: what another one has measured is not mixed with what this one measures. */
export function hashProgram() {
  const dist = fileURLToPath(new URL('../../../dist/', import.meta.url));
  const hash = createHash('sha256');
  const names = readdirSync(dist, { recursive: true }).filter((name) => statSync(path.join(dist, name)).isFile());
  for (const name of names.toSorted((one, other) => (one < other ? -1 : 1)))
    hash.update(name).update(readFileSync(path.join(dist, name)));
  return hash.digest('hex');
}

/** Runs ctx, and parses the JSON that it prints; null if it fails. */
export function askCtx(...args) {
  try {
    const options = { maxBuffer: 2 ** 30, stdio: ['ignore', 'pipe', 'ignore'] };
    return JSON.parse(execFileSync(process.execPath, [bin, ...args, '--json', '--no-config'], options));
  } catch {
    return null;
  }
}

export const AGENTS = {
  'claude-code': 'Claude Code',
  codex: 'Codex',
  'copilot-cli': 'Copilot CLI',
  cursor: 'Cursor',
  droid: 'Droid',
  'gemini-cli': 'Gemini CLI',
  'kimi-code': 'Kimi Code',
  'qwen-code': 'Qwen Code',
  'vscode-chat': 'VS Code chat',
  pi: 'Pi',
};
export const sum = (rows, read) => rows.reduce((total, row) => total + read(row), 0);
export const count = (value) => Math.round(value).toLocaleString('en');
export const percent = (part, whole) =>
  whole === 0 ? '' : `${((100 * part) / whole).toFixed(part / whole < 0.1 ? 1 : 0)} %`;
export const millions = (value) => `${(value / 1e6).toFixed(1)}M`;
export const dollars = (value) => `$${value.toFixed(2)}`;

export function groupBy(rows, read) {
  const groups = new Map();
  for (const row of rows) groups.set(read(row), [...(groups.get(read(row)) ?? []), row]);
  return groups;
}

export function table(head, align, rows) {
  return [head, align, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export function median(values) {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Versions in steps of ten of their last number: 2.1.30 to 2.1.39. */
export function nameVersions(version) {
  const [, start, last] = /^(\d+\.\d+)\.(\d+)/.exec(version ?? '') ?? [];
  if (start === undefined) return version === null ? 'not recorded' : version;
  const ten = Math.floor(Number(last) / 10) * 10;
  return `${start}.${ten} to ${start}.${ten + 9}`;
}

export function compareVersions(one, other) {
  return one.localeCompare(other, 'en', { numeric: true });
}

/** Horizontal bars with their values, in colours that both themes can show. */
export function drawBars(title, bars) {
  const row = 26;
  const width = 800;
  const left = 320;
  const most = Math.max(...bars.map(({ value }) => value));
  const rows = bars.map(({ name, value, label }, at) => {
    const y = 40 + at * row;
    const length = Math.max(1, ((width - left - 120) * value) / most);
    return [
      `<text x="${left - 8}" y="${y + 14}" text-anchor="end">${name}</text>`,
      `<rect x="${left}" y="${y}" width="${length.toFixed(1)}" height="18" rx="2"/>`,
      `<text x="${(left + length + 8).toFixed(1)}" y="${y + 14}">${label}</text>`,
    ].join('');
  });
  const height = 50 + bars.length * row;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">`,
    '<style>text{font:14px system-ui,sans-serif;fill:#6b7280}rect{fill:#3b82f6}.title{font-weight:600}</style>',
    `<text class="title" x="8" y="22">${title}</text>`,
    ...rows,
    '</svg>',
    '',
  ].join('\n');
}

export function write(name, text) {
  writeFileSync(path.join(studies, name), text);
}

export const NOTE = `Figures are written by \`npm run corpus\` (see [the corpus](corpus.md)); do not edit this page.`;

/** The sentence of a study in docs/studies/README.md, kept in the folder of the corpus until readme.mjs collects it. */
export function writeFinding(folder, name, text) {
  writeFileSync(path.join(folder, `${name}.finding.txt`), `${text}\n`);
}

/** The sentences of the studies that have run, in the order of `names`. */
export function readFindings(folder, names) {
  const files = names.map((name) => path.join(folder, `${name}.finding.txt`)).filter((file) => existsSync(file));
  return files.map((file) => readFileSync(file, 'utf8').trimEnd());
}

/** The value below which a share of some values is. */
export function quantile(values, share) {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** A `ctx rpc` that answers one request after the other. */
export class Server {
  constructor() {
    const flags = ['rpc', '--no-config', '--max-tokens', '50000000'];
    this.child = spawn(process.execPath, [bin, ...flags], { stdio: ['pipe', 'pipe', 'ignore'] });
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
    this.id = 0;
  }

  /** Calls a method. Returns its `result` or `error`; `died` if the process ended. */
  async ask(method, params) {
    this.id += 1;
    this.child.stdin.write(`${JSON.stringify({ id: this.id, method, params })}\n`);
    const { value, done } = await this.lines.next();
    return done ? { died: true } : JSON.parse(value);
  }

  end() {
    this.child.stdin.end();
  }
}

/** Some rows of a list, evenly spread over it. */
export function spread(rows, most) {
  if (rows.length <= most) return rows;
  return Array.from({ length: most }, (_, at) => rows[Math.floor((at * (rows.length - 1)) / Math.max(1, most - 1))]);
}

/** A refusal as part of a sentence: without numbers and ids, so that equal ones are counted once. */
export function describeRefusal(refusal) {
  return refusal
    .replaceAll(/\d+/g, 'N')
    .replace(/\bfor item \S+/, 'for an item')
    .replace(/\b[a-z]+_\w+/, 'ID')
    .replace(/\.$/, '');
}
