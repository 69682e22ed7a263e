import { findFirstPast } from '#base/lists.js';
import { incrementCount } from '#base/maps.js';
import type { WeighedPiece } from '../contents/contents.js';

/** A place in a region of a prompt: the number of messages before it, and the tokens after these. */
export interface PromptPlace {
  readonly message: number;
  readonly offset: number;
}

/** The place after all messages. */
export const AFTER_ALL: PromptPlace = { message: Infinity, offset: 0 };

/** Pieces of one label in a region of a prompt, summed up. */
export interface PieceSum extends WeighedPiece {
  tokens: number;
  readonly region: 'declared' | 'messages';
  /** Tokens by skill, agent or tool; null has those of none. */
  readonly items: Map<string | null, number>;
  /** The ends of the pieces, in order. */
  readonly ends: PromptPlace[];
  /** The tokens of all pieces up to each. */
  readonly sums: number[];
}

export function startPieceSum(piece: WeighedPiece, region: PieceSum['region']): PieceSum {
  return { ...piece, tokens: 0, region, items: new Map(), ends: [], sums: [] };
}

/**
 * Adds a piece. `end`: where the piece ends; null if its place is not needed. A piece that is taken away has negative
 * tokens.
 */
export function addPiece(sum: PieceSum, { item, tokens }: WeighedPiece, end: PromptPlace | null): void {
  sum.tokens += tokens;
  incrementCount(sum.items, item ?? null, tokens);
  if (end === null) return;
  sum.ends.push(end);
  sum.sums.push(sum.tokens);
}

/** The tokens of pieces before a place. */
export function countTokensBefore({ ends, sums, tokens }: Omit<PieceSum, 'isHeading'>, place: PromptPlace): number {
  if (place === AFTER_ALL) return tokens;
  const past = findFirstPast(ends.length, (at) => isPast(ends[at], place));
  const whole = sums[past - 1] ?? 0;
  const end = ends[past];
  if (end?.message !== place.message) return whole;
  const own = (sums[past] ?? 0) - whole;
  return whole + Math.max(0, Math.min(own, place.offset - (end.offset - own)));
}

function isPast(end: PromptPlace | undefined, { message, offset }: PromptPlace): boolean {
  return end !== undefined && (end.message > message || (end.message === message && end.offset > offset));
}
