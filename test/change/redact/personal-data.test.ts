import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findPersonalData } from '#change/redact/personal-data.js';
import { expectLinearTime } from '../../support/growth.js';

function valuesIn(text: string): readonly string[] {
  return [...findPersonalData(text)].map(({ start, end, kind }) => `${kind} ${text.slice(start, end)}`);
}

it.each([
  ['write to Ada.L+x@mail.example.org.', ['e-mail address Ada.L+x@mail.example.org']],
  ['<ada@example.com>, bob@example.com', ['e-mail address ada@example.com', 'e-mail address bob@example.com']],
  ['cd /home/ada/weather && ls', ['user ada']],
  ['(/Users/ada.l/x)', ['user ada.l']],
  ['file:///home/ada', ['user ada']],
  ['/mnt/c/Users/ada/x', ['user ada']],
  [String.raw`C:\Users\ada\x`, ['user ada']],
  [String.raw`C:\\Users\\ada\\x`, ['user ada']],
  [String.raw`a\n/home/ada/x\nada@example.com`, ['e-mail address ada@example.com', 'user ada']],
  ['.claude/projects/-home-ada-weather/1.jsonl', ['user ada']],
  [String.raw`.claude\projects\C--Users-ada-x\1.jsonl`, ['user ada']],
  ['it is in /home/ada. Or not', ['user ada']],
  ['/Users/jürgen/x', ['user jürgen']],
  [String.raw`C:\Users\Ada Lovelace\x`, ['user Ada Lovelace']],
  [String.raw`C:\\Users\\Ada Lovelace\\x`, ['user Ada Lovelace']],
  [String.raw`C:\\Users\\ada is mine\nof course`, ['user ada']],
])('finds people in %j', (text, values) => {
  expect(valuesIn(text)).toEqual(values);
});

it.each([
  'git@github.com:a/b.git',
  'Co-Authored-By: Claude <noreply@anthropic.com>',
  '@octocat and @types/node@20.1.0 and left-pad@1.3.0',
  'https://example.com/home/page',
  'src/home/index.ts',
  '/home/',
  '/Users/Shared/x',
  'a-home-made-x',
])('finds no personal data in %j', (text) => {
  expect(valuesIn(text)).toEqual([]);
});

it.each(['a', 'a.', 'a@', '@a.', '/home/', '-home-', '\\', 'a@a.'])(
  'takes linear time for a repeated %s',
  async (part) => {
    await expectLinearTime((count) => {
      const text = `${part.repeat(count)}/home/ada`;
      return () => valuesIn(text);
    }, 3000);
  },
);

it('finds stretches of the text, in order for each kind', () => {
  const pieces = fc.array(fc.constantFrom('/home/', 'ada', '@', 'x.org', ' ', '\\n', '/', '-home-', 'C:\\Users\\'));
  fc.assert(
    fc.property(pieces, (parts) => {
      const text = parts.join('');
      for (const { start, end } of findPersonalData(text)) {
        expect(start).toBeLessThan(end);
        expect(end).toBeLessThanOrEqual(text.length);
      }
    }),
    { numRuns: 300 },
  );
});
