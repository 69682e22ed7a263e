import path from 'node:path';
import { listAllColumns, type TableName, tables } from '#analysis/tables/index.js';
import type { Family } from '#cli/sessions/families.js';
import type { NewFile } from '#platform/files/new-file.js';
import type { Io } from '#platform/io.js';
import type { SessionReading } from './session-tables.js';
import { writeTables } from './write-tables.js';

/** Sessions, and the folders for the files of their tables. */
interface TableFilesToWrite {
  readonly io: Io;
  readonly families: readonly Family[];
  folderOf(table: TableName): string;
  /** Files that are there may be replaced. */
  readonly force: boolean;
  readonly isWorthThreads?: boolean;
  /** Throws if no file may appear. */
  check?(sessions: readonly SessionReading[]): void;
}

export interface WrittenTableFiles {
  readonly sessions: SessionReading[];
  readonly files: { readonly file: string; readonly bytes: number; readonly rows: number }[];
}

/** Writes all tables of sessions as files of their names, or none. */
export async function writeTableFiles(work: TableFilesToWrite): Promise<WrittenTableFiles> {
  const { io, families, folderOf, force, check } = work;
  const begun = new Map<TableName, { readonly file: string; readonly newFile: NewFile }>();
  const removeFolders: (() => void)[] = [];
  try {
    for (const { name } of tables) {
      removeFolders.unshift(await io.files.makeFolder(folderOf(name)));
      const file = path.join(folderOf(name), `${name}.parquet`);
      begun.set(name, { file, newFile: await io.files.createNew(file, { force, like: null }) });
    }
    const written = await writeTables({
      io,
      families,
      wanted: listAllColumns(),
      take: async (name, bytes) => begun.get(name)?.newFile.write(bytes),
      packing: 'small',
      isWorthThreads: work.isWorthThreads,
    });
    check?.(written.sessions);
    for (const { newFile } of begun.values()) newFile.commit();
    const files = [...begun].flatMap(([name, { file }]) => {
      const table = written.tables.get(name);
      return table ? [{ file, bytes: table.bytes, rows: table.rows }] : [];
    });
    return { sessions: [...written.sessions], files };
  } catch (error) {
    for (const { newFile } of begun.values()) newFile.abandon();
    for (const remove of removeFolders) remove();
    throw error;
  }
}
