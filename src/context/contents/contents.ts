import { sortLargestFirst } from '#base/lists.js';
import { incrementCount } from '#base/maps.js';
import { splitInProportion } from '#base/proportion.js';
import { CONTENT_KINDS, type ContentKind, type ContentLabel } from './kinds.js';

/** A piece of a context with its weight. */
export interface WeighedPiece extends ContentLabel {
  readonly tokens: number;
  /** The skill, the agent or the tool that the piece describes, within its content. */
  readonly item?: string | undefined;
  readonly isHeading?: true;
}

/** Pieces, and the tokens that they share, measured and estimated. */
export interface WeighedGroup<Piece extends WeighedPiece = WeighedPiece> {
  readonly pieces: readonly Piece[];
  readonly tokens: number;
  readonly tokensEstimated: number;
}

/** The part of a context of one kind and name: a memory file, the tools of a server, the results of a tool. */
export interface Content extends ContentLabel {
  readonly tokens: number;
  readonly tokensEstimated: number;
}

/**
 * The contents of a context, by kind and then the largest first. Their numbers add up to those of the groups: each
 * group is divided by kind, and each kind by name.
 */
export function buildContents(groups: readonly WeighedGroup[]): readonly Content[] {
  const tokens = new Map<string, number>();
  const estimated = new Map<string, number>();
  const labels = new Map<string, ContentLabel>();
  for (const group of nameServers(groups)) {
    const pieces = sumPieces(group.pieces);
    const ofKinds = sumByKind(pieces);
    const measured = splitInProportion(ofKinds, group.tokens);
    const counted = splitInProportion(ofKinds, group.tokensEstimated);
    for (const [at, kind] of CONTENT_KINDS.entries()) {
      const own = pieces.filter((piece) => piece.kind === kind);
      const weights = own.map((piece) => piece.tokens);
      const shares = splitInProportion(weights, measured[at]);
      const sharesEstimated = splitInProportion(weights, counted[at]);
      for (const [place, piece] of own.entries()) {
        const key = contentKey(piece);
        labels.set(key, { kind, name: piece.name });
        incrementCount(tokens, key, shares[place]);
        incrementCount(estimated, key, sharesEstimated[place]);
      }
    }
  }
  const all = [...labels].map(([key, label]) => {
    return { ...label, tokens: tokens.get(key) ?? 0, tokensEstimated: estimated.get(key) ?? 0 };
  });
  const some = all.filter((content) => content.tokens > 0 || content.tokensEstimated > 0);
  return CONTENT_KINDS.flatMap((kind) =>
    sortLargestFirst(
      some.filter((content) => content.kind === kind),
      (content) => content.tokens,
    ),
  );
}

/** The tokens of pieces by kind, in the order of `CONTENT_KINDS`. */
export function sumByKind(pieces: Iterable<Pick<WeighedPiece, 'kind' | 'tokens'>>): number[] {
  const sums = CONTENT_KINDS.map(() => 0);
  for (const { kind, tokens } of pieces) addToKind(sums, kind, tokens);
  return sums;
}

/** Adds tokens to the sum of a kind. */
export function addToKind(sums: number[], kind: ContentKind, tokens: number): void {
  const at = NUMBERS[kind];
  sums[at] = (sums[at] ?? 0) + tokens;
}

const NUMBERS = Object.fromEntries(CONTENT_KINDS.map((kind, at) => [kind, at])) as Record<ContentKind, number>;

/** The key of a content in a map. */
export function contentKey({ kind, name }: ContentLabel): string {
  return name === null ? kind : `${kind}\n${name}`;
}

function sumPieces(pieces: readonly WeighedPiece[]): readonly WeighedPiece[] {
  const sums = new Map<string, WeighedPiece>();
  for (const piece of pieces) {
    const key = contentKey(piece);
    sums.set(key, { ...piece, tokens: piece.tokens + (sums.get(key)?.tokens ?? 0) });
  }
  return [...sums.values()];
}

function listServerName({ kind, name, isHeading }: WeighedPiece): readonly string[] {
  return kind === 'tools' && name !== null && isHeading !== true ? [name] : [];
}

/** Names the servers of pieces. A server's own headings, which no tool names, belong to the server above them. */
export function nameServers<Piece extends WeighedPiece>(
  groups: readonly WeighedGroup<Piece>[],
): readonly WeighedGroup<Omit<Piece, 'isHeading'>>[] {
  const servers = new Set(groups.flatMap(({ pieces }) => pieces.flatMap(listServerName)));
  return groups.map((group) => {
    let above: string | null = null;
    const pieces = group.pieces.map((piece) => {
      const { isHeading, ...rest } = piece;
      if (isHeading !== true) return rest;
      if (piece.name !== null && servers.has(piece.name)) above = piece.name;
      return { ...rest, name: above };
    });
    return { ...group, pieces };
  });
}
