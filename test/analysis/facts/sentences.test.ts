import { describe, expect, it } from 'vitest';
import { findInstructions } from '#analysis/facts/instructions.js';
import { splitSentences } from '#analysis/facts/sentences.js';

const among = (line: string): string => `Look at this:\n${line}\nThanks.`;

describe('a sentence that begins with a mark is written', () => {
  it.each([
    '@docs/api.md must never name internal hosts.',
    '@lib/tax.ts:40-60 is wrong, always round half to even',
    '#348 stays open, do not close it.',
    '$TMPDIR must never be used in the tests.',
    '$20 a month is the limit, never go above it.',
    '// is how comments must begin, never use /* in this repository.',
    '>90 % of the lines must be covered.',
    '> 100 columns is forbidden here.',
    '| must be escaped in the cells, never leave it raw.',
    '<Dialog> must always keep its focus.',
    '{name} in the template must never be translated.',
    'npm run lint fails on my machine, please find out why.',
    '10:30 is when the job must have ended, never start it later.',
    'node:fs must never be imported in the browser.',
    'at night (UTC) never deploy anything.',
    '@src/корзина.ts никогда не округляй вверх',
  ])('%s', (line) => {
    expect(splitSentences(line).join(' ')).toBe(line);
    // A line that begins as a comment, a quote or a cell may be one among others.
    if (!/^(?:\/\/|[>|]) /.test(line)) expect(splitSentences(among(line)).join(' ')).toContain(line);
  });
});

describe('what programs print, and code, is not', () => {
  it.each([
    '$ npm test',
    '> app@1.0.0 build',
    '> you said that it never fails',
    '| name | must never change |',
    '| must never change',
    '@@ -1,3 +1,4 @@ do not',
    '@param name the name that must be given',
    '@Component({ selector: "app" })',
    '@media (min-width: 600px) {',
    '#include <stdio.h>',
    '// TODO: never do this',
    '<div class="a">must be a tag</div>',
    '{ "name": "must" }',
    'npm ERR! A complete log of this run can be found in: /root/x.log',
    'npm test',
    'npm install react redux',
    'node:internal/modules/cjs/loader:1080',
    '    at load (src/load.ts:12:3)',
    '    at com.example.Main.main(Main.java:12)',
    '12 | const must = 1',
    '✓ must list the files (12 ms)',
    '❯ ./run.sh',
    '# Requirements',
  ])('%s', (line) => {
    expect(splitSentences(among(line))).toEqual(['Look at this:', 'Thanks.']);
  });
});

it('takes a request behind the name of a file, an issue or a command', () => {
  const of = (text: string) => findInstructions(text).map(({ text: asked }) => asked);
  expect(of('@lib/tax.ts fix the rounding')).toEqual(['@lib/tax.ts fix the rounding']);
  expect(of('Hello there. #77 add a test for it. It rained.')).toEqual(['#77 add a test for it.']);
  expect(of('It rained. npm run build hangs since Monday, please find out why.')).toEqual([
    'npm run build hangs since Monday, please find out why.',
  ]);
});

it('finds the rule in a line that begins with a mark', () => {
  const rules = (text: string) => findInstructions(text).filter(({ isRule }) => isRule);
  expect(rules('@lib/tax.ts never round down in this file.')).toHaveLength(1);
  expect(rules('10:30 is the deadline, never start a job later.')).toHaveLength(1);
  expect(rules('#9 must stay open.')).toHaveLength(1);
});
