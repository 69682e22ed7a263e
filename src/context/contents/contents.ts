import { sortLargestFirst } from '#base/lists.js';
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
  const sums = new Map<string, Content>();
  for (const content of nameServers(groups).flatMap(divideGroup)) {
    const key = contentKey(content);
    const { tokens, tokensEstimated } = sums.get(key) ?? { tokens: 0, tokensEstimated: 0 };
    sums.set(key, {
      ...content,
      tokens: tokens + content.tokens,
      tokensEstimated: tokensEstimated + content.tokensEstimated,
    });
  }
  const found = [...sums.values()].filter(({ tokens, tokensEstimated }) => tokens > 0 || tokensEstimated > 0);
  return CONTENT_KINDS.flatMap((kind) => {
    const own = found.filter((content) => content.kind === kind);
    return sortLargestFirst(own, ({ tokens }) => tokens);
  });
}

/** Divides the tokens of a group by the weights of its pieces. */
function divideGroup({ pieces, tokens, tokensEstimated }: WeighedGroup): readonly Content[] {
  const summed = sumPieces(pieces);
  const weightsOfKinds = sumByKind(summed);
  const ofKinds = splitInProportion(weightsOfKinds, tokens);
  const estimatedOfKinds = splitInProportion(weightsOfKinds, tokensEstimated);
  return CONTENT_KINDS.flatMap((kind, at) => {
    const own = summed.filter((piece) => piece.kind === kind);
    const weights = own.map((piece) => piece.tokens);
    const shares = splitInProportion(weights, ofKinds[at]);
    const estimated = splitInProportion(weights, estimatedOfKinds[at]);
    return own.map(({ name }, place) => {
      return { kind, name, tokens: shares[place] ?? 0, tokensEstimated: estimated[place] ?? 0 };
    });
  });
}

/** The tokens of pieces by kind, in the order of `CONTENT_KINDS`. */
export function sumByKind(pieces: Iterable<Pick<WeighedPiece, 'kind' | 'tokens'>>): number[] {
  const sums = CONTENT_KINDS.map(() => 0);
  for (const { kind, tokens } of pieces) addToKind(sums, kind, tokens);
  return sums;
}

/** Adds tokens to the sum of a kind. */
export function addToKind(sums: number[], kind: ContentKind, tokens: number): void {
  const at = KIND_PLACES[kind];
  sums[at] = (sums[at] ?? 0) + tokens;
}

/** The place of each kind in such sums. */
const KIND_PLACES = Object.fromEntries(CONTENT_KINDS.map((kind, at) => [kind, at])) as Record<ContentKind, number>;

/** The key of a content in a map. */
export function contentKey({ kind, name }: ContentLabel): string {
  return name === null ? kind : `${kind}\n${name}`;
}

/** Makes one piece of all with the same kind and name. */
function sumPieces(pieces: readonly WeighedPiece[]): readonly WeighedPiece[] {
  const sums = new Map<string, WeighedPiece>();
  for (const piece of pieces) {
    const key = contentKey(piece);
    sums.set(key, { ...piece, tokens: piece.tokens + (sums.get(key)?.tokens ?? 0) });
  }
  return [...sums.values()];
}

/** The server that a tool is from. The name of a heading alone does not say that there is such a server. */
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
