import path from 'node:path';
import { tables } from '#analysis/tables/index.js';
import { CtxError } from '#base/errors.js';
import { groupFamilies } from '#cli/sessions/families.js';
import type { Io } from '#platform/io.js';
import { readHostName } from '#platform/processes.js';
import type { ExportedTables, TablesFormat, TablesToExport } from './define.js';

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

async function writeParquet({ io, files, folder, force, dataset }: TablesToExport): Promise<ExportedTables> {
  refuseMixture(io, folder, dataset !== undefined);
  const { listReadProblems } = await import('#cli/tables/session-tables.js');
  const { writeTableFiles } = await import('#cli/tables/write-table-files.js');
  if (dataset) {
    const { writeDataset } = await import('#cli/tables/dataset.js');
    const { sessions, files: written } = await writeDataset({
      io,
      files,
      folder,
      host: dataset.host ?? readHostName(),
    });
    const problems = sessions.flatMap(({ problem }) => problem ?? []);
    return { sessions: countRead(sessions), files: written, problems };
  }
  const work = { families: await groupFamilies(io, files), folderOf: () => folder, force, check: listReadProblems };
  const { sessions, files: written } = await writeTableFiles({ io, ...work });
  return { sessions: countRead(sessions), files: written, problems: listReadProblems(sessions) };
}

const TABLE_FILES = new Set(tables.map(({ name }) => `${name}.parquet`));

/** Tables and a dataset in one folder would count sessions twice. Throws a CtxError (refused). */
function refuseMixture({ files, cwd }: Io, folder: string, isDataset: boolean): void {
  const names = files.list(path.resolve(cwd || '/', folder));
  const found = names.find((name) => (isDataset ? TABLE_FILES.has(name) : /^_ctx\.host=.*\.json$/.test(name)));
  if (found === undefined) return;
  const hint = isDataset
    ? 'write the dataset to another folder, or remove these tables'
    : 'write the tables to another folder, or add to the dataset with --partition day';
  const what = isDataset ? 'this folder holds tables without partitions' : 'this folder is a dataset';
  throw new CtxError('refused', `${what}: its rows would count twice`, { where: path.join(folder, found), hint });
}

function countRead(sessions: readonly { readonly isRead: boolean }[]): number {
  return sessions.filter(({ isRead }) => isRead).length;
}
