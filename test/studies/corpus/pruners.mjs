import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { envelopeAt, openSession } from '../../../dist/index.js';
import { SOURCE } from './clone.mjs';
import { installPruners, runPruner } from './pruner-programs.mjs';
import { CLIENTS, resume, startClient } from './resumed.mjs';
import {
  AGENTS,
  count,
  drawBars,
  groupBy,
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
// Compares pruners: the bytes that they take from the file, what they take from the next request of the real client, the pairs
// of call and result that they break, and whether the client resumes what they wrote.
//
//   node build.mjs && node test/studies/corpus/pruners.mjs FOLDER [--from URL]
//
// FOLDER is that of fetch.mjs, and gets the pruners too. --from is where their sources are cloned from. The real clients are
// those of test/clients/npm: (cd test/clients/npm && npm ci --ignore-scripts).

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { from: { type: 'string', default: SOURCE } },
});
const [folder] = positionals;
if (folder === undefined) throw new Error('usage: node test/studies/corpus/pruners.mjs FOLDER [--from URL]');

/** The sessions of an agent that are pruned, evenly spread over those of the list. */
const MOST_SESSIONS = 8;
/** In bytes: smaller sessions have little to prune, and larger ones take long. */
const [LEAST, MOST] = [600_000, 1_500_000];

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
    const { messages } = envelopeAt(session, session.tree.leaf.id, { lenient: true });
    const sent = [...messages.cached, ...messages.uncached].map((each) => each.message ?? each);
    return { messages: sent.length, broken: countBroken(sent) };
  } catch {
    return null;
  }
}

/** Prunes a session, and resumes the result. `whole` is what the client sends for the session itself. */
async function prune(client, pruner, { file, before, whole }) {
  const failure = pruner.missing ?? runPruner(pruner, file, out);
  const after = failure === null ? await readContext(out) : null;
  if (after === null) return { failure: failure ?? 'ctx cannot read the result' };
  const resumed = await resume(client, out, file);
  return {
    failure: null,
    bytes: 1 - statSync(out).size / statSync(file).size,
    request: resumed.failure === null ? 1 - resumed.characters / whole.characters : null,
    broken: Math.max(0, after.broken - before.broken),
    messages: after.messages / before.messages,
    refusal: resumed.failure,
  };
}

/** Tries the pruners of an agent with its sessions, one after the other: the clients of a machine share its processors. */
async function pruneAll(agent, pruners) {
  const candidates = listSessions(folder).filter(
    (row) => row.agent === agent && row.bytes >= LEAST && row.bytes <= MOST,
  );
  const client = await startClient(agent);
  const rows = [];
  const left = [];
  for (const { file, repository } of spread(candidates, MOST_SESSIONS)) {
    const before = await readContext(file);
    const whole = before === null ? { failure: 'ctx cannot read it' } : await resume(client, file, file);
    if (whole.failure !== null) {
      left.push(whole.failure);
      continue;
    }
    for (const pruner of pruners)
      rows.push({ agent, repository, file, pruner, ...(await prune(client, pruner, { file, before, whole })) });
  }
  await client.end();
  return { rows, left };
}

const working = mkdtempSync(path.join(tmpdir(), 'ctx-pruners-'));
const out = path.join(working, 'out.jsonl');
const installed = await installPruners(folder, values.from);
const own = installed.filter(({ version }) => version === 'this one');
const found = [await pruneAll('claude-code', installed), await pruneAll('codex', own)];
rmSync(working, { recursive: true });

const results = found.flatMap(({ rows }) => rows);
const left = found.flatMap((each) => each.left);
const share = (value) => (value < -0.0005 ? `-${percent(-value, 1)}` : percent(Math.max(0, value), 1));
const measured = [...groupBy(results, ({ agent, pruner }) => `${agent} ${pruner.name}`).values()].map((rows) => {
  const [{ agent, pruner }] = rows;
  const done = rows.filter(({ failure }) => failure === null);
  const resumed = done.filter(({ refusal }) => refusal === null);
  return {
    agent,
    name: `${pruner.name}${pruner.version === 'this one' ? '' : ` ${pruner.version}`}`,
    rows,
    done,
    resumed,
    bytes: median(done.map(({ bytes }) => bytes)),
    request: median(resumed.map(({ request }) => request)),
  };
});
const tableRows = measured.map(({ agent, name, rows, done, resumed, bytes, request }) => [
  AGENTS[agent],
  name,
  `${count(done.length)} of ${count(rows.length)}`,
  done.length === 0 ? '' : share(bytes),
  resumed.length === 0 ? '' : share(request),
  done.length === 0 ? '' : percent(median(done.map(({ messages }) => messages)), 1),
  count(sum(done, ({ broken }) => broken)),
  `${count(resumed.length)} of ${count(done.length)}`,
]);
/** Why there is no result, or why it was not resumed, each once with the number of sessions. */
const faults = [
  ...groupBy(
    results.filter(({ failure, refusal }) => failure !== null || refusal !== null),
    ({ pruner, failure, refusal }) => `${pruner.name}: ${failure ?? refusal}`,
  ),
].map(([what, rows]) => `- ${what} (${count(rows.length)} ${rows.length === 1 ? 'session' : 'sessions'})`);
const ofClaude = measured.filter(({ agent, done }) => agent === 'claude-code' && done.length > 0);
const range = (read) => `${share(Math.min(...ofClaude.map(read)))} to ${share(Math.max(...ofClaude.map(read)))}`;
const countSessions = (agent) => new Set(results.filter((row) => row.agent === agent).map(({ file }) => file)).size;
const repositories = new Set(results.map(({ repository }) => repository)).size;
const brokenPairs = sum(
  measured.flatMap(({ done }) => done),
  ({ broken }) => broken,
);
const notResumed = sum(measured, ({ done, resumed }) => done.length - resumed.length);
const copies = sum(measured, ({ done }) => done.length);

write(
  'pruners.svg',
  drawBars(
    'Taken from the file, and from the next request',
    ofClaude.flatMap(({ name, bytes, request }) => [
      { name: `${name}: file`, value: Math.max(0, bytes), label: share(bytes) },
      { name: 'next request', value: Math.max(0, request), label: share(request) },
    ]),
  ),
);
write(
  'pruners.md',
  `# Pruners side by side

${NOTE}

A pruner makes a session smaller. What counts is the next request, not the file: much of a file is never sent, such as snapshots and progress, or was sent before a compaction. Each pruner got a copy of the same ${count(countSessions('claude-code'))} sessions of Claude Code, and ours also of ${count(countSessions('codex'))} of Codex, from ${count(repositories)} repositories. Then the real client (${CLIENTS['claude-code']}, ${CLIENTS.codex}) resumed what the pruner wrote. The request that it sent next is compared with its request for the session as it was.

![Bytes and requests](pruners.svg)

${table(['Agent', 'Pruner', 'Wrote', 'Taken from the file, median', 'Taken from the next request, median', 'Messages kept, median', 'Pairs broken', 'Resumed'], ['---', '---', '--:', '--:', '--:', '--:', '--:', '--:'], tableRows)}

"Resumed": the client opened the file, and a provider that refuses what the API refuses took its request. ${faults.length === 0 ? 'No file was refused.' : `What went wrong:\n\n${faults.join('\n')}`}

A broken pair is a call without its result, or a result without its call, in the messages that \`ctx\` reads from the file. A client may repair it before it sends the messages.

## Limits

- A request is measured by the characters of its messages. The prompt and the tools, which no pruner removes, are not in it.
- The provider is a script on loopback with [rules of the API](../../test/clients/strict-api.ts). It answers without a model, so that nothing is known about the quality of the answers.
- A pruner that drops a conversation saves the most. Whether what it drops was needed is another question: see [what summaries answer](questions.md).
- \`ccs-cloner\` is the package of npm. The others run from their public sources, at a commit that [the script](../../test/studies/corpus/pruner-programs.mjs) names. \`cozempic\` is older than its newest version.
- Each ran with defaults, but \`claude-prune\` without its model. All have settings that take more or less.
- No other pruner of Codex sessions could be had from npm or from a public source.${left.length === 0 ? '' : `\n- ${count(left.length)} sessions are left out, since the client did not resume the session itself: ${[...new Set(left)].join('; ')}.`}
`,
);
writeFinding(
  folder,
  'pruners',
  `**A smaller file is not a smaller request.** ${count(ofClaude.length)} ways to prune took ${range(({ bytes }) => bytes)} of the bytes of a Claude Code session, and ${range(({ request }) => request)} of the next request. The real clients resumed ${notResumed === 0 ? `all ${count(copies)} results` : `${count(copies - notResumed)} of ${count(copies)} results`}${brokenPairs === 0 ? ', and no pair of call and result was broken' : ''}: [pruners side by side](pruners.md).`,
);
