import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findVolatileMatches } from '#context/request/volatile.js';
import { runs } from '../support/runs.js';

function shown(text: string): readonly string[] {
  return findVolatileMatches(text).map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`);
}

describe('what changes from one request to the next', () => {
  it.each<[string, readonly string[]]>([
    ['Current date: 2026-03-02', ['date 2026-03-02']],
    ['2026/3/2, 02.03.2026 and 3/2/2026', ['date 2026/3/2', 'date 02.03.2026', 'date 3/2/2026']],
    ['Monday, March 2nd, 2026 or 2 Mar 2026', ['date March 2nd, 2026', 'date 2 Mar 2026']],
    ['2026-03-02T09:31:05.123Z', ['time 2026-03-02T09:31:05.123Z']],
    ['2026-03-02 09:31+01:00', ['time 2026-03-02 09:31+01:00']],
    ['Mon Mar 02 2026 09:31:05 GMT', ['date Mar 02 2026', 'time 09:31:05']],
    ['at 9:30 PM', ['time 9:30 PM']],
    ['The time is 09:31', ['time 09:31']],
    ['1772442000000 or 1772442000', ['timestamp 1772442000000', 'timestamp 1772442000']],
    ['3F2504E0-4F89-11D3-9A0C-0305E82C3301', ['uuid 3F2504E0-4F89-11D3-9A0C-0305E82C3301']],
    ['PID: 4711, process id 12', ['process-id 4711', 'process-id 12']],
    [
      '/tmp/tmp.KnrodqcByx and /var/folders/zz/ab/T/x',
      ['temporary-path /tmp/tmp.KnrodqcByx', 'temporary-path /var/folders/zz/ab/T/x'],
    ],
    ['C:\\Users\\ada\\AppData\\Local\\Temp\\x1y2z3', ['temporary-path C:\\Users\\ada\\AppData\\Local\\Temp\\x1y2z3']],
    ['0123456789abcdef', ['random-id 0123456789abcdef']],
    ['/tmp/build-a1b2c3/out', ['temporary-path /tmp/build-a1b2c3/out']],
    ['/tmp/abcde1', ['temporary-path /tmp/abcde1']],
    ['/tmp/1abcde', ['temporary-path /tmp/1abcde']],
    ['/tmp/AbcDef', ['temporary-path /tmp/AbcDef']],
    ['/private/tmp/x1y2z3', ['temporary-path /private/tmp/x1y2z3']],
    ['the time now: 9:31', ['time 9:31']],
  ])('is found in %j', (text, found) => {
    expect(shown(text)).toEqual(found);
  });

  it.each([
    '',
    'src/a.ts:12:30',
    'John 3:16, 16:9 and 4:3',
    'stand-up at 09:30',
    'interleaved-thinking-2025-05-14',
    'claude-sonnet-4-5-20250929',
    '/tmp/build/out',
    '/tmp/a1/b2/abc12',
    '/tmp/123456',
    '/tmp/ABCDEF',
    '/tmp/1-abcde',
    'pid of the file',
    'pid: 4',
    'deadbeefdeadbeef or 1234567890123456',
    'v1.2026-03-02',
    '127.0.0.1:8080',
    '2026-13-45',
  ])('is not found in %j', (text) => {
    expect(shown(text)).toEqual([]);
  });

  it('is in order, apart, and inside the text', () => {
    const piece = fc.constantFrom(
      '2026-03-02',
      ' ',
      'T09:31:05Z',
      'now ',
      '/tmp/x1y2z3',
      'pid 7',
      '3f2504e0',
      '-4f89',
      'Mar 2, 2026',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((all) => all.join('')),
        ),
        (text) => {
          let last = 0;
          for (const { start, end } of findVolatileMatches(text)) {
            expect(start).toBeGreaterThanOrEqual(last);
            expect(end).toBeGreaterThan(start);
            last = end;
          }
          expect(last).toBeLessThanOrEqual(text.length);
        },
      ),
      { numRuns: runs(500) },
    );
  });

  it('is found wherever it stands', () => {
    const around = fc.string().map((text) => text.replaceAll(/[\w./:\\@+-]/g, ' '));
    fc.assert(
      fc.property(around, around, fc.uuid(), (before, behind, uuid) => {
        const start = before.length + 1;
        expect(findVolatileMatches(`${before} ${uuid} ${behind}`)).toEqual([
          { kind: 'uuid', start, end: start + uuid.length },
        ]);
      }),
    );
  });

  it('is found on a line without a digit, beside lines with one', () => {
    const lines = [
      'a rule',
      'DEADBEEF-dead-beef-dead-beefdeadbeef',
      'in 2026 or 1999',
      'C:\\Users\\ada\\AppData\\Local\\Temp\\AbCdEfGh',
      '/var/folders/ab/cdefgh',
      'started 2026-03-02',
      '/private/tmp/AbCdEfGh',
    ];
    const found = ['uuid', 'temporary-path', 'temporary-path', 'date', 'temporary-path'];
    expect(findVolatileMatches(lines.join('\n')).map(({ kind }) => kind)).toEqual(found);
    for (const [at, line] of lines.entries())
      expect(findVolatileMatches(line).map(({ kind }) => kind)).toEqual(
        at === 0 || at === 2 ? [] : [found[at < 2 ? 0 : at - 2]],
      );
  });

  it('is named no more than a hundred times, and a long text is not read again and again', () => {
    expect(findVolatileMatches('2026-03-02 '.repeat(1000))).toHaveLength(100);
    for (const text of ['a1', '12:', '/tmp/', 'c:\\', 'time ', '2026-03-0', 'jan 1 ', `/tmp/${'a/'.repeat(20)}`])
      findVolatileMatches(text.repeat(1_000_000 / text.length));
  });
});
