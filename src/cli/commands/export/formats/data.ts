import type { CacheRequest } from '#analysis/cache/document.js';
import { reportCache } from '#analysis/cache/report.js';
import { usageOf } from '#analysis/stats/usage-sums.js';
import { asText, isObject } from '#base/json.js';
import { timeText } from '#base/time.js';
import { familiesOf } from '#cli/sessions/families.js';
import { usageNumbers } from '#context/replay/tokens.js';
import { hostName } from '#platform/processes.js';
import { type Head, idText, keyOfHead, placeKey } from '#session/table/head.js';
import { type CsvColumns, csvTable } from '#ui/doc/csv.js';
import { indentedJson } from '#ui/doc/json.js';
import type {
  RequestFormat,
  SessionFormat,
  SessionToExport,
  TablesFormat,
  TablesToExport,
  WrittenTables,
} from './define.js';

export const json = {
  name: 'json',
  takes: 'request',
  isPayload: false,
  summary: 'the context envelope with the source of each part: the document of ctx show --json',
  leavesOut: [],
  write: ({ envelope }) => ({ pieces: indentedJson(envelope), problems: [] }),
} satisfies RequestFormat;

export const csv = {
  name: 'csv',
  takes: 'session',
  readsBaseline: true,
  summary: 'the ledger of a path: a row per provider call, with tokens, cost and cache break',
  leavesOut: ['Other branches: ctx stats counts those too.', 'Costs that are not recorded.'],
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

export const parquet: TablesFormat = {
  name: 'parquet',
  summary: 'tables of entries, messages, tool calls, usage and envelopes, for SQL over many sessions',
  takes: 'tables',
  leavesOut: [
    'Images: only their number.',
    'What extensions store beside messages, and fields without a column.',
    'Envelopes of requests on other branches; the other tables cover all branches.',
  ],
  write: writeParquet,
};

async function writeParquet({ io, files, folder, force, dataset }: TablesToExport): Promise<WrittenTables> {
  const { problemsOf, writeTableFiles } = await import('#cli/tables/write-tables.js');
  if (dataset) {
    const { writeDataset } = await import('#cli/tables/dataset.js');
    const { sessions, files: written } = await writeDataset({ io, files, folder, host: dataset.host ?? hostName() });
    return {
      sessions: countRead(sessions),
      files: written,
      problems: sessions.flatMap(({ problem }) => problem ?? []),
    };
  }
  const families = await familiesOf(io, files);
  const { sessions, files: written } = await writeTableFiles({
    io,
    families,
    folderOf: () => folder,
    force,
    check: problemsOf,
  });
  return { sessions: countRead(sessions), files: written, problems: problemsOf(sessions) };
}

function countRead(sessions: readonly { readonly isRead: boolean }[]): number {
  return sessions.filter(({ isRead }) => isRead).length;
}
