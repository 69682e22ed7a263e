import { describe, expect, it } from 'vitest';
import { LineScanner } from '#session/scan/line-scanner.js';
import { toByteSource } from '../../src/session/scan/byte-source.js';
import { mutated } from '../support/damaged-files.js';
import { bytes, HEADER, lines } from '../support/entries.js';
import { generateSession } from '../support/generate.js';
import { ctx } from '../support/memory-io.js';
import { Random } from '../support/random.js';
import { runs } from '../support/runs.js';

const TIME = '2026-01-05T09:00:01.000Z';
const COMMANDS = [
  ['show', 'f'],
  ['show', 'f', '--json', '--lenient'],
  ['show', 'f', '--each', '--lenient'],
  ['tree', 'f'],
  ['tree', 'f', '--json'],
  ['log', 'f', '--json'],
  ['log', 'f', '--json', '-n', '3'],
  ['log', 'f', '--all', '--json'],
  ['grep', 'question', 'f', '--where', 'all', '--json'],
  ['cat', 'f', 'HEAD', '--raw'],
] as const;

/** So long that the line scanner is worth starting; on no path. */
const LONG = lines({
  type: 'custom',
  customType: 'long',
  data: 'x'.repeat(70_000),
  id: 'ffff0000',
  parentId: null,
  timestamp: TIME,
});

interface Said {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function said(args: readonly string[], file: Uint8Array, isStrict: boolean): Promise<Said> {
  const { exitCode, stdout, stderr } = await ctx(args, {
    files: { f: file },
    env: isStrict ? { CTX_STRICT: '1' } : {},
  });
  return { exitCode, stdout, stderr };
}

function user(id: string, parent: string | null, text: string): string {
  const link = parent === null ? 'null' : `"${parent}"`;
  return `{"type":"message","id":"${id}","parentId":${link},"timestamp":"${TIME}","message":{"role":"user","content":"${text}"}}\n`;
}

const [ONE, TWO, THREE, FOUR] = ['00000001', '00000002', '00000003', '00000004'] as const;
const FIRST = user(ONE, null, 'question one');
const SECOND = user(TWO, ONE, 'question two');
const THIRD = user(THREE, TWO, 'question three');
const LAST = user(FOUR, THREE, 'question four');

/** What goes wrong in lazy readers, and the path to HEAD that Pi sees. */
const TRAPS: readonly (readonly [name: string, body: string | Uint8Array, path: readonly string[]])[] = [
  [
    'payload before the id, with an id in it',
    `${FIRST}{"type":"custom","customType":"x","data":{"id":"aaaaaaaa","parentId":null},"id":"${TWO}","parentId":"${ONE}","timestamp":"${TIME}"}\n`,
    [ONE, TWO],
  ],
  ['an id twice: the last one wins', FIRST + SECOND.replace('"id"', '"id":"aaaaaaaa","id"'), [ONE, TWO]],
  [
    'an id twice, once with an escape',
    FIRST + SECOND.replace('"timestamp"', '"\\u0069d":"aaaaaaaa","timestamp"'),
    [ONE, 'aaaaaaaa'],
  ],
  [
    'a parent twice',
    FIRST +
      user(TWO, null, 'x') +
      THIRD.replace('"parentId"', `"parentId":"${TWO}","parentId"`).replace(
        `"parentId":"${TWO}","timestamp"`,
        `"parentId":"${ONE}","timestamp"`,
      ),
    [ONE, THREE],
  ],
  [
    'keys in another order, and spaces',
    `${FIRST}  { "message" : {"content":"question","role":"user"} , "parentId" : "${ONE}", "id":"${TWO}","timestamp":"${TIME}","type":"message"}  \n`,
    [ONE, TWO],
  ],
  ['ids in capitals', FIRST + user('ABCDEF01', ONE, 'x'), [ONE, 'ABCDEF01']],
  [
    'ids that are UUIDs',
    FIRST + user('019aaaa8-d8de-704a-8bad-619b71e216b3', ONE, 'x'),
    [ONE, '019aaaa8-d8de-704a-8bad-619b71e216b3'],
  ],
  [
    'a text that looks like an entry',
    FIRST + user(TWO, ONE, `{\\"type\\":\\"message\\",\\"id\\":\\"aaaaaaaa\\",\\"parentId\\":null}`),
    [ONE, TWO],
  ],
  ['a torn line in the middle', FIRST + SECOND.slice(0, -20) + '\n' + THIRD, [THREE]],
  ['a line torn behind an inner brace', `${FIRST}${SECOND.slice(0, -2)}\n${THIRD}`, [THREE]],
  ['a torn line glued to the next', FIRST + SECOND.slice(0, 70) + THIRD + LAST, [FOUR]],
  ['two entries on one line', FIRST + SECOND.trimEnd() + THIRD + LAST, [FOUR]],
  ['a raw control character in a string', FIRST + user(TWO, ONE, 'a\u0001b') + THIRD, [THREE]],
  ['a raw newline in a string', FIRST + user(TWO, ONE, 'a\nb') + THIRD, [THREE]],
  ['a torn last line', FIRST + SECOND + THIRD.slice(0, -9), [ONE, TWO]],
  ['a last line without its newline', FIRST + SECOND.trimEnd(), [ONE, TWO]],
  ['a missing parent', FIRST + THIRD, [THREE]],
  ['an entry that is its own parent', FIRST + user(TWO, TWO, 'x'), [TWO]],
  ['a cycle', user(ONE, THREE, 'a') + SECOND + THIRD, [ONE, TWO, THREE]],
  [
    'an id that comes again: the last entry wins',
    FIRST + SECOND + user(ONE, null, 'question again') + THIRD,
    [ONE, TWO, THREE],
  ],
  ['a parent that stands below its child', THIRD + SECOND + FIRST + LAST, [ONE, TWO, THREE, FOUR]],
  ['CRLF', (FIRST + SECOND).replaceAll('\n', '\r\n'), [ONE, TWO]],
  ['blank lines, also of odd white space', `${FIRST}\n  \t\r\n\u00a0\u3000\n${SECOND}`, [ONE, TWO]],
  [
    'scalars and lists on lines of their own',
    `${FIRST}null\n0\nfalse\n""\n${SECOND}7\n[]\n"x"\n${THIRD}`,
    [ONE, TWO, THREE],
  ],
  ['a scalar as the last line', `${FIRST}${SECOND}5\n`, []],
  ['a second header', FIRST + lines(HEADER) + SECOND, [ONE, TWO]],
  [
    'a number as an id',
    FIRST + SECOND.replace(`"${TWO}"`, '2') + THIRD.replace(`"parentId":"${TWO}"`, '"parentId":2'),
    [ONE, '2', THREE],
  ],
  ['a byte order mark in the middle', `${FIRST}\ufeff${SECOND}${THIRD}`, [THREE]],
  ['line separators that are no newlines', FIRST + user(TWO, ONE, 'a\u2028b\u2029c\u0085d'), [ONE, TWO]],
  ['bytes that are not UTF-8', Buffer.from(FIRST + SECOND.replace('two', '\u00ff\u00fe'), 'latin1'), [ONE, TWO]],
  [
    'ids with bytes that are not UTF-8',
    Buffer.from(FIRST + user('\u00ff\u00fe000000', ONE, 'x'), 'latin1'),
    [ONE, '\ufffd\ufffd000000'],
  ],
  ['NUL bytes', `${FIRST}${'\0'.repeat(100)}\n${SECOND}`, [ONE, TWO]],
  [
    'a line longer than what is read at once',
    FIRST + user(TWO, ONE, `question ${'y'.repeat(1_500_000)}`) + THIRD,
    [ONE, TWO, THREE],
  ],
  [
    'a big image beside the path',
    FIRST + user(TWO, ONE, 'z'.repeat(3_000_000)) + user(THREE, ONE, 'question'),
    [ONE, THREE],
  ],
  [
    'deep nesting',
    FIRST +
      `{"type":"custom","data":${'['.repeat(9000)}${']'.repeat(9000)},"id":"${TWO}","parentId":"${ONE}","timestamp":"${TIME}"}\n`,
    [ONE, TWO],
  ],
  ['an empty id', FIRST + user('', ONE, 'x'), [ONE, '']],
  ['an id of null', FIRST + SECOND.replace(`"id":"${TWO}"`, '"id":null'), []],
  ['no id', FIRST + SECOND.replace(`"id":"${TWO}",`, ''), [ONE]],
  ['no type', FIRST + SECOND.replace('"type":"message",', ''), [ONE, TWO]],
  ['a timestamp that is none', FIRST + SECOND.replace(TIME, 'yesterday'), [ONE, TWO]],
  ['no timestamp', FIRST + SECOND.replace(`"timestamp":"${TIME}",`, ''), [ONE, TWO]],
];

describe.each(TRAPS)('%s', (_name, body, path) => {
  const file = Buffer.concat([bytes(lines(HEADER) + LONG), typeof body === 'string' ? bytes(body) : body]);

  it.each(COMMANDS.map((args) => [args.join(' '), args] as const))(
    'ctx %s says what the strict reader says',
    async (_command, args) => {
      expect(await said(args, file, false)).toEqual(await said(args, file, true));
    },
  );

  it('leaves the path that Pi sees', async () => {
    const { stdout } = await said(['log', 'f', '--json'], file, false);
    const ids = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { entryId: string | null }).entryId);
    expect(ids.filter((id) => id !== null)).toEqual(path);
  });
});

it('a byte order mark at the beginning is refused by both', async () => {
  const file = bytes(`\ufeff${lines(HEADER)}${LONG}${FIRST}`);
  for (const isStrict of [true, false]) expect((await said(['show', 'f'], file, isStrict)).exitCode).toBe(3);
});

/** A session that is long enough for the scanner, with some of its bytes damaged. */
function damagedFile(seed: number): Uint8Array {
  const random = new Random(seed);
  const session = generateSession({
    seed,
    version: seed % 13 === 0 ? 1 : seed % 13 === 1 ? 2 : 3,
    entries: 30,
    odd: seed % 3 === 0 ? 0.3 : 0,
    transforms: seed % 2 === 0 ? 0.1 : 0,
    compactions: 0.08,
  });
  const end = session.indexOf('\n') + 1;
  let file: Uint8Array = bytes(session.slice(0, end) + LONG + session.slice(end));
  const pieces = ['\n', '"', '{', '}', '\\', '\0', ',', '\ufeff', '}{', '\r', '0', ''].map(bytes);
  for (let times = random.int(0, 4); times > 0; times -= 1) {
    const isIn = end + LONG.length < file.length;
    const at = isIn ? random.int(end + LONG.length, file.length) : 0;
    file = mutated(file, { at, removed: random.int(0, 3), inserted: random.pick(pieces) });
  }
  return file;
}

it(`${runs(1000, 25)} damaged sessions are read as the strict reader reads them`, async () => {
  let vouched = 0;
  for (let seed = 0; seed < runs(1000, 25); seed += 1) {
    const file = damagedFile(seed);
    if (seed % 10 === 0) {
      const [records] = new LineScanner().scan(toByteSource(file), 0, file.length);
      vouched += records?.words.filter((word, at) => at % 10 === 4 && word !== 0).length ?? 0;
    }
    for (const args of [
      ['show', 'f', '--json', '--lenient'],
      ['tree', 'f', '--json'],
      ['log', 'f', '--json'],
    ])
      expect([seed, args[0], await said(args, file, false)]).toEqual([seed, args[0], await said(args, file, true)]);
  }
  expect(vouched).toBeGreaterThan(runs(1000, 25) / 10);
});
