import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readOrder } from './order.mjs';
import { hashProgram, listed, placeOf, Server } from './support.mjs';
import { readTotals } from './totals.mjs';
// Asks ctx about each session of the corpus, and writes what it answered to measured.jsonl in FOLDER, a line for each session.
// write.mjs makes pages of it. Texts of sessions are not in it.
//
//   node build.mjs && node test/studies/corpus/measure.mjs FOLDER
//
// FOLDER is that of fetch.mjs. A session takes about a second. A run that was interrupted goes on, if the program is the same.

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node test/studies/corpus/measure.mjs FOLDER');

const METHODS = ['status', 'get_context', 'list_entries', 'explain_cache', 'check_loss', 'get_stats', 'get_overhead'];

function buildParams(method, file) {
  if (method === 'get_stats' || method === 'get_overhead') return { sessions: [file] };
  if (method === 'get_context') return { file, fields: ['options'] };
  if (method === 'list_entries') return { file, type: 'compaction' };
  return { file };
}

/** The trigger of each compaction, in the order of the file; null where the agent records none. */
function readTriggers(agent, text) {
  if (agent !== 'claude-code') return [];
  return [...text.matchAll(/"compactMetadata":\{[^{}]*?"trigger":"(\w+)"/g)].map(([, trigger]) => trigger);
}

/** The losses of each compaction; null if the server died. */
async function measureCompactions(server, agent, file, entries) {
  const compactions = [];
  const triggers = readTriggers(agent, readFileSync(file, 'utf8'));
  for (const [at, { entryId }] of entries.entries()) {
    const { result, died } = await server.ask('check_loss', { file, revision: entryId });
    if (died) return null;
    if (!result?.boundary) continue;
    compactions.push({ trigger: triggers[at] ?? null, removed: result.counts.total, classes: result.classes });
  }
  return compactions;
}

/** Whether ctx recorded the sums of the second reader; null without such a reader, or if ctx refused the session. */
function compareTotals(agent, file, usageRecorded) {
  const totals = readTotals(agent, file);
  if (totals === null || usageRecorded === undefined) return null;
  return Object.entries(totals).every(([field, sum]) => usageRecorded[field] === sum);
}

/** Whether ctx has the messages of the second reader in their order; null without such a reader. */
async function compareOrder(server, agent, file) {
  const order = readOrder(agent, file);
  if (order === null) return null;
  const { result } = await server.ask('list_entries', { file, type: 'message', max: order.length + 1 });
  return JSON.stringify(result?.items.map(({ role }) => role)) === JSON.stringify(order);
}

async function measure(server, row) {
  const { agent, version, sha256, bytes } = row;
  const file = placeOf(folder, row);
  if (!existsSync(file)) return null;
  const failed = [];
  const answers = {};
  for (const method of METHODS) {
    const { result, error, died } = await server.ask(method, buildParams(method, file));
    if (died) return { agent, version, sha256, died: method };
    if (error && !error.message.startsWith('no entry has the type')) failed.push({ method, message: error.message });
    answers[method] = result;
  }
  const compactions = await measureCompactions(server, agent, file, answers.list_entries?.items ?? []);
  if (compactions === null) return { agent, version, sha256, died: 'check_loss' };
  const usageRecorded = answers.get_stats?.sessions[0]?.usageRecorded;
  const cache = answers.explain_cache?.items.at(-1);
  return {
    agent,
    version,
    sha256,
    bytes,
    failed,
    requests: usageRecorded?.calls ?? 0,
    totals: compareTotals(agent, file, usageRecorded),
    order: await compareOrder(server, agent, file),
    compactions,
    cache: cache && {
      promptTokens: cache.promptTokens,
      cacheRead: cache.cacheRead,
      requests: cache.requestsRecorded,
      byClass: cache.byClass,
    },
  };
}

const program = hashProgram();
const done = path.join(folder, 'measured.jsonl');
const partial = path.join(folder, `measured-${program.slice(0, 12)}.part`);
if (!existsSync(partial)) writeFileSync(partial, '');
const earlier = readFileSync(partial, 'utf8');
// A line without its end was interrupted.
const whole = earlier.slice(0, earlier.lastIndexOf('\n') + 1);
writeFileSync(partial, whole);
const measured = new Set(whole.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).sha256])));

let server = new Server();
let count = 0;
for (const session of listed) {
  count += 1;
  if (measured.has(session.sha256)) continue;
  const row = await measure(server, session);
  if (row === null) continue;
  appendFileSync(partial, `${JSON.stringify(row)}\n`);
  if (row.died) server = new Server();
  if (count % 50 === 0) console.error(`measured ${count} of ${listed.length} sessions`);
}
server.end();
renameSync(partial, done);
