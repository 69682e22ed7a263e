import { type FoundSecret, type SecretPattern } from '../define.js';
import { NAMED, type NamedRow } from '../gitleaks/rules.js';
import { ALNUM, entropy, looksRandom } from '../looks-random.js';
import { ASSIGNMENT_ANCHORS } from './assigned-secrets.js';

/**
 * The keys that gitleaks recognises by the name of their service. The name must also identify it as a key: a service's
 * name alone is in too many texts.
 */
const pattern: SecretPattern = {
  means: 'assigned-secret',
  kind: 'key of a service',
  anchors: ASSIGNMENT_ANCHORS,
  find: findNamed,
  example(dice) {
    const secret = dice(ALNUM, 32);
    return { text: `ALGOLIA_ADMIN_KEY=${secret}`, secret };
  },
  counterexamples: [
    'ALGOLIA_ADMIN_KEY=your_key_goes_here',
    "import algolia from './algolia.js';",
    'algolia_key = configuration.keys.of.algolia',
  ],
};

export default [pattern];

/** A name with gitleaks' separators to its value, plus escaped quotes. A value may be the next name. */
const ASSIGNMENT =
  /(?<![\w.-])(?<name>[\w.-]{5,80})(?=[\s'"\\\]]{0,20}(?:=>|:{1,3}=|\|\||\?=|[=>:,])[`'"\s=\\]{0,20}(?<secret>[\w=+/.:-]{10,400})(?![\w=+/:-]))/dg;
const KEY = /key|token|secret|passw|pwd|login|auth/;

function* findNamed(text: string): Generator<FoundSecret> {
  for (const { groups = {}, indices } of text.matchAll(ASSIGNMENT)) {
    const [start, end] = indices?.groups?.['secret'] ?? [0, 0];
    const row = rowOf(groups['name'] ?? '', groups['secret'] ?? '');
    if (row) yield { kind: row.kind, start, end };
  }
}

function rowOf(written: string, secret: string): NamedRow | undefined {
  const name = bare(written);
  if (!KEY.test(name)) return undefined;
  return ROWS.find(({ row, names, value }) => names.some((one) => name.includes(one)) && isValueOf(row, value, secret))
    ?.row;
}

function isValueOf({ entropy: least }: NamedRow, value: RegExp, secret: string): boolean {
  // Some begin with zeros, which are As in base64.
  return value.test(secret) && looksRandom(secret.replace(/A{10,}/, '')) && entropy(secret) >= least;
}

/** Without word separators: `New-Relic` is `newrelic`. */
function bare(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

const ROWS = NAMED.map((row) => ({
  row,
  names: row.names.map(bare),
  value: new RegExp(`^(?:${row.value})$`, 'i'),
}));
