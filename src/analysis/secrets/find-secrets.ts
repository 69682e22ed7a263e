import escapeStringRegexp from 'escape-string-regexp';
import { addTo } from '#base/maps.js';
import { readAnchorText } from '#session/find/anchor.js';
import { TextFinder } from '#session/find/text-finder.js';
import type { Secret, SecretClass, SecretPattern } from './define.js';
import { assignedSecrets, commandPasswords } from './patterns/assigned-secrets.js';
import { authorization, urlPasswords } from './patterns/authorization.js';
import { contextSecrets } from './patterns/contexts.js';
import { fileSecrets, privateKeys } from './patterns/files.js';
import { tokenForms } from './patterns/forms.js';
import { gitleaksTokens, namedKeys } from './patterns/gitleaks.js';
import {
  cloudKeys,
  commonTokens,
  developmentTokens,
  messagingAndPaymentKeys,
  modelProviderKeys,
} from './patterns/services.js';
import { type DecodedText, listReadings } from './readings.js';

/** All kinds of secrets. If two find the same text, the first one names it. */
export const secretPatterns: readonly SecretPattern[] = [
  ...privateKeys,
  ...commonTokens,
  ...modelProviderKeys,
  ...cloudKeys,
  ...developmentTokens,
  ...messagingAndPaymentKeys,
  ...tokenForms,
  ...gitleaksTokens,
  ...authorization,
  ...urlPasswords,
  ...fileSecrets,
  ...commandPasswords,
  ...contextSecrets,
  namedKeys,
  ...assignedSecrets,
];

/** The secrets in a text, in order, in any of its readings. They do not overlap. */
export function findSecrets(text: string): readonly Secret[] {
  if (text.length < SHORTEST) return [];
  return resolveOverlaps(
    listReadings(text).flatMap((reading) =>
      listRanks(reading.text).flatMap((rank) => [...findInReading(reading, rank)]),
    ),
  );
}

function* findInReading({ text, written }: DecodedText, rank: number): Generator<RankedSecret> {
  const pattern = secretPatterns[rank];
  if (!pattern) return;
  for (const { kind, start, end } of pattern.find(text))
    yield { secretClass: pattern.secretClass, kind, value: text.slice(start, end), ...written(start, end), rank };
}

/** A text without one of these, see `TextFinder`, contains no secret of this class, in any of its readings. */
export function listSecretAnchors(secretClass: SecretClass): readonly string[] {
  const own = secretPatterns.filter((pattern) => pattern.secretClass === secretClass).flatMap(({ anchors }) => anchors);
  return [...new Set([...own, ...IN_URLS])];
}

/** Some anchors begin with signs or contain spaces, which are encoded differently in URLs. */
const IN_URLS = ['%3A%2F%2F', '%3a%2f%2f', '%20', '%24'];

/** The conditions on a secret of any kind. */
const SHORTEST = 8;

interface RankedSecret extends Secret {
  /** The index of its pattern in the list. */
  readonly rank: number;
}

/**
 * Resolves overlaps. The pattern that is earlier in the list wins. Of two secrets of one pattern, and of two tokens of
 * which one contains the other, the longer one wins.
 */
function resolveOverlaps(found: readonly RankedSecret[]): readonly Secret[] {
  const kept: RankedSecret[] = [];
  for (const next of found.toSorted((a, b) => a.start - b.start || a.rank - b.rank)) {
    const last = kept.at(-1);
    if (!last || next.start >= last.end) kept.push(next);
    else if (isBetter(next, last)) kept[kept.length - 1] = next;
  }
  return kept.map(({ rank: _rank, ...secret }) => secret);
}

function isBetter(next: RankedSecret, last: RankedSecret): boolean {
  const isSameToken =
    next.secretClass === 'credential' &&
    last.secretClass === 'credential' &&
    (next.start === last.start || next.end <= last.end);
  return next.rank === last.rank || isSameToken ? next.end - next.start > last.end - last.start : next.rank < last.rank;
}

/** Lists the patterns, in order, that have an anchor which the text may contain. */
function listRanks(text: string): readonly number[] {
  search ??= buildSearch();
  const { beginnings, ranks } = search;
  const found = new Set<number>();
  for (const anchor of beginnings.findIn(text)) {
    for (const rank of ranks[anchor] ?? []) found.add(rank);
  }
  return [...found].toSorted((a, b) => a - b);
}

interface Search {
  readonly beginnings: AnchorFinder;
  /** The patterns of each anchor. */
  readonly ranks: readonly (readonly number[])[];
}

/** Created for the first text. */
let search: Search | null = null;

function buildSearch(): Search {
  const ranks = new Map<string, number[]>();
  for (const [rank, { anchors }] of secretPatterns.entries()) {
    for (const anchor of anchors) addTo(ranks, anchor, rank);
  }
  return { beginnings: new AnchorFinder([...ranks.keys()]), ranks: [...ranks.values()] };
}

/** Finds the anchors that a text may contain, by their indexes: all that it contains, and perhaps others. */
export class AnchorFinder {
  private readonly texts: ReadonlyMap<string, readonly number[]>;
  /** The longest anchor at each start. */
  private readonly regex: RegExp;
  private finder: TextFinder | null = null;
  private searched = 0;

  constructor(private readonly anchors: readonly string[]) {
    const own = new Map<string, number[]>();
    for (const [number, anchor] of anchors.entries()) {
      addTo(own, readAnchorText(anchor), number);
    }
    const texts = [...own.keys()].toSorted((a, b) => b.length - a.length);
    const beginningsOf = (text: string): readonly string[] => texts.filter((other) => text.startsWith(other));
    this.regex = new RegExp(`(?=(${texts.map((text) => escapeStringRegexp(text)).join('|')}))`, 'g');
    this.texts = new Map(texts.map((text) => [text, beginningsOf(text).flatMap((other) => own.get(other) ?? [])]));
  }

  findIn(text: string): ReadonlySet<number> {
    this.searched += text.length;
    return this.searched < FEW_CHARACTERS ? this.findByRegex(text) : this.findByFinder(text);
  }

  private findByRegex(text: string): ReadonlySet<number> {
    const found = new Set<string>();
    for (const [, beginning = ''] of text.matchAll(this.regex)) found.add(beginning);
    return new Set([...found].flatMap((beginning) => this.texts.get(beginning) ?? []));
  }

  private findByFinder(text: string): ReadonlySet<number> {
    this.finder ??= new TextFinder(this.anchors);
    const found = new Set<number>();
    this.finder.findInText(text, (_offset, anchor) => void found.add(anchor));
    return found;
  }
}

/** The number of characters from which a finder, with the time to build it, is faster than regular expressions. */
const FEW_CHARACTERS = 1 << 18;
