import { CtxError } from '#base/errors.js';
import { Rope } from '#change/bytes/rope.js';
import { planRepair, type RepairPlan } from '#change/repair/plan-repair.js';
import { type ByteSource, toByteSource } from '../../src/session/scan/byte-source.js';

/** A plan for a file that is there as bytes, with the bytes of the new file. */
export interface RepairedFile extends RepairPlan {
  readonly bytes: Uint8Array;
  readonly lostBytes: Uint8Array;
}

export async function repairBytes(file: Uint8Array, name = 'session.jsonl'): Promise<RepairedFile> {
  const plan = await planRepair(toByteSource(file), name);
  const lost = plan.discarded.flatMap((part) => Array.from(part.bytes(), (piece) => Uint8Array.from(piece)));
  return { ...plan, bytes: allOf(plan.result), lostBytes: Buffer.concat(lost) };
}

/** null for a file that has nothing of a session. */
export async function repairIfSession(file: Uint8Array): Promise<RepairedFile | null> {
  try {
    return await repairBytes(file);
  } catch (error) {
    if (error instanceof CtxError && error.kind === 'input') return null;
    throw error;
  }
}

/** What was repaired, and what is lost, a line each: line, rule, entry, place and message; or line, rule and bytes. */
export function saidOf({ repairs, discarded: lost }: RepairPlan, file: string): readonly string[] {
  const said = ({ line, code, entryId, offset, length, message }: RepairPlan['repairs'][number]): string =>
    `${line} ${code} ${entryId ?? '-'} ${offset}+${length}: ${message}`;
  const gone = ({ line, code, offset, length }: RepairPlan['discarded'][number]): string =>
    `${line} ${code} lost: ${Buffer.from(file).toString('utf8', offset, offset + length)}`;
  return [...repairs.map(said), ...lost.map(gone)];
}

export function allOf(source: ByteSource): Uint8Array {
  return Uint8Array.from(source.read(0, source.size));
}

/** Which bytes of the old file are in the new one. */
export function keptBytes(source: ByteSource, size: number): Uint8Array {
  if (!(source instanceof Rope)) return new Uint8Array(size).fill(1);
  const inner = source.source;
  const there = new Uint8Array(inner.size);
  for (const piece of source.pieces) if (!('bytes' in piece)) there.fill(1, piece.from, piece.from + piece.length);
  if (!(inner instanceof Rope)) return there;
  // Bytes of the old file are in the new one if what they became in between is.
  const kept = new Uint8Array(size);
  for (const [from, to] of origins(inner)) if (there[from] === 1) kept[to] = 1;
  return kept;
}

/** Each byte of a rope that comes from the file below all ropes, and its place there. */
function* origins(rope: Rope): Generator<readonly [from: number, to: number]> {
  const below = rope.source instanceof Rope ? new Map(origins(rope.source)) : null;
  let at = 0;
  for (const piece of rope.pieces) {
    if ('bytes' in piece) {
      at += piece.bytes.length;
      continue;
    }
    for (let offset = 0; offset < piece.length; offset += 1, at += 1) {
      const to = below ? below.get(piece.from + offset) : piece.from + offset;
      if (to !== undefined) yield [at, to];
    }
  }
}
