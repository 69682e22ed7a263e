import { PrefixSums } from '#base/prefix-sums.js';
import { contentKey, type WeighedPiece } from '../contents/contents.js';
import type { ContentKind } from '../contents/kinds.js';
import { listMessagePieces } from './content-pieces.js';
import { addPiece, AFTER_ALL, type PieceSum, type PromptPlace, startPieceSum } from './piece-sum.js';
import type { WeighedMessage } from './weighed-message.js';

/**
 * The pieces of the messages of a context, summed up by label. A message may be added at the end, or change in its
 * place.
 */
export class MessagePieces {
  private readonly pieces = new Map<string, PieceSum>();
  private readonly tokens = new PrefixSums();
  private headings = 0;
  private sum = 0;

  /** Estimated tokens of all messages. */
  get total(): number {
    return this.sum;
  }

  list(): readonly PieceSum[] {
    return [...this.pieces.values()];
  }

  /** The place after the first estimated tokens of all messages. */
  placeAfter(estimated: number): PromptPlace {
    if (estimated === Infinity) return AFTER_ALL;
    const { count, rest } = this.tokens.findWithin(estimated);
    return { message: count, offset: rest };
  }

  /** null: a message that is not sent. */
  append(message: WeighedMessage | null): void {
    const at = this.tokens.length;
    this.tokens.push(tokensOf(message));
    this.sum += tokensOf(message);
    let offset = 0;
    for (const piece of message === null ? [] : listMessagePieces(message)) {
      offset += piece.tokens;
      this.add(piece, { message: at, offset });
    }
  }

  /** Changes a message in its place. Returns false, and changes nothing, where the places of pieces would move. */
  replace(at: number, before: WeighedMessage | null, after: WeighedMessage | null): boolean {
    if ([before, after].some((message) => message && hasPlaces(message))) return false;
    const more = tokensOf(after) - tokensOf(before);
    this.tokens.add(at, more);
    this.sum += more;
    for (const piece of before === null ? [] : listMessagePieces(before))
      this.add({ ...piece, tokens: -piece.tokens }, null);
    for (const piece of after === null ? [] : listMessagePieces(after)) this.add(piece, null);
    return true;
  }

  private add(piece: WeighedPiece, end: PromptPlace | null): void {
    // A heading counts for the server above it, so the order of headings matters.
    if (piece.isHeading) this.headings += 1;
    const key = piece.isHeading ? `#${this.headings}` : contentKey(piece);
    const sum = this.pieces.get(key) ?? startPieceSum(piece, 'messages');
    this.pieces.set(key, sum);
    addPiece(sum, piece, PLACED.has(piece.kind) ? end : null);
  }
}

function tokensOf(message: WeighedMessage | null): number {
  return message?.weight.tokens ?? 0;
}

/** The kinds that an agent adds by itself. Of others, the places would be many, and are not needed. */
const PLACED: ReadonlySet<ContentKind> = new Set(['memory files', 'tools', 'skills', 'agents', 'hooks']);

function hasPlaces({ weight }: WeighedMessage): boolean {
  return weight.labelled.some(({ kind }) => PLACED.has(kind));
}
