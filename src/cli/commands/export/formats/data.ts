import { familiesOf } from '#cli/sessions/families.js';
import { hostName } from '#platform/processes.js';
import { indentedJson } from '#ui/doc/json.js';
import type { RequestFormat, TablesFormat, TablesToExport, WrittenTables } from './define.js';

export const json = {
  name: 'json',
  takes: 'request',
  isPayload: false,
  summary: 'the context envelope with the source of each part: the document of ctx show --json',
  leavesOut: [],
  write: ({ envelope }) => ({ pieces: indentedJson(envelope), problems: [] }),
} satisfies RequestFormat;

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
