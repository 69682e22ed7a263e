import { sumBy } from '#base/lists.js';
import { addTo, incrementCount } from '#base/maps.js';
import { memoizeLast } from '#base/memoize.js';
import { splitInProportion } from '#base/proportion.js';
import type { Head } from '#session/heads/head.js';
import {
  buildContents,
  type Content,
  contentKey,
  nameServers,
  type WeighedGroup,
  type WeighedPiece,
} from '../contents/contents.js';
import type { ContentKind } from '../contents/kinds.js';
import type { EnvelopeContent } from '../replay/content.js';
import type { TokenCount } from '../replay/envelope.js';
import type { Replay } from '../replay/replay.js';
import { listSystemPieces, listToolPieces } from './content-pieces.js';
import { MessagePieces } from './message-pieces.js';
import { addPiece, AFTER_ALL, countTokensBefore, type PieceSum, type PromptPlace, startPieceSum } from './piece-sum.js';
import { type MeasuredSize, type SizeParts, splitSize } from './split-size.js';
import { BY_CHARACTERS, countTokens } from './tokens.js';
import type { WeighedMessage } from './weighed-message.js';

/** A content of a request, with its parts and its place in the prompt. */
export interface PlacedContent<Kind extends ContentKind> extends Content {
  readonly kind: Kind;
  /** Measured tokens by skill, agent or tool; null has those of none. They add up to `tokens`. */
  readonly items: ReadonlyMap<string | null, number>;
  /** The number of texts that it has. */
  readonly texts: number;
  /** The measured tokens that are within the first `read` tokens of the prompt. */
  cachedOf(read: number): number;
}

interface RequestContents<Kind extends ContentKind> {
  readonly parts: SizeParts;
  readonly contents: readonly PlacedContent<Kind>[];
}

/**
 * The contents of the requests of a path, equal to those of `buildComposition`. Requests mostly grow at their end, so
 * each message is weighed once, unless an entry changes it: call `change` after each entry that is no message.
 */
export class GrowingContents {
  private messages = new MessagePieces();
  /** The messages as they were weighed, null for those that are not sent. */
  private weighed: (WeighedMessage | null)[] = [];
  /** The places of the messages that edits can name, by entry. */
  private readonly places = new Map<number, number>();
  private readonly declaredOf = memoizeLast(weighDeclared);

  constructor(private readonly replay: Replay) {}

  /**
   * Weighs the messages again that an entry changed, unless it only appended one. `head`: the entry, which is already
   * applied.
   */
  change({ type, index }: Head, target: number): void {
    if (type === 'context_edit' && index !== target) this.takeEdit(target);
    else if (type !== 'message') this.forget();
  }

  private takeEdit(target: number): void {
    const at = this.places.get(target);
    if (at === undefined) return;
    const before = this.weighed[at] ?? null;
    const after = this.replay.messages.weighFrom(at, at + 1)[0]?.message ?? null;
    if (!this.messages.replace(at, before, after)) this.forget();
    else this.weighed[at] = after;
  }

  private forget(): void {
    this.weighed = [];
    this.places.clear();
    this.messages = new MessagePieces();
  }

  private takeAppended(): void {
    for (const { message, entry } of this.replay.messages.weighFrom(this.weighed.length)) {
      this.places.set(entry, this.weighed.length);
      this.weighed.push(message);
      this.messages.append(message);
    }
  }

  /** The contents of kinds at the current place of the replay, in a context of a size. */
  measure<Kind extends ContentKind>(size: MeasuredSize, kinds: readonly Kind[]): RequestContents<Kind> {
    const cached = this.replay.messages.countSent().tokens;
    this.takeAppended();
    // Where an id names two entries, an edit may have changed the other one.
    if (this.messages.total !== cached) {
      this.forget();
      this.takeAppended();
    }
    const declared = this.declaredOf(this.replay.declaredAsSent());
    const estimate = { ...declared.estimate, cached, total: declared.estimate.total + cached };
    const parts = splitSize(size, estimate);
    const groups = this.listGroups(declared, parts);
    const placeAfter = (read: number, region: PieceSum['region']): PromptPlace => {
      const estimated = estimateTokensRead(read, region, { parts, estimate });
      if (region === 'messages') return this.messages.placeAfter(estimated);
      return estimated === Infinity ? AFTER_ALL : { message: 0, offset: estimated };
    };
    const sums = groupByContent(groups);
    const contents = buildContents(groups).flatMap((content) => {
      const kind = kinds.find((wanted) => wanted === content.kind);
      return kind ? [placeContent({ ...content, kind }, sums.get(contentKey(content)) ?? [], placeAfter)] : [];
    });
    return { parts, contents };
  }

  private listGroups(
    { system, definitions, estimate }: DeclaredPieces,
    parts: SizeParts,
  ): readonly WeighedGroup<PieceSum>[] {
    return [
      { pieces: system, tokens: parts.system, tokensEstimated: estimate.system },
      { pieces: definitions, tokens: parts.tools, tokensEstimated: estimate.tools },
      { pieces: this.messages.list(), tokens: parts.cached, tokensEstimated: this.messages.total },
    ];
  }
}

interface DeclaredPieces {
  readonly system: readonly PieceSum[];
  readonly definitions: readonly PieceSum[];
  readonly estimate: TokenCount;
}

/** The tools come first in a prompt, then the system prompt: the order in which Anthropic caches them. */
function weighDeclared(sent: EnvelopeContent): DeclaredPieces {
  const estimate = countTokens({ ...sent, messages: { cached: [], uncached: [] } });
  const { system, tools } = sent;
  let end = 0;
  const place = (piece: WeighedPiece): PieceSum => {
    end += piece.tokens;
    const sum = startPieceSum(piece, 'declared');
    addPiece(sum, piece, { message: 0, offset: end });
    return sum;
  };
  const definitions = listToolPieces(tools, BY_CHARACTERS).map(place);
  return { definitions, system: listSystemPieces(system.parts, BY_CHARACTERS).map(place), estimate };
}

/** Pieces of a server that is known. */
type NamedSum = Omit<PieceSum, 'isHeading'>;

function groupByContent(groups: readonly WeighedGroup<PieceSum>[]): ReadonlyMap<string, readonly NamedSum[]> {
  const found = new Map<string, NamedSum[]>();
  for (const { pieces } of nameServers(groups)) {
    for (const piece of pieces) addTo(found, contentKey(piece), piece);
  }
  return found;
}

interface MeasuredPrompt {
  readonly parts: SizeParts;
  readonly estimate: TokenCount;
}

function placeContent<Kind extends ContentKind>(
  content: Content & { readonly kind: Kind },
  sums: readonly NamedSum[],
  placeAfter: (read: number, region: PieceSum['region']) => PromptPlace,
): PlacedContent<Kind> {
  const weights = new Map<string | null, number>();
  for (const { items } of sums) {
    for (const [item, tokens] of items) incrementCount(weights, item, tokens);
  }
  const shares = splitInProportion([...weights.values()], content.tokens);
  const items = new Map([...weights.keys()].map((item, at) => [item, shares[at] ?? 0]));
  const all = sumBy(sums, ({ tokens }) => tokens);
  const cachedOf = (read: number): number => {
    if (all === 0) return 0;
    const within = sumBy(sums, (one) => countTokensBefore(one, placeAfter(read, one.region)));
    return (content.tokens * within) / all;
  };
  return { ...content, items, texts: sumBy(sums, ({ ends }) => ends.length), cachedOf };
}

/** The estimated tokens of a region within the first `read` tokens of a prompt. What is not recorded comes first. */
function estimateTokensRead(read: number, region: PieceSum['region'], { parts, estimate }: MeasuredPrompt): number {
  const before = (parts.notItemised ?? 0) - parts.notInFile;
  const declared = parts.system + parts.tools;
  if (region === 'declared') return scale(read - before, declared, estimate.system + estimate.tools);
  return scale(read - before - declared, parts.cached + parts.notInFile, estimate.cached);
}

/** A number of measured tokens in the unit of estimates; without any limit if the region is read to its end. */
function scale(measured: number, allMeasured: number, allEstimated: number): number {
  if (measured >= allMeasured) return Infinity;
  return measured <= 0 ? 0 : (measured / allMeasured) * allEstimated;
}
