import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSession } from '../../src/session/read-session.js';
import { toByteSource } from '../../src/session/scan/byte-source.js';
import { readTokensBefore } from '../../src/session/scan/tokens-before.js';
import { mutated, mutation } from '../support/damaged-files.js';
import { bytes, HEADER, lines } from '../support/entries.js';
import { runs } from '../support/runs.js';

const TIME = '2026-01-05T09:00:00.000Z';
const IDS = { id: '0000000c', parentId: '0000000b', timestamp: TIME };
const WRITTEN = {
  type: 'compaction',
  ...IDS,
  summary: 'a "quoted" \\ word\n',
  firstKeptEntryId: '0000000a',
  tokensBefore: 1234,
  details: { readFiles: ['a.ts'], modifiedFiles: [] },
  fromHook: false,
};

/** What is read of the only entry, and what its line says. */
function read(line: string | Uint8Array, isStrict = false): { found: unknown; entry: Record<string, unknown> } | null {
  const file = Buffer.concat([bytes(lines(HEADER)), typeof line === 'string' ? bytes(line) : line, bytes('\n')]);
  const session = readSession({ ...toByteSource(file), isStrict }, 'f');
  const head = session.tree.heads.at(0);
  return head?.type === 'compaction' ? { found: readTokensBefore(session, head), entry: session.entry(head) } : null;
}

describe('what a compaction says besides its summary', () => {
  it('is read where it is written as Pi writes it', () => {
    expect(read(JSON.stringify(WRITTEN))?.found).toEqual({ tokensBefore: 1234 });
    const { details: _, fromHook: __, ...short } = WRITTEN;
    expect(read(JSON.stringify({ ...short, summary: '\\' }))?.found).toEqual({ tokensBefore: 1234 });
    expect(read(JSON.stringify({ ...short, summary: '' }))?.found).toEqual({ tokensBefore: 1234 });
  });

  it('is left to the parser where the line says more, or in another way', () => {
    const text = JSON.stringify(WRITTEN);
    const { summary, ...rest } = WRITTEN;
    const others = [
      JSON.stringify({ ...WRITTEN, systemMessage: { role: 'system', content: '' } }),
      JSON.stringify({ ...WRITTEN, tokensBefore: -1 }),
      JSON.stringify({ ...WRITTEN, tokensBefore: 1.5 }),
      JSON.stringify({ ...WRITTEN, tokensBefore: '7' }),
      JSON.stringify({ ...rest, summary }),
      JSON.stringify({ ...WRITTEN, details: { tokensBefore: 1 } }),
      text.replace(/\}$/, ',"tokensBefore":9}'),
      text.replace(/\}$/, String.raw`,"tokens\u0042efore":9}`),
      text.replace(/\}$/, String.raw`,"system\u004dessage":{}}`),
      text.replace('"tokensBefore":1234', '"tokensBefore":1234 '),
      text.replace('"summary":', '"details":{"firstKeptEntryId":"0000000a","tokensBefore":5},"summary":'),
      text.replace('"a \\"quoted', '"a","x":"y\\"quoted'),
    ];
    for (const line of others) expect(read(line)?.found, line).toBe(null);
    expect(read(text, true)?.found).toBe(null);
  });

  it('is what the line says, whatever happens to it', () => {
    let found = 0;
    const changes = fc.array(mutation, { maxLength: 2 });
    fc.assert(
      fc.property(changes, (made) => {
        const got = read(made.reduce(mutated, bytes(JSON.stringify(WRITTEN))));
        if (!got?.found) return;
        found += 1;
        const { tokensBefore, systemMessage } = got.entry;
        expect({ ...got, systemMessage }).toMatchObject({ found: { tokensBefore }, systemMessage: undefined });
      }),
      { numRuns: runs(2000) },
    );
    expect(found).toBeGreaterThan(runs(100) / 2);
  });
});
