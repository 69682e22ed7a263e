import type { CacheRequest } from '#analysis/cache/document.js';
import { reportCache } from '#analysis/cache/report.js';
import { usageOf } from '#analysis/stats/usage-sums.js';
import { asText, isObject } from '#base/json.js';
import { timeText } from '#base/time.js';
import { usageNumbers } from '#context/replay/tokens.js';
import { type Head, idText, keyOfHead, placeKey } from '#session/table/head.js';
import { type CsvColumns, csvTable } from '#ui/doc/csv.js';
import type { SessionFormat, SessionToExport } from './define.js';

export default {
  name: 'csv',
  takes: 'session',
  readsBaseline: true,
  summary:
    'the ledger of a path: a line for every call of a provider with its tokens, its cost and what it lost in the cache',
  leavesOut: ['Other branches: ctx stats counts those too.', 'The price of a token, where no cost is recorded.'],
  write: (source) => csvTable(COLUMNS, callsOf(source)),
} satisfies SessionFormat;

/** An entry of a path that a provider was called for. */
interface Call {
  readonly head: Head;
  readonly stopReason: unknown;
  readonly record: ReturnType<typeof usageOf>;
  readonly used: ReturnType<typeof usageNumbers> | null;
  readonly request: CacheRequest | undefined;
}

const COLUMNS: CsvColumns<Call> = {
  entryId: ({ head }) => idText(head.id),
  line: ({ head }) => head.line,
  time: ({ head }) => timeText(head.time),
  source: ({ record }) => record?.source ?? 'requests',
  request: ({ request }) => request?.request,
  model: ({ record, request }) => record?.model ?? request?.model,
  stopReason: ({ stopReason }) => (stopReason === undefined ? null : asText(stopReason)),
  inputRecorded: ({ used }) => used?.input,
  cacheReadRecorded: ({ used }) => used?.cacheRead,
  cacheWriteRecorded: ({ used }) => used?.cacheWrite,
  outputRecorded: ({ used }) => used?.output,
  totalRecorded: ({ used }) => used && used.input + used.cacheRead + used.cacheWrite + used.output,
  costRecorded: ({ used }) => used?.cost,
  promptTokensEstimated: ({ request }) => request?.promptTokensEstimated,
  prefixTokensEstimated: ({ request }) => request?.prefixTokensEstimated,
  break: ({ request }) => request?.break?.class,
  breakEntryId: ({ request }) => request?.break?.entryId,
  rebilledTokens: ({ request }) => request?.break?.rebilledTokens,
  rebilledTokensEstimated: ({ request }) => request?.break?.rebilledTokensEstimated,
  rebilledCost: ({ request }) => request?.break?.rebilledCost,
};

/** In the order of the path. A request that reported nothing has a row too. */
function* callsOf({ session, path, baseline }: SessionToExport): Generator<Call> {
  const { requests } = reportCache({ session, path, readPatch: session.readPatch, baseline });
  const known = new Map(requests.map((request) => [placeKey(request), request]));
  for (const head of path) {
    if (head.usageLength === 0 && head.role !== 'assistant') continue;
    const entry = session.entry(head);
    const [record, request] = [usageOf(head, entry), known.get(keyOfHead(head))];
    if (record === null && request === undefined) continue;
    const { stopReason } = isObject(entry['message']) ? entry['message'] : entry;
    yield { head, stopReason, record, used: record && usageNumbers(record.usage), request };
  }
}
