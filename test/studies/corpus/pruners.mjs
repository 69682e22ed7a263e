import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { envelopeAt, openSession } from '../../../dist/index.js';
import {
  bin,
  count,
  drawBars,
  listSessions,
  median,
  NOTE,
  percent,
  spread,
  sum,
  table,
  write,
  writeFinding,
} from './support.mjs';
// Compares pruners: the bytes that they take from the file, the tokens that they take from the next request, and the pairs of
// call and result that they break.
//
//   node build.mjs && node test/studies/corpus/pruners.mjs FOLDER PRUNERS.json
//
// FOLDER is that of fetch.mjs. PRUNERS.json names other pruners, [{"name","version","command":["program","IN","OUT"]}]: each
// command reads the session IN and writes the pruned one as OUT, in any way that its authors document.

const [folder, others] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node test/studies/corpus/pruners.mjs FOLDER [PRUNERS.json]');

/** The sessions of Claude Code that are pruned, evenly spread over those of the list. */
const MOST_SESSIONS = 6;
/** In bytes: smaller sessions have little to prune, and larger ones take long. */
const [LEAST, MOST] = [600_000, 1_500_000];

const own = [
  { name: 'ctx prune', flags: [] },
  { name: 'ctx prune --zone red', flags: ['--zone', 'red'] },
].map(({ name, flags }) => ({
  name,
  version: 'this one',
  command: [process.execPath, bin, 'prune', 'IN', '--output', 'OUT', '--yes', '--no-config', ...flags],
}));
const pruners = [...own, ...(others === undefined ? [] : JSON.parse(readFileSync(others, 'utf8')))];

/** Calls without a result, and results without a call. The last message may have calls that are not answered yet. */
function countBroken(messages) {
  const calls = new Set();
  const results = new Set();
  for (const [at, { role, content, toolCallId }] of messages.entries()) {
    if (role === 'toolResult') results.add(toolCallId);
    const blocks = role === 'assistant' && Array.isArray(content) && at < messages.length - 1 ? content : [];
    for (const { type, id } of blocks) if (type === 'toolCall') calls.add(id);
  }
  const open = [...calls].filter((id) => !results.has(id));
  const orphans = [...results].filter((id) => !calls.has(id));
  return open.length + orphans.length;
}

/** The context of the next request, as ctx reads the file; null if it cannot. */
async function readContext(file) {
  try {
    const session = await openSession(readFileSync(file));
    const { meta, messages } = envelopeAt(session, session.tree.leaf.id, { lenient: true });
    const sent = [...messages.cached, ...messages.uncached].map((each) => each.message ?? each);
    return { size: meta.size, estimated: meta.tokens.total, messages: sent.length, broken: countBroken(sent) };
  } catch {
    return null;
  }
}

/** Runs a pruner on a session. Its tokens are a share of those of the messages, as `ctx prune` counts them. */
async function prune({ command }, file, before, at) {
  const out = path.join(working, `${at}.jsonl`);
  rmSync(out, { force: true });
  const [program, ...words] = command.map((word) => (word === 'IN' ? file : word === 'OUT' ? out : word));
  const [status] = await once(spawn(program, words, { stdio: 'ignore' }), 'exit');
  const after = status === 0 ? await readContext(out) : null;
  if (after === null) return { failed: true };
  const ofMessages = before.size.tokens - (before.size.notItemised ?? 0);
  return {
    failed: false,
    bytes: 1 - statSync(out).size / statSync(file).size,
    tokens: ((1 - after.estimated / before.estimated) * ofMessages) / before.size.tokens,
    broken: Math.max(0, after.broken - before.broken),
    messages: after.messages / before.messages,
  };
}

const working = mkdtempSync(path.join(tmpdir(), 'ctx-pruners-'));
const results = new Map(pruners.map(({ name }) => [name, []]));
const candidates = listSessions(folder).filter(
  ({ agent, bytes }) => agent === 'claude-code' && bytes >= LEAST && bytes <= MOST,
);
const sessions = [];
for (const { file, repository } of spread(candidates, MOST_SESSIONS)) {
  const before = await readContext(file);
  if (before === null || before.size.recorded === 0) continue;
  sessions.push(repository);
  const pruned = await Promise.all(pruners.map((pruner, at) => prune(pruner, file, before, at)));
  for (const [at, { name }] of pruners.entries()) results.get(name).push(pruned[at]);
}
rmSync(working, { recursive: true });

const share = (value) => (value < 0 ? `-${percent(-value, 1)}` : percent(value, 1));
const measured = pruners.map(({ name, version }) => {
  const rows = results.get(name);
  const done = rows.filter(({ failed }) => !failed);
  return {
    name,
    version,
    rows,
    done,
    bytes: median(done.map(({ bytes }) => bytes)),
    tokens: median(done.map(({ tokens }) => tokens)),
    whole: done.filter(({ broken }) => broken === 0),
  };
});
const tableRows = measured.map(({ name, version, rows, done, bytes, tokens, whole }) => [
  `${name}${version === 'this one' ? '' : ` ${version}`}`,
  `${count(done.length)} of ${count(rows.length)}`,
  share(bytes),
  share(tokens),
  percent(median(done.map(({ messages }) => messages)), 1),
  count(sum(done, ({ broken }) => broken)),
  `${count(whole.length)} of ${count(done.length)}`,
]);
const foreign = measured.filter(({ version, done }) => version !== 'this one' && done.length > 0);
const range = (read) => `${share(Math.min(...measured.map(read)))} to ${share(Math.max(...measured.map(read)))}`;
const breaking = foreign.filter(({ done, whole }) => whole.length < done.length);

write(
  'pruners.svg',
  drawBars(
    'Taken from the file, and from the next request',
    measured.flatMap(({ name, bytes, tokens }) => [
      { name: `${name}: bytes of the file`, value: Math.max(0, bytes), label: share(bytes) },
      { name: 'tokens of the next request', value: Math.max(0, tokens), label: share(tokens) },
    ]),
  ),
);
write(
  'pruners.md',
  `# Pruners side by side

${NOTE.replace('npm run corpus', 'node test/studies/corpus/pruners.mjs')}

A pruner makes a session smaller. What counts is the next request, not the file: much of a file is never sent, such as snapshots and progress, or was sent before a compaction. Each pruner got a copy of the same ${count(sessions.length)} sessions of Claude Code from ${count(new Set(sessions).size)} repositories, with its defaults.

![Bytes and tokens](pruners.svg)

${table(['Pruner', 'Sessions', 'Bytes of the file, median', 'Tokens of the next request, median', 'Messages kept, median', 'Pairs broken', 'All pairs whole'], ['---', '--:', '--:', '--:', '--:', '--:', '--:'], tableRows)}

A broken pair is a call without its result, or a result without its call. The provider refuses a request with one, unless the client repairs it. \`ctx prune\` writes a copy that [real clients resume](../use/copies.md); the tests of \`ctx\` try that.

## Limits

- Tokens are an estimate: the messages have what the provider counted, less the prompt and the tools, which no pruner removes. A pruner takes the share of them that its characters have.
- The other pruners were not resumed in a client here. "Pairs" are those of the messages that \`ctx\` reads from the file.
- A pruner that drops a conversation saves the most. Whether what it drops was needed is another question: see [what summaries answer](questions.md).
- \`ccs-cloner\` is the package of npm. The others ran from their public sources: \`claude-prune\` and \`cmv\` by a wrapper that calls their pruning function, \`cozempic\` in an older version than the newest one.
- Each ran with defaults. All have settings that take more or less.
`,
);
writeFinding(
  folder,
  'pruners',
  `**A smaller file is not a smaller request.** ${count(measured.length)} ways to prune took ${range(({ bytes }) => bytes)} of the bytes of a file, and ${range(({ tokens }) => tokens)} of the tokens of the next request. ${breaking.length === 0 ? 'No pruner broke a pair of call and result' : `${breaking.map(({ name }) => name).join(' and ')} broke pairs of call and result`}: [pruners side by side](pruners.md).`,
);
