import { describe, expect, it } from 'vitest';
import { bytes, HEADER, lines } from '../support/entries.js';
import { generateSession } from '../support/generate.js';
import { ctx } from '../support/memory-io.js';

const SIZE = 5_000_000;

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
    for (const seed of [1, 2, 3]) {
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
