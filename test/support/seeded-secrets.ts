import type { SecretPattern } from '#analysis/secrets/define.js';
import { Random } from './random.js';
import { type Dice, sampleOf, type SecretExample } from './secret-examples.js';

/** Draws from classes like `A-Za-z0-9_-`: the same seed draws the same. */
export function diceOf(seed: number): Dice {
  const random = new Random(seed);
  return (characters, length) => {
    const all = charactersOf(characters);
    let drawn = '';
    while (drawn.length < length) drawn += random.pick(all);
    return drawn;
  };
}

const known = new Map<string, readonly string[]>();

function charactersOf(characters: string): readonly string[] {
  const drawn = known.get(characters);
  if (drawn) return drawn;
  const isIn = new RegExp(`[${characters}]`);
  const all = Array.from({ length: 95 }, (_, at) => String.fromCharCode(0x20 + at)).filter((one) => isIn.test(one));
  known.set(characters, all);
  return all;
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Where people and tools put secrets: what that makes of a text with one, and of the secret. */
export const SURROUNDINGS: Readonly<Record<string, (text: string) => string>> = {
  'by itself': (text) => text,
  'in prose': (text) =>
    `I looked at the settings of the weather service, and they say ${text} which is not what we want.`,
  'in shell output': (text) => `$ cat .env.local\nPORT=8080\n${text}\nLOG_LEVEL=debug\n$ `,
  'in a diff': (text) => `@@ -1,2 +1,2 @@\n-${text.replaceAll('\n', '\n-')}\n+import config from './config.js';\n`,
  'in JSON': (text) => `{"name": "weather", "notes": "${inJson(text)}", "port": 8080}`,
  'in JSON in JSON': (text) => JSON.stringify({ body: JSON.stringify({ notes: text }) }),
};

/** A secret of a pattern in its surroundings. */
export function seeded(pattern: SecretPattern, surroundings: string, seed: number): SecretExample {
  const { text, secret } = sampleOf(pattern).example(diceOf(seed));
  const escapes = surroundings === 'in JSON' ? 1 : surroundings === 'in JSON in JSON' ? 2 : 0;
  const inDiff = surroundings === 'in a diff' ? secret.replaceAll('\n', '\n-') : secret;
  return {
    text: SURROUNDINGS[surroundings]!(text),
    secret: Array.from({ length: escapes }).reduce<string>((escaped) => inJson(escaped), inDiff),
  };
}
