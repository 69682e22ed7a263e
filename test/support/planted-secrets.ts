import { Buffer } from 'node:buffer';
import { Random } from './random.js';
import { diceOf } from './seeded-secrets.js';

type Json = Record<string, unknown> | unknown[];

/** Ways in which tools write a secret, and people. */
const WRITINGS: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => `it is ${secret}, she said`,
  (secret) => JSON.stringify({ note: `with "${secret}"` }),
  (secret) => JSON.stringify({ body: JSON.stringify({ list: [secret] }) }),
  (secret) => `https://example.org/?key=${encodeURIComponent(secret)}&page=1`,
  (secret) => `Basic ${Buffer.from(`ada:${secret}`).toString('base64')} was sent`,
  (secret) => Buffer.from(`x${secret}`).toString('base64url'),
];

const TEXTS: ReadonlySet<string> = new Set(
  'text thinking content summary label description command output errorMessage cwd preamble rules skills'.split(' '),
);
const FREE: ReadonlySet<string> = new Set(['arguments', 'details', 'data']);

/** Texts that are no text. */
const OPAQUE: ReadonlySet<unknown> = new Set(['image']);

export interface Planted {
  readonly text: string;
  /** Every one is found by a rule at least once. */
  readonly tokens: readonly string[];
  /** Found only by those who are told of them. */
  readonly values: readonly string[];
  /** The numbers of the lines that hold a secret. */
  readonly lines: ReadonlySet<number>;
}

/** A session in which secrets were written into texts, arguments, labels, prompts and keys. */
export function plantSecrets(session: string, seed: number): Planted {
  const random = new Random(seed);
  const dice = diceOf(seed);
  const tokens = [`ghp_${dice('A-Za-z0-9', 36)}`, `glpat-${dice('A-Za-z0-9', 20)}`];
  const values = [dice('a-z', 9), `pa"s\\${dice('a-z', 4)}\nwörd/${dice('a-z', 4)}<🙂>`];
  const used = new Set<string>();
  const touched = new Set<number>();
  const lines = session.split('\n').map((line, at) => {
    if (line === '' || random.chance(0.5)) return line;
    let value: Json;
    try {
      value = JSON.parse(line) as Json;
    } catch {
      return line;
    }
    const secret = random.pick([...tokens, ...values]);
    const isFirst = tokens.includes(secret) && !used.has(secret);
    const written = isFirst ? secret : random.pick(WRITINGS)(secret);
    const places = [...placesIn(value)];
    if (places.length === 0) return line;
    used.add(secret);
    touched.add(at + 1);
    random.pick(places)(written);
    return JSON.stringify(value);
  });
  return {
    text: lines.join('\n'),
    tokens: tokens.filter((token) => used.has(token)),
    values: values.filter((value) => used.has(value)),
    lines: touched,
  };
}

/** What writes a text into each place that takes one. */
function* placesIn(value: Json, isFree = false): Generator<(written: string) => void> {
  if (!Array.isArray(value) && OPAQUE.has(value['type'])) return;
  for (const [key, item] of Object.entries(value)) {
    const holder = value as Record<string, unknown>;
    if (typeof item === 'string' && (isFree || TEXTS.has(key))) yield (written) => void (holder[key] = written);
    else if (typeof item === 'object' && item !== null) {
      if (FREE.has(key) && !Array.isArray(item))
        yield (written) => void ((item as Record<string, unknown>)[written] = 'as a key');
      yield* placesIn(item as Json, isFree || FREE.has(key));
    }
  }
}

/** Everything by which a secret could be seen. */
export function formsOf(secret: string): readonly string[] {
  const escaped = JSON.stringify(secret).slice(1, -1);
  const bytes = Buffer.from(secret);
  return [
    secret,
    escaped,
    JSON.stringify(escaped).slice(1, -1),
    encodeURIComponent(secret),
    bytes.toString('base64').slice(0, -4),
  ];
}
