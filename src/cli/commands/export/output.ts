import path from 'node:path';
import { sumBy } from '#base/lists.js';
import { pluralize } from '#base/numbers.js';
import { writeTogether } from '#platform/files/write-together.js';
import type { Io } from '#platform/io.js';
import { type Doc, line } from '#ui/doc/doc.js';
import { chooseRenderer } from '#ui/doc/index.js';
import type { Printable } from '#ui/doc/renderer.js';
import { plainStyle } from '#ui/doc/style.js';
import type { ExportDocument } from './document.js';
import type { ExportedFile } from './formats/define.js';

interface ToSave {
  readonly io: Io;
  /** A file that is there may be replaced. */
  readonly force: boolean | undefined;
  /** How documents are laid out. */
  readonly format: string;
  readonly pieces: Iterable<string> | AsyncIterable<Doc | string>;
  /** The session that the file is derived from; `-` or null without a file. */
  readonly like: string | null;
}

/** Writes a new file and returns its size. Throws a CtxError (refused) if it cannot be written. */
export async function saveExport(file: string, { io, force = false, format, pieces, like }: ToSave): Promise<number> {
  let size = 0;
  async function* bytes(): AsyncGenerator<Uint8Array> {
    const encoder = new TextEncoder();
    for await (const piece of pieces) {
      const encoded = encoder.encode(typeof piece === 'string' ? piece : await layOut(piece, format));
      size += encoded.length;
      yield encoded;
    }
  }
  const options = { force, like: like === '-' ? null : like };
  await writeTogether(io.files.createNew, [{ file, options, bytes: bytes() }]);
  return size;
}

/** Nothing limits the lines of a file. */
async function layOut(doc: Doc, format: string): Promise<string> {
  const view = { format, columns: Infinity, rows: Infinity };
  return chooseRenderer(format).render({ data: null, doc: () => doc }, view, plainStyle);
}

/** The files that an export wrote. */
interface WrittenExport {
  readonly format: string;
  readonly output: string;
  readonly sessions: number;
  readonly files: readonly ExportedFile[];
  /** Whether the files are partitions, which may be thousands. */
  readonly isDataset?: boolean;
}

/** The answer of an export: the files with their sizes, or the folder of a dataset. */
export function toExportResult({
  format,
  output,
  sessions,
  files: written,
  isDataset = false,
}: WrittenExport): Printable {
  const files = written.map(({ file, bytes, rows }) => ({ file, bytes, rows }));
  const data: ExportDocument = { schema: 'ctx/export', schemaVersion: 1, format, output, sessions, files };
  return { data, doc: () => (isDataset ? renderDataset(files) : files.map(renderFile)) };
}

function renderDataset(files: readonly ExportedFile[]): Doc {
  if (files.length === 0) return [line('nothing written: the dataset has all sessions')];
  const names = [...new Set(files.map(({ file }) => path.basename(file)))];
  return names.map((name) => {
    const own = files.filter(({ file }) => path.basename(file) === name);
    const bytes = sumBy(own, (file) => file.bytes);
    const rows = sumBy(own, (file) => file.rows ?? 0);
    return line(
      `${path.parse(name).name}: ${pluralize(own.length, 'day')}, ${pluralize(bytes, 'byte')}, ${pluralize(rows, 'row')}`,
    );
  });
}

function renderFile({ file, bytes, rows }: ExportedFile): Doc[number] {
  return line(`${file}: ${pluralize(bytes, 'byte')}${rows === null ? '' : `, ${pluralize(rows, 'row')}`}`);
}
