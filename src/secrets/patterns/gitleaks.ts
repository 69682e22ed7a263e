import { type Dice, type SecretPattern, shaped } from '../define.js';
import { NAMED, SHAPES } from '../gitleaks/rules.js';
import type { NamedRow, ShapeRow } from '../gitleaks/rows.js';
import { entropy, looksRandom } from '../looks-random.js';
import { isRandomEnough, NOT_IN_WORD } from '../token.js';

function ofShape({ kind, pattern, anchors, example, entropy: least }: ShapeRow): SecretPattern {
  return shaped({
    kind,
    anchors,
    pattern: new RegExp(`${NOT_IN_WORD}${pattern}`, 'g'),
    isSecret: (token) => isRandomEnough(token) && entropy(token) >= least,
    example(dice) {
      const secret = filled(example, dice);
      return { text: secret, secret };
    },
    counterexamples: [filled(example, (_characters, length) => 'x'.repeat(length))],
  });
}

function ofName({ kind, names, value, example, entropy: least }: NamedRow): SecretPattern {
  const name = names.map((one) => one.replaceAll('.', '\\.')).join('|');
  return shaped({
    means: 'assigned-secret',
    kind,
    anchors: names.flatMap(spellings).map((spelling) => spelling + TO_VALUE),
    pattern: new RegExp(`(?:${name})${BETWEEN}(?<secret>${value})(?![A-Za-z0-9])`, 'dgi'),
    // Some begin with zeros, which are As in base64.
    isSecret: (secret) => looksRandom(secret.replace(/A{10,}/, '')) && entropy(secret) >= least,
    example(dice) {
      const secret = filled(example, dice);
      return { text: `${(names[0] ?? '').toUpperCase()}_KEY=${secret}`, secret };
    },
    counterexamples: [`${names[0]}: your_key_goes_here`, `import ${names[0]} from './${names[0]}.js';`],
  });
}

/** As gitleaks has it, but for quotes that are escaped. */
const BETWEEN = '[ \\t\\w.-]{0,20}[\\s\'"\\\\\\]]{0,20}(?:=>|:{1,3}=|\\|\\||\\?=|[=>:,])[`\'"\\s=\\\\]{0,20}';
const TO_VALUE = '[ \\tA-Za-z0-9_.-]{0,20}[\\s\'"\\\\\\]]{0,20}[=>:|?,]{1,4}[`\'"\\s=\\\\]{0,20}[A-Za-z0-9_=.:/+-]{10}';

/** A long name is looked for without its first letter, be that large or small. What is left of others is in many words. */
function spellings(name: string): readonly string[] {
  const large = name.toUpperCase();
  return name.length > LONG ? [name.slice(1), large] : [name, (large[0] ?? '') + name.slice(1), large];
}

const LONG = 6;

function filled(example: string, dice: Dice): string {
  return example.replaceAll(/\[((?:[^\]\\]|\\.)+)\]\{(\d+)\}/g, (_all, characters: string, length: string) =>
    dice(characters, Number(length)),
  );
}

/** What gitleaks knows: tokens by their shape, and values by the service that they are named for. */
const patterns: readonly SecretPattern[] = [...SHAPES.map(ofShape), ...NAMED.map(ofName)];

export default patterns;
