import { type Dice, type SecretPattern, shaped } from '../define.js';
import { SHAPES, type ShapeRow } from '../gitleaks/rules.js';
import { entropy, isRandomEnough, NOT_IN_WORD } from '../looks-random.js';

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

/** Generates a token of a row. */
export function filled(example: string, dice: Dice): string {
  return example.replaceAll(/\[((?:[^\]\\]|\\.)+)\]\{(\d+)\}/g, (_all, characters: string, length: string) =>
    dice(characters, Number(length)),
  );
}

/** The tokens that gitleaks recognises by their format. */
const patterns: readonly SecretPattern[] = SHAPES.map(ofShape);

export default patterns;
