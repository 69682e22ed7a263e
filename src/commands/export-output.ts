import type { WrittenFile } from '../exports/define.js';
import type { Report } from '../render/define.js';
import type { Doc } from '../render/doc.js';
import { line } from '../render/doc.js';
import { renderers } from '../render/index.js';
import { plainStyle } from '../render/style.js';
import textRenderer from '../render/text.js';
import type { ExportWritten } from '../schemas.js';
import { plural } from '../views/format.js';
import { writeTogether } from '../writing/write-together.js';
import type { ExportInput } from './export.js';

interface ToSave {
  readonly pieces: AsyncIterable<Doc | string>;
  /** The session that it is made from. */
  readonly like: string;
}

/** Writes a new file, and gives its size. Throws a CtxError (refused) where that cannot be. */
export async function savedTo(
  { io, flags, format }: ExportInput,
  file: string,
  { pieces, like }: ToSave,
): Promise<number> {
  let size = 0;
  async function* bytes(): AsyncGenerator<Uint8Array> {
    const encoder = new TextEncoder();
    for await (const piece of pieces) {
      const encoded = encoder.encode(typeof piece === 'string' ? piece : await laidOut(piece, format));
      size += encoded.length;
      yield encoded;
    }
  }
  const options = { force: flags.force ?? false, like: like === '-' ? null : like };
  await writeTogether(io.files.createNew, [{ file, options, bytes: bytes() }]);
  return size;
}

/** Nothing limits the lines of a file. */
async function laidOut(doc: Doc, format: string): Promise<string> {
  const renderer = renderers.find(({ name }) => name === format) ?? textRenderer;
  return renderer.render({ data: null, doc: () => doc }, { format, columns: Infinity, rows: Infinity }, plainStyle);
}

export function writtenReport(of: {
  readonly format: string;
  readonly output: string;
  readonly sessions: number;
  readonly files: readonly WrittenFile[];
}): Report {
  const { format, output, sessions } = of;
  const files = of.files.map(({ file, bytes, rows }) => ({ file, bytes, rows }));
  const data: ExportWritten = { schema: 'ctx/export', schemaVersion: 1, format, output, sessions, files };
  return { data, doc: () => files.map(lineOf) };
}

function lineOf({ file, bytes, rows }: WrittenFile): Doc[number] {
  return line(`${file}: ${plural(bytes, 'byte')}${rows === null ? '' : `, ${plural(rows, 'row')}`}`);
}
