import type { Files } from '#platform/files/files.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import { NEWLINE } from '../bytes/ascii.js';
import { Rope, type RopePiece } from '../bytes/rope.js';
import type { RedactionListener } from './redaction.js';
import type { Redactor } from './redactor.js';

/**
 * The files without their secrets. Names from outside may contain placeholders, which are resolved to the original
 * names. `onReplaced` receives what is replaced in the files.
 */
export function buildRedactedFiles(
  files: Files,
  redactor: Redactor,
  onReplaced: RedactionListener['onReplaced'] = () => {},
): Files {
  const byFile = new Map<string, RedactedFile>();
  const real = (file: string): string => redactor.restoreName(file);
  return {
    async open(file) {
      const source = await files.open(real(file));
      const { size } = source;
      const modified = files.modified(real(file));
      const before = byFile.get(file);
      // A command that follows a session opens it repeatedly.
      const isSame = before?.size === size && before.modified === modified && modified > 0;
      const pieces = isSame ? before.pieces : await redactor.redact(source, file, { onReplaced });
      byFile.set(file, { size, modified, pieces });
      return buildRedactedSource(source, pieces);
    },
    exists: (file) => files.exists(real(file)),
    isPipe: (file) => files.isPipe(real(file)),
    list: (folder) => redactor.redactNames(files.list(real(folder))),
    modified: (file) => files.modified(real(file)),
    state: (file, now) => files.state(real(file), now),
    beginning(file, most) {
      const bytes = files.beginning(real(file), most);
      const redactedBytes = redactor.redactBeginning(bytes, file);
      // A reader that receives less than requested would take it for the whole file.
      return bytes.length < most ? redactedBytes : padWithNewlines(redactedBytes, most);
    },
    // The caller reads only times from the end of a file, and none of its texts.
    ending: (file, most) => files.ending(real(file), most),
    walk(folder, options) {
      const { files: found, unreadable, isFolder } = files.walk(real(folder), options);
      const names = redactor.redactNames([...found.map(({ file }) => file), ...unreadable]);
      const shown = found.map((one, at) => ({ ...one, file: names[at] ?? one.file }));
      return { files: shown, unreadable: names.slice(found.length), isFolder };
    },
    glob: async (pattern, folder) => redactor.redactNames(await files.glob(real(pattern), real(folder))),
    createTemporary: (name) => files.createTemporary(name),
    createNew: (file, options) =>
      files.createNew(real(file), { ...options, like: options.like === null ? null : real(options.like) }),
    openToAppend: (file) => files.openToAppend(real(file)),
    processesWith: (file) => files.processesWith(real(file)),
    isWithin: (file, folder) => files.isWithin(real(file), real(folder)),
    makeFolder: (folder) => files.makeFolder(real(folder)),
  };
}

/** The redacted pieces of a file, as long as the file does not change. */
interface RedactedFile {
  readonly size: number;
  readonly modified: number;
  readonly pieces: readonly RopePiece[];
}

/** A file without its secrets. Unchanged parts are not held in memory. It cannot be reopened by name. */
export function buildRedactedSource(source: ByteSource, pieces: readonly RopePiece[]): ByteSource {
  const { size, isStrict, read, readInto } = new Rope(source, pieces);
  return { size, isStrict, read, readInto, close: () => source.close() };
}

function padWithNewlines(bytes: Uint8Array, least: number): Uint8Array {
  if (bytes.length >= least) return bytes;
  const all = new Uint8Array(least).fill(NEWLINE);
  all.set(bytes);
  return all;
}
