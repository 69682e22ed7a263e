import type { ByteSource } from '#session/scan/byte-source.js';
import { refuseOtherFile } from '#session/scan/other-files.js';
import type { DiscardedBytes, Repair } from '../bytes/file-editor.js';
import { addLineNumbers, type WithLine } from '../bytes/line-numbers.js';
import { Rope } from '../bytes/rope.js';
import { repairHeader } from './repair-header.js';
import { repairImages } from './repair-images.js';
import { repairLines } from './repair-lines.js';
import { repairLinks } from './repair-links.js';
import { repairMessages } from './repair-messages.js';
import { repairPairs } from './repair-pairs.js';

/**
 * A repaired file before it is written, with its repairs. Offsets, lengths and lines are those of the original file.
 */
export interface RepairPlan {
  /** The new file; the original itself if nothing needs a repair. */
  readonly result: ByteSource;
  /** The repairs in the order of the original file. */
  readonly repairs: readonly WithLine<Repair>[];
  /** Bytes that are not in the new file, in the order of the original file. */
  readonly discarded: readonly DiscardedPart[];
}

interface DiscardedPart extends WithLine<DiscardedBytes> {
  /** The bytes, in pieces; each is valid until the next one is read. */
  bytes(): Generator<Uint8Array>;
}

/**
 * Plans the repair of a session: its lines first, then its header, its messages, the links between its entries, and the
 * tool calls and the images of its context. All other bytes stay unchanged. Throws a CtxError (input) for a file without
 * any part of a session, and for one of another program.
 */
export async function planRepair(source: ByteSource, file: string): Promise<RepairPlan> {
  refuseOtherFile(source, file, { isSession: true });
  const lines = repairLines(source);
  const header = repairHeader(lines.result, file, source.size);
  const messages = repairMessages(header.result, file);
  const links = repairLinks(messages.result, file, lines.discardedParents);
  const pairs = await repairPairs(links.result, file);
  const images = await repairImages(pairs.result, file);
  const repairs: Repair[] = [];
  const discarded: DiscardedBytes[] = [];
  let before = source;
  for (const stage of [lines, header, messages, links, pairs, images]) {
    for (const repair of stage.repairs) repairs.push(mapToOriginal(repair, before));
    for (const part of stage.discarded) discarded.push(mapToOriginal(part, before));
    before = stage.result;
  }
  return {
    result: images.result,
    repairs: addLineNumbers(source, repairs.toSorted(compareOffsets)),
    discarded: addLineNumbers(source, discarded.toSorted(compareOffsets)).map((part) => ({
      ...part,
      bytes: () => readPieces(source, part),
    })),
  };
}

/** Maps a place of a file that earlier stages have edited to the original file. */
function mapToOriginal<Part extends DiscardedBytes>(part: Part, file: ByteSource): Part {
  let start = part.offset;
  let end = part.offset + part.length;
  for (let source = file; source instanceof Rope; source = source.source) {
    start = source.findOrigin(start);
    end = source.findEndOrigin(end);
  }
  return { ...part, offset: start, length: Math.max(0, end - start) };
}

function compareOffsets(a: DiscardedBytes, b: DiscardedBytes): number {
  return a.offset - b.offset;
}

function* readPieces(source: ByteSource, { offset, length }: DiscardedBytes): Generator<Uint8Array> {
  const end = offset + length;
  for (let at = offset; at < end; at += PIECE_BYTES) yield source.read(at, Math.min(at + PIECE_BYTES, end));
}

const PIECE_BYTES = 1 << 18;
