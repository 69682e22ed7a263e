import { CtxError } from '#base/errors.js';
import type { AppendFile } from '#platform/files/append-file.js';
import { toByteSource } from '../../src/session/scan/byte-source.js';

/** A file in memory that is appended to; its journal is a file beside it. */
export function memoryAppendFile(
  files: Record<string, string | Uint8Array>,
  name: string,
  modified: (name: string) => number,
): AppendFile {
  if (!Object.hasOwn(files, name))
    throw new CtxError('refused', 'there is no such file', { where: name, hint: 'check the path' });
  if (Object.hasOwn(files, `${name}.lock`))
    throw new CtxError('refused', 'another program is writing to this session', { where: name, hint: 'wait' });
  const journal = `${name}.ctx-journal`;
  const bytes = (): Uint8Array => Buffer.from(files[name] ?? '');
  return {
    name,
    look: () => ({
      size: bytes().length,
      modified: modified(name),
      identity: name,
      isFile: true,
      isFolder: false,
      mode: 0o644,
    }),
    isInPlace: () => Object.hasOwn(files, name),
    source: () => toByteSource(bytes()),
    append(addition) {
      files[name] = Buffer.concat([bytes(), addition]);
      return addition.length;
    },
    truncate(size) {
      files[name] = bytes().subarray(0, size);
    },
    flush: () => {},
    journal: () => (Object.hasOwn(files, journal) ? Buffer.from(files[journal] ?? '') : null),
    setJournal(kept) {
      if (kept) files[journal] = kept;
      else delete files[journal];
    },
    processes: () => [],
    release: async () => {},
  };
}
