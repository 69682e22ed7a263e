import type { ByteSource } from '#session/scan/bytes.js';
import type { Edited, Lost, Repair } from '../bytes/editing.js';
import { Rope } from '../bytes/rope.js';
import { linesAt } from './lines-at.js';
import { mendHeader } from './mend-header.js';
import { mendLines } from './mend-lines.js';
import { mendLinks } from './mend-links.js';
import { mendPairs } from './mend-pairs.js';

/** A mended file that is not written yet, and how it came about. Offsets, lengths and lines are those of the old file. */
export interface RepairPlan {
  /** The new file; the old one itself where there is nothing to mend. */
  readonly result: ByteSource;
  readonly repairs: readonly (Repair & { readonly line: number })[];
  /** What is not in the new file, in the order of the old one. */
  readonly lost: readonly LostPart[];
}

interface LostPart extends Lost {
  readonly line: number;
  /** The bytes, in pieces; each is valid until the next one is asked for. */
  bytes(): Generator<Uint8Array>;
}

/**
 * Plans how to mend a session: its lines first, then its header, the links between its entries, and at last the tool
 * calls of its context. Every byte that need not change stays. `file` is its name. Throws a CtxError (input) for a file
 * that has nothing of a session.
 */
export async function planRepair(source: ByteSource, file: string): Promise<RepairPlan> {
  const lines = mendLines(source);
  const header = mendHeader(lines.result, file, source.size);
  const links = mendLinks(header.result, file, lines.lostParents);
  const pairs = await mendPairs(links.result, file);
  const steps: readonly Step[] = [
    { edited: lines, from: source },
    { edited: header, from: lines.result },
    { edited: links, from: header.result },
    { edited: pairs, from: links.result },
  ];
  const repairs = steps.flatMap(({ edited, from }) => edited.repairs.map((repair) => atOrigin(repair, from)));
  const lost = steps.flatMap(({ edited, from }) =>
    edited.lost.map((part) => atOrigin(part, from)).map((part) => ({ ...part, bytes: () => piecesOf(source, part) })),
  );
  return { result: pairs.result, ...inOrder(source, repairs, lost) };
}

interface Step {
  readonly edited: Edited;
  /** The file that the step was given. */
  readonly from: ByteSource;
}

/** Where in the old file something is that was found in one that is made of it. */
function atOrigin<Part extends Lost>(part: Part, from: ByteSource): Part {
  let [start, end] = [part.offset, part.offset + part.length];
  for (let source = from; source instanceof Rope; source = source.source)
    [start, end] = [source.originOf(start), source.originOfEnd(end)];
  return { ...part, offset: start, length: Math.max(0, end - start) };
}

/** Adds the lines, and puts everything in the order of the old file. */
function inOrder<One extends Lost, Other extends Lost>(
  source: ByteSource,
  repairs: readonly One[],
  lost: readonly Other[],
): { repairs: readonly WithLine<One>[]; lost: readonly WithLine<Other>[] } {
  const lineOf = linesAt(
    source,
    [...repairs, ...lost].map(({ offset }) => offset),
  );
  const sorted = <Part extends Lost>(parts: readonly Part[]): readonly WithLine<Part>[] =>
    parts.toSorted((a, b) => a.offset - b.offset).map((part) => ({ ...part, line: lineOf(part.offset) }));
  return { repairs: sorted(repairs), lost: sorted(lost) };
}

type WithLine<Part> = Part & { readonly line: number };

const PIECE_BYTES = 1 << 18;

function* piecesOf(source: ByteSource, { offset, length }: Lost): Generator<Uint8Array> {
  const end = offset + length;
  for (let at = offset; at < end; at += PIECE_BYTES) yield source.read(at, Math.min(at + PIECE_BYTES, end));
}
