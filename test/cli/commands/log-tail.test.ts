import { describe, expect, it } from 'vitest';
import { bytes, HEADER, lines } from '../../support/entries.js';
import { generateSession } from '../../support/generate.js';
import { ctx } from '../../support/memory-io.js';
import { runs } from '../../support/runs.js';

/** More than the two megabytes of the first read. */
const SIZE = 3_500_000;

/** Sessions one below another, each hanging on the last entry of the one before, so that the path is long. */
function longSession(seed: number, transforms: number): string {
  let text = lines(HEADER);
  let leaf: string | null = null;
  for (let at = 0; text.length < SIZE; at += 1) {
    const part = generateSession({ seed: seed * 1000 + at, entries: 80, compactions: 0.02, transforms })
      .split('\n')
      .slice(1, -1);
    const last = JSON.parse(part.at(-1)!) as { id: string };
    text += `${part.join('\n').replace('"parentId":null', `"parentId":${JSON.stringify(leaf)}`)}\n`;
    text += lines({
      type: 'custom',
      customType: 'x',
      data: 'y'.repeat(20_000),
      id: `${at}`.padStart(8, '0'),
      parentId: last.id,
      timestamp: HEADER.timestamp,
    });
    leaf = `${at}`.padStart(8, '0');
  }
  return text;
}

/** How many bytes are not read by a run: what stands in the middle is spoiled, and nobody notices. */
async function logOf(args: readonly string[], file: string | Uint8Array, isStrict = false): Promise<string> {
  const { stdout } = await ctx(['log', 'f', ...args], { files: { f: file }, env: isStrict ? { CTX_STRICT: '1' } : {} });
  return stdout;
}

describe('the end of a log says what the whole log says', () => {
  const ASKED = [
    ['-n', '1', '--json'],
    ['-n', '20', '--json'],
    ['-n', '50', '--json', '--reverse'],
    ['-n', '5', '--json', '--role', 'user'],
    ['-n', '3', '--json', '--tool', 'bash'],
    ['-n', '2', '--json', '--type', 'compaction'],
    ['-n', '7', '--format', '{line} {id} {context} {label}'],
    ['-n', '100000', '--oneline'],
  ];
  it.each([
    ['stock', 0],
    ['with transforms', 0.01],
  ])('%s sessions', async (_name, transforms) => {
    for (const seed of [1, 2, 3].slice(0, runs(3))) {
      const file = longSession(seed, transforms);
      for (const args of ASKED) expect([args, await logOf(args, file)]).toEqual([args, await logOf(args, file, true)]);
    }
  });
});

it('what stands above is not looked at', async () => {
  const file = bytes(longSession(4, 0));
  const expected = await logOf(['-n', '20', '--json'], file);
  const spoiled = file.slice();
  for (let at = 1000; at < 1_000_000; at += 1) if (spoiled[at] !== 0x0a) spoiled[at] = 0;
  expect(await logOf(['-n', '20', '--json'], spoiled)).toBe(expected);
  expect(await logOf(['-n', '100000', '--json'], spoiled)).not.toContain('"line":3,');
});

/** A file whose last lines are these, far below the first ones. */
function farBelow(first: readonly object[], last: readonly object[]): string {
  const filler = Array.from({ length: 150 }, (_, at) => ({
    type: 'custom',
    customType: 'x',
    data: 'y'.repeat(20_000),
    id: `f${String(at).padStart(7, '0')}`,
    parentId: null,
    timestamp: HEADER.timestamp,
  }));
  return lines(HEADER, ...([...first, ...filler, ...last] as Record<string, unknown>[]));
}

const at = HEADER.timestamp;
const said = (id: string, parentId: string | null, content: string): object => {
  return { type: 'message', id, parentId, timestamp: at, message: { role: 'user', content } };
};

describe('the end of a file is not enough', () => {
  it('where a compaction keeps from an entry that stands on the path above a gap', async () => {
    const file = farBelow(
      [said('0000000a', null, 'question '.repeat(20)), said('0000000b', '0000000d', 'question '.repeat(30))],
      [
        said('0000000d', '0000000a', 'question '.repeat(40)),
        said('00000011', '0000000b', 'question '.repeat(50)),
        {
          type: 'compaction',
          id: '0000000e',
          parentId: '00000011',
          timestamp: at,
          summary: 's',
          tokensBefore: 1,
          firstKeptEntryId: '0000000d',
        },
        said('0000000f', '0000000e', 'question'),
        said('00000010', '0000000f', 'question'),
      ],
    );
    for (const count of ['1', '2', '3', '4', '5', '9'])
      expect(await logOf(['-n', count, '--json'], file)).toBe(await logOf(['-n', count, '--json'], file, true));
  });

  it('to know what the first entry adds', async () => {
    const transform = {
      type: 'context_transform',
      id: '0000000b',
      parentId: '0000000a',
      timestamp: at,
      transformerName: 'compaction',
      schemaVersion: 1,
      patch: [],
    };
    const file = farBelow(
      [said('0000000a', null, 'question'), transform],
      [
        {
          type: 'compaction',
          id: '0000000c',
          parentId: '0000000b',
          timestamp: at,
          summary: 'summary '.repeat(9),
          tokensBefore: 1,
          firstKeptEntryId: '0000000a',
        },
        said('0000000d', '0000000c', 'question'),
      ],
    );
    const template = ['--format', '{id} {tokens}'];
    for (const count of ['1', '2', '3'])
      expect(await logOf(['-n', count, ...template], file)).toBe(await logOf(['-n', count, ...template], file, true));
  });
});
