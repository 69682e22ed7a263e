import { readFileSync } from 'node:fs';
// The recorded usage of a session, read from its lines alone: no code of ctx is used, so that its totals can be compared.
// An agent without an entry in READERS records no usage of each request.

/** @typedef {{calls: number, input: number, output: number, cacheRead: number, cacheWrite: number}} Totals */

function* readRecords(text) {
  for (const line of text.split('\n')) {
    try {
      const record = JSON.parse(line);
      if (record !== null && typeof record === 'object') yield record;
    } catch {
      // A damaged line has no usage.
    }
  }
}

function add(totals, { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 }) {
  totals.calls += 1;
  totals.input += input;
  totals.output += output;
  totals.cacheRead += cacheRead;
  totals.cacheWrite += cacheWrite;
}

/** One answer has several lines with the same message and request: the one with the most output is the last. */
function* readClaudeCode(text) {
  const answers = new Map();
  let lines = 0;
  for (const { type, message, requestId } of readRecords(text)) {
    lines += 1;
    const usage = message?.usage;
    if (type !== 'assistant' || usage === undefined || usage === null || message.model === '<synthetic>') continue;
    const key = message.id === undefined ? lines : `${message.id} ${requestId}`;
    const known = answers.get(key)?.output ?? -1;
    if ((usage.output_tokens ?? 0) < known) continue;
    answers.set(key, {
      input: usage.input_tokens ?? 0,
      output: usage.output_tokens ?? 0,
      cacheRead: usage.cache_read_input_tokens ?? 0,
      cacheWrite: usage.cache_creation_input_tokens ?? 0,
    });
  }
  yield* answers.values();
}

/**
 * Each count has the sum of the session and the last request. A sum that was written before counts no request. Where the
 * sum grew by more than the last request, a request between them was interrupted. Some samples have no sum, and others the
 * usage of a turn at its end.
 */
function* readCodex(text) {
  const sums = new Set();
  let before = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0 };
  for (const { type, payload } of readRecords(text)) {
    if (type !== 'event_msg') continue;
    const toUsage = (count) => ({
      input: count.input_tokens - (count.cached_input_tokens ?? 0),
      cacheRead: count.cached_input_tokens ?? 0,
      output: count.output_tokens,
    });
    if (payload?.type === 'turn.completed' && payload.usage) yield toUsage(payload.usage);
    if (payload?.type !== 'token_count') continue;
    const { total_token_usage: sum, last_token_usage: last } = payload.info ?? {};
    if (last && !sum) yield toUsage(last);
    if (!sum || !last || sums.has(JSON.stringify(sum))) continue;
    sums.add(JSON.stringify(sum));
    const gap = {};
    for (const name of ['input_tokens', 'cached_input_tokens', 'output_tokens'])
      gap[name] = (sum[name] ?? 0) - (before[name] ?? 0) - (last[name] ?? 0);
    if (before.input_tokens > 0 && gap.input_tokens > 0 && gap.output_tokens >= 0) yield toUsage(gap);
    yield toUsage(last);
    before = sum;
  }
}

function* readPi(text) {
  for (const { type, message } of readRecords(text)) {
    const usage = type === 'message' && message?.role === 'assistant' ? message.usage : undefined;
    if (!usage) continue;
    yield { input: usage.input, output: usage.output, cacheRead: usage.cacheRead, cacheWrite: usage.cacheWrite };
  }
}

const READERS = { 'claude-code': readClaudeCode, codex: readCodex, pi: readPi };

/**
 * The sums of a file; null for an agent without a reader here.
 * @returns {Totals | null}
 */
export function readTotals(agent, file) {
  const read = READERS[agent];
  if (read === undefined) return null;
  const totals = { calls: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  for (const usage of read(readFileSync(file, 'utf8'))) {
    // A count of nothing is none: samples whose texts were removed have some.
    if (Object.values(usage).some((count) => count > 0)) add(totals, usage);
  }
  return totals;
}
