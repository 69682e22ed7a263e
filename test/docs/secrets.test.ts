import { it } from 'vitest';
import { SECRET_CLASSES } from '#analysis/secrets/define.js';
import { findSecrets, secretPatterns } from '#analysis/secrets/find-secrets.js';
import { expectGeneratedPart } from '../support/generated.js';
import type { Dice } from '../support/secret-examples.js';
import { diceOf, seeded, SURROUNDINGS } from '../support/seeded-secrets.js';

const TIMES = 100;

/** Every kind a hundred times in each surroundings. */
function recall(): string {
  const rows: string[] = [];
  for (const secretClass of SECRET_CLASSES) {
    const cells: string[] = [];
    for (const surroundings of Object.keys(SURROUNDINGS)) {
      let all = 0;
      let hits = 0;
      for (const [at, pattern] of secretPatterns.entries()) {
        if (pattern.secretClass !== secretClass) continue;
        for (let seed = 0; seed < TIMES; seed += 1) {
          const { text, secret } = seeded(pattern, surroundings, at * TIMES + seed);
          const [first, ...others] = findSecrets(text);
          all += 1;
          if (first && others.length === 0 && text.slice(first.start, first.end) === secret) hits += 1;
        }
      }
      cells.push(`${((100 * hits) / all).toFixed(2)} %`);
    }
    rows.push(
      `| ${[secretClass, String(secretPatterns.filter((one) => one.secretClass === secretClass).length), ...cells].join(' | ')} |`,
    );
  }
  const names = Object.keys(SURROUNDINGS);
  return [`| | kinds | ${names.join(' | ')} |`, `| --- | ---: |${names.map(() => ' ---: |').join('')}`, ...rows].join(
    '\n',
  );
}

/** Ways to make a password, none of which was made for a pattern. */
const PASSWORDS: Readonly<Record<string, (dice: Dice) => string>> = {
  '10 letters and digits': (dice) => dice('A-Za-z0-9', 10),
  '16 letters and digits': (dice) => dice('A-Za-z0-9', 16),
  '24 letters and digits': (dice) => dice('A-Za-z0-9', 24),
  '20 small letters and digits': (dice) => dice('a-z0-9', 20),
  '16 letters, digits and signs': (dice) => dice('A-Za-z0-9!#%*+.:=?@^_~-', 16),
  '16 of all that can be typed': (dice) => dice('!-~', 16),
  '32 hex digits': (dice) => dice('a-f0-9', 32),
  '32 bytes in base64': (dice) => `${dice('A-Za-z0-9+/', 43)}=`,
  'a UUID': (dice) => [8, 4, 4, 4, 12].map((length) => dice('a-f0-9', length)).join('-'),
  'a word and a year': (dice) => `${dice('A-Z', 1)}${dice('a-z', 7)}20${dice('0-9', 2)}!`,
  'four words': (dice) => Array.from({ length: 4 }, () => dice('a-z', 5)).join('-'),
};

function guesses(): string {
  const rows: string[] = [];
  for (const [name, make] of Object.entries(PASSWORDS)) {
    const cells: string[] = [];
    for (const around of [
      (password: string) => JSON.stringify({ password }),
      (password: string) => `DB_PASSWORD=${password}`,
    ]) {
      let hits = 0;
      for (let seed = 0; seed < 500; seed += 1) if (findSecrets(around(make(diceOf(seed)))).length > 0) hits += 1;
      cells.push(`${(hits / 5).toFixed(0)} %`);
    }
    rows.push(`| ${[name, ...cells].join(' | ')} |`);
  }
  return ['| | in quotes | without |', '| --- | ---: | ---: |', ...rows].join('\n');
}

function kinds(): string {
  const listed = SECRET_CLASSES.map((secretClass) => {
    const names = new Set(secretPatterns.filter((one) => one.secretClass === secretClass).map(({ kind }) => kind));
    return `- **${secretClass}**: ${[...names].join(', ')}`;
  });
  return listed.join('\n');
}

it.each([
  ['docs/lab/secrets.md', 'recall', recall],
  ['docs/lab/secrets.md', 'guesses', guesses],
  ['docs/reference/secret-kinds.md', 'kinds', kinds],
])('in %s, the %s are what the patterns come to', (page, name, make) => {
  expectGeneratedPart(page, name, make());
});
