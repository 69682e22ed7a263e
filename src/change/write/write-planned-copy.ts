import type { ByteSource } from '#session/scan/byte-source.js';
import { hashSource } from '../bytes/hash-source.js';
import { Rope } from '../bytes/rope.js';
import type { Plan } from '../plan/plan.js';
import { encodeEntries } from './encode-entries.js';
import { hashLeafContext } from './hash-leaf-context.js';
import { buildRefusal } from './refusals.js';
import type { WriteIo, WriteResult } from './write-contract.js';

interface CopyOptions {
  readonly output: string;
  readonly force: boolean;
  readonly source: ByteSource | undefined;
}

/** Writes a copy of the session with the entries of a plan. The session itself stays unchanged. */
export async function writePlannedCopy(io: WriteIo, plan: Plan, options: CopyOptions): Promise<WriteResult> {
  const { file, size, sha256 } = plan.session;
  const { output, force } = options;
  const source = options.source ?? (await io.files.open(file));
  try {
    if (source.size !== size || hashSource(source) !== sha256) throw buildRefusal('changed', file);
    const copy = new Rope(source, [{ from: 0, length: source.size }, { bytes: encodeEntries(plan) }]);
    if (hashLeafContext(copy, file) !== plan.predicted.sha256) throw buildRefusal('mispredicted', file);
    const target = await io.files.createNew(output, { force, like: file === '-' ? null : file });
    try {
      for (let at = 0; at < copy.size; at += PIECE_BYTES) {
        await target.write(copy.read(at, Math.min(at + PIECE_BYTES, copy.size)));
      }
      target.commit();
    } catch (error) {
      target.abandon();
      throw error;
    }
    return { file: output, oldSize: size, newSize: copy.size, notes: [] };
  } finally {
    if (!options.source) source.close();
  }
}

const PIECE_BYTES = 1 << 20;
