import { sortLargestFirst } from '#base/lists.js';
import { incrementCount } from '#base/maps.js';
import { splitInProportion } from '#base/proportion.js';
import { CONTENT_KINDS, type ContentLabel } from './kinds.js';

/** A piece of a context with its weight. */
export interface WeighedPiece extends ContentLabel {
  readonly tokens: number;
  readonly isHeading?: true;
}

/** Pieces, and the tokens that they share, measured and estimated. */
export interface WeighedGroup {
  readonly pieces: readonly WeighedPiece[];
  readonly tokens: number;
  readonly tokensEstimated: number;
}

/** The part of a context of one kind and name: a memory file, the tools of a server, the results of a tool. */
export interface Content extends ContentLabel {
  readonly tokens: number;
  readonly tokensEstimated: number;
}

/** The contents of a context, by kind and then the largest first. The numbers add up to those of the groups. */
export function buildContents(groups: readonly WeighedGroup[]): readonly Content[] {
  const servers = new Set(groups.flatMap(({ pieces }) => pieces.flatMap(nameOfServer)));
  const tokens = new Map<string, number>();
  const estimated = new Map<string, number>();
  const labels = new Map<string, ContentLabel>();
  for (const group of groups) {
    const pieces = sumPieces(nameServers(group.pieces, servers));
    const weights = pieces.map((piece) => piece.tokens);
    const own = splitInProportion(weights, group.tokens);
    const ownEstimated = splitInProportion(weights, group.tokensEstimated);
    for (const [at, piece] of pieces.entries()) {
      const key = keyOf(piece);
      labels.set(key, { kind: piece.kind, name: piece.name });
      incrementCount(tokens, key, own[at]);
      incrementCount(estimated, key, ownEstimated[at]);
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

function keyOf({ kind, name }: ContentLabel): string {
  return JSON.stringify([kind, name]);
}

function sumPieces(pieces: readonly WeighedPiece[]): readonly WeighedPiece[] {
  const sums = new Map<string, WeighedPiece>();
  for (const piece of pieces) {
    const key = keyOf(piece);
    sums.set(key, { ...piece, tokens: piece.tokens + (sums.get(key)?.tokens ?? 0) });
  }
  return [...sums.values()];
}

function nameOfServer({ kind, name, isHeading }: WeighedPiece): readonly string[] {
  return kind === 'tools' && name !== null && isHeading !== true ? [name] : [];
}

/** Names the servers of pieces. A server's own headings, which no tool names, belong to the server above them. */
function nameServers(pieces: readonly WeighedPiece[], servers: ReadonlySet<string>): readonly WeighedPiece[] {
  let above: string | null = null;
  return pieces.map((piece) => {
    if (piece.isHeading !== true) return piece;
    if (piece.name !== null && servers.has(piece.name)) above = piece.name;
    return { kind: piece.kind, name: above, tokens: piece.tokens };
  });
}
