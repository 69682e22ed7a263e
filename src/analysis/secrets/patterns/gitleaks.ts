import { definePattern, type FoundSecret, type SecretPattern } from '../define.js';
import { looksRandom, measureEntropy } from '../looks-random.js';
import { isRandomEnough, NOT_IN_WORD } from '../token-patterns.js';
import { ASSIGNMENT_ANCHORS } from './assigned-secrets.js';
import rules from './gitleaks.json' with { type: 'json' };

/** A token with a recognisable format. */
export interface ShapeRow {
  /** The id of the rule of gitleaks. */
  readonly id: string;
  /** Its name for readers. */
  readonly kind: string;
  /** The source of a regular expression. */
  readonly pattern: string;
  /** See `TextFinder`. */
  readonly anchors: readonly string[];
  /** The minimum entropy per character in bits. */
  readonly entropy: number;
}

/** A value that is recognised by the name before it: `ADAFRUIT_KEY=…`. */
export interface NamedRow {
  readonly id: string;
  readonly kind: string;
  /** The names in lower case. */
  readonly names: readonly string[];
  /** The source of a regular expression. */
  readonly value: string;
  readonly entropy: number;
}

/** The rules of gitleaks: tokens by their format, and values by the name of a service before them. */
export const { SHAPES, NAMED }: { readonly SHAPES: readonly ShapeRow[]; readonly NAMED: readonly NamedRow[] } = rules;

/** The tokens that gitleaks recognises by their format. */
export const gitleaksTokens: readonly SecretPattern[] = SHAPES.map(({ kind, pattern, anchors, entropy: least }) =>
  definePattern({
    kind,
    anchors,
    pattern: new RegExp(`${NOT_IN_WORD}${pattern}`, 'g'),
    isSecret: (token) => isRandomEnough(token) && measureEntropy(token) >= least,
  }),
);

/**
 * The keys that gitleaks recognises by the name of their service. The name must also identify it as a key: a service's
 * name alone is in too many texts.
 */
export const namedKeys: SecretPattern = {
  secretClass: 'assigned-secret',
  kind: 'key of a service',
  anchors: ASSIGNMENT_ANCHORS,
  find: findNamed,
};

/** A name with gitleaks' separators to its value, plus escaped quotes. A value may be the next name. */
const ASSIGNMENT =
  /(?<![\w.-])(?<name>[\w.-]{5,80})(?=[\s'"\\\]]{0,20}(?:=>|:{1,3}=|\|\||\?=|[=>:,])[`'"\s=\\]{0,20}(?<secret>[\w=+/.:-]{10,400})(?![\w=+/:-]))/dg;
const KEY = /key|token|secret|passw|pwd|login|auth/;

function* findNamed(text: string): Generator<FoundSecret> {
  for (const { groups = {}, indices } of text.matchAll(ASSIGNMENT)) {
    const [start, end] = indices?.groups?.secret ?? [0, 0];
    const row = findRow(groups.name ?? '', groups.secret ?? '');
    if (row) yield { kind: row.kind, start, end };
  }
}

function findRow(written: string, secret: string): NamedRow | undefined {
  const name = dropSeparators(written);
  if (!KEY.test(name)) return undefined;
  return ROWS.find(({ row, names, value }) => names.some((one) => name.includes(one)) && isValueOf(row, value, secret))
    ?.row;
}

function isValueOf({ entropy: least }: NamedRow, value: RegExp, secret: string): boolean {
  // Some begin with zeros, which are As in base64.
  return value.test(secret) && looksRandom(secret.replace(/A{10,}/, '')) && measureEntropy(secret) >= least;
}

/** Drops the separators between words: `New-Relic` becomes `newrelic`. */
function dropSeparators(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

const ROWS = NAMED.map((row) => ({
  row,
  names: row.names.map(dropSeparators),
  value: new RegExp(`^(?:${row.value})$`, 'i'),
}));
