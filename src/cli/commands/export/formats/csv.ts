import { lineOf } from '#analysis/cache/lines.js';
import { reportCache } from '#analysis/cache/report.js';
import { usageOf } from '#analysis/stats/usage-sums.js';
import { asText, isObject, type JsonObject } from '#base/json.js';
import { timeText } from '#base/time.js';
import { usageNumbers } from '#context/replay/tokens.js';
import { type Head, idText } from '#session/table/head.js';
import { csvRow } from '#ui/doc/csv.js';
import type { SessionFormat, SessionToExport } from './define.js';

export default {
  name: 'csv',
  takes: 'session',
  readsBaseline: true,
  summary:
    'the ledger of a path: a line for every call of a provider with its tokens, its cost and what it lost in the cache',
  leavesOut: ['Other branches: ctx stats counts those too.', 'The price of a token, where no cost is recorded.'],
  write: ledger,
} satisfies SessionFormat;

const COLUMNS = [
  'entryId',
  'line',
  'time',
  'source',
  'request',
  'model',
  'stopReason',
  'inputRecorded',
  'cacheReadRecorded',
  'cacheWriteRecorded',
  'outputRecorded',
  'totalRecorded',
  'costRecorded',
  'promptTokensEstimated',
  'prefixTokensEstimated',
  'break',
  'breakEntryId',
  'rebilledTokens',
  'rebilledTokensEstimated',
  'rebilledCost',
];

/** In the order of the path. A request that reported nothing has a line too. */
async function* ledger({ session, path, baseline }: SessionToExport): AsyncGenerator<string> {
  yield csvRow(COLUMNS);
  const { requests } = reportCache({ session, path, readPatch: session.readPatch, baseline });
  const lines = new Map(requests.map((request) => [request.line, lineOf(request)]));
  let rows = '';
  for (const head of path) {
    if (head.usageLength === 0 && head.role !== 'assistant') continue;
    const cells = cellsOf(head, session.entry(head), lines.get(head.line) ?? null);
    if (cells === null) continue;
    rows += csvRow(cells);
    if (rows.length < CHARACTERS_AT_ONCE) continue;
    yield rows;
    rows = '';
  }
  yield rows;
}

const CHARACTERS_AT_ONCE = 1 << 16;

type Cell = Parameters<typeof csvRow>[0][number];

/** null for an entry that no provider was called for. */
function cellsOf(head: Head, entry: JsonObject, request: ReturnType<typeof lineOf> | null): readonly Cell[] | null {
  const record = usageOf(head, entry);
  if (record === null && request === null) return null;
  const used = record && usageNumbers(record.usage);
  const { stopReason } = isObject(entry['message']) ? entry['message'] : entry;
  return [
    idText(head.id),
    head.line,
    timeText(head.time),
    record?.source ?? 'requests',
    request?.request,
    record?.model ?? request?.model,
    stopReason === undefined ? null : asText(stopReason),
    used?.input,
    used?.cacheRead,
    used?.cacheWrite,
    used?.output,
    used && used.input + used.cacheRead + used.cacheWrite + used.output,
    used?.cost,
    ...cacheCells(request),
  ];
}

function cacheCells(request: ReturnType<typeof lineOf> | null): readonly Cell[] {
  const broken = request?.break;
  return [
    request?.promptTokensEstimated,
    request?.prefixTokensEstimated,
    broken?.class,
    broken?.entryId,
    broken?.rebilledTokens,
    broken?.rebilledTokensEstimated,
    broken?.rebilledCost,
  ];
}
