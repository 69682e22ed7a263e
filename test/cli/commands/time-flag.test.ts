import { expect, it } from 'vitest';
import { timeFlag } from '#cli/commands/flags.js';

const NOW = Date.UTC(2026, 2, 9, 12);
const flag = timeFlag('TIME', 'help');

it.each([
  ['90s', '2026-03-09T11:58:30.000Z'],
  ['2h', '2026-03-09T10:00:00.000Z'],
  ['2026-03-02', '2026-03-02T00:00:00.000Z'],
  ['2026-03-02T23:30-05:00', '2026-03-03T04:30:00.000Z'],
])('the time %s is known when it is known what time it is now', (raw, at) => {
  expect(new Date(flag.parse(raw)(NOW)).toISOString()).toBe(at);
});

it.each(['', 'yesterday', '2026-13-01', '2h3m', '2026-03-02Tx'])('%j is no time', (raw) => {
  expect(() => flag.parse(raw)).toThrow(`invalid value "${raw}" for TIME`);
});
