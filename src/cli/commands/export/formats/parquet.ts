import { familiesOf } from '#cli/sessions/families.js';
import { hostName } from '#platform/processes.js';
import type { TablesFormat, TablesToExport, WrittenTables } from './define.js';

const format: TablesFormat = {
  name: 'parquet',
  summary: 'tables of entries, messages, tool calls, usage and envelopes, for SQL over many sessions',
  takes: 'tables',
  leavesOut: [
    'Images: only how many there are.',
    'What extensions store beside messages, and fields of entries that no column is named for.',
    'Envelopes of requests off the active path; all else is there of all branches.',
  ],
  write,
};

export default format;

async function write({ io, files, folder, force, dataset }: TablesToExport): Promise<WrittenTables> {
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
  const families = familiesOf(io, files);
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
