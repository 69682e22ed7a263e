import path from 'node:path';
import { type TableName, tables } from '#analysis/tables/index.js';
import { familiesOf } from '#cli/sessions/families.js';
import type { NewFile } from '#platform/files/new-file.js';
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

async function write({ io, files, folder, force }: TablesToExport): Promise<WrittenTables> {
  const { problemsOf, writeTables } = await import('#cli/tables/write-tables.js');
  const removeFolder = await io.files.makeFolder(folder);
  const begun = new Map<TableName, Begun>();
  try {
    for (const { name } of tables) {
      const file = path.join(folder, `${name}.parquet`);
      begun.set(name, { file, made: await io.files.createNew(file, { force, like: null }) });
    }
    const takers = new Map([...begun].map(([name, { made }]) => [name, (bytes: Uint8Array) => made.write(bytes)]));
    const families = familiesOf(io, files);
    const { sessions, tables: done } = await writeTables({ io, families, takers, packing: 'small' });
    const problems = problemsOf(sessions);
    for (const { made } of begun.values()) made.commit();
    const all = [...begun].flatMap(([name, { file }]) => {
      const table = done.get(name);
      return table ? [{ file, bytes: table.bytes, rows: table.rows }] : [];
    });
    return { sessions: sessions.filter(({ isRead }) => isRead).length, files: all, problems };
  } catch (error) {
    for (const { made } of begun.values()) made.abandon();
    removeFolder();
    throw error;
  }
}

interface Begun {
  readonly file: string;
  readonly made: NewFile;
}
