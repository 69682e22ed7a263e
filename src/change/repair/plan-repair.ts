import type { ByteSource } from '#session/scan/byte-source.js';
import { refuseOtherFile } from '#session/scan/other-files.js';
import type { DiscardedBytes, EditedFile, Repair } from '../bytes/file-editor.js';
import { addLineNumbers, type WithLine } from '../bytes/line-numbers.js';
import { Rope } from '../bytes/rope.js';
import { repairHeader } from './repair-header.js';
import { repairImages } from './repair-images.js';
import { repairLines } from './repair-lines.js';
import { repairLinks } from './repair-links.js';
import { repairMessages } from './repair-messages.js';
import { repairPairs } from './repair-pairs.js';

/** A repaired file before it is written, with its repairs. Offsets, lengths and lines are those of the original file. */
export interface RepairPlan {
  /** The new file; the original itself if nothing needs a repair. */
  readonly result: ByteSource;
  readonly repairs: readonly WithLine<Repair>[];
  /** The lost bytes, which are not in the new file, in the order of the old one. */
  readonly lost: readonly LostPart[];
}

interface LostPart extends WithLine<DiscardedBytes> {
  /** The bytes, in pieces; each is valid until the next one is asked for. */
  bytes(): Generator<Uint8Array>;
}

/**
 * Plans the repair of a session: its lines first, then its header, its messages, the links between its entries, and the
 * tool calls and the images of its context. All other bytes stay unchanged. `file` is its name. Throws a CtxError (input) for a file without any part
 * of a session, and for one of another program.
 */
export async function planRepair(source: ByteSource, file: string): Promise<RepairPlan> {
  refuseOtherFile(source, file, { isSession: true });
  const lines = repairLines(source);
  const header = repairHeader(lines.result, file, source.size);
  const messages = repairMessages(header.result, file);
  const links = repairLinks(messages.result, file, lines.lostParents);
  const pairs = await repairPairs(links.result, file);
  const images = await repairImages(pairs.result, file);
  const steps: readonly Step[] = [
    { edited: lines, from: source },
    { edited: header, from: lines.result },
    { edited: messages, from: header.result },
    { edited: links, from: messages.result },
    { edited: pairs, from: links.result },
    { edited: images, from: pairs.result },
  ];
  const repairs = steps.flatMap(({ edited, from }) => edited.repairs.map((repair) => atOrigin(repair, from)));
  const lost = steps.flatMap(({ edited, from }) =>
    edited.lost.map((part) => atOrigin(part, from)).map((part) => ({ ...part, bytes: () => piecesOf(source, part) })),
  );
  return { result: images.result, ...inOrder(source, repairs, lost) };
}

interface Step {
  readonly edited: EditedFile;
  /** The file that the step was given. */
  readonly from: ByteSource;
}

/** Maps a place of the repaired file to the old file. */
function atOrigin<Part extends DiscardedBytes>(part: Part, from: ByteSource): Part {
  let [start, end] = [part.offset, part.offset + part.length];
  for (let source = from; source instanceof Rope; source = source.source)
    [start, end] = [source.originOf(start), source.originOfEnd(end)];
  return { ...part, offset: start, length: Math.max(0, end - start) };
}

/** Adds the lines, and puts everything in the order of the old file. */
function inOrder<One extends DiscardedBytes, Other extends DiscardedBytes>(
  source: ByteSource,
  repairs: readonly One[],
  lost: readonly Other[],
): { repairs: readonly WithLine<One>[]; lost: readonly WithLine<Other>[] } {
  const withLine = addLineNumbers(source, [...repairs, ...lost]);
  const sorted = <Part extends DiscardedBytes>(parts: readonly Part[]): readonly WithLine<Part>[] =>
    parts.toSorted((a, b) => a.offset - b.offset).map((part) => withLine(part));
  return { repairs: sorted(repairs), lost: sorted(lost) };
}

const PIECE_BYTES = 1 << 18;

function* piecesOf(source: ByteSource, { offset, length }: DiscardedBytes): Generator<Uint8Array> {
  const end = offset + length;
  for (let at = offset; at < end; at += PIECE_BYTES) yield source.read(at, Math.min(at + PIECE_BYTES, end));
}
