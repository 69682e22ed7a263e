import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openSession } from '#context/open.js';
import { peekSession } from '../../../src/session/scan/peek.js';
import { bytes } from '../../support/entries.js';
import { fixtures, triedRecordings } from '../../support/files.js';

const HEADER = '{"type":"session","version":3,"id":"one","cwd":"/home/ada"}\n';

describe('a peek at the beginning', () => {
  it.each([...fixtures, ...triedRecordings])('agrees with the strict reader: %s', async (file) => {
    const found = peekSession(readFileSync(file).subarray(0, 65_536), true);
    const opened = await openSession(file).catch(() => null);
    expect(found).toEqual(
      opened === null ? 'no-session' : expect.objectContaining({ id: opened.header.id, cwd: opened.header.cwd }),
    );
    opened?.close();
  });

  it.each([
    ['parentSession', '/a.jsonl'],
    ['branchedFrom', '/b.jsonl'],
  ])('tells from %s what a fork came from', (key, file) => {
    const header = JSON.stringify({ type: 'session', id: 'one', [key]: file });
    expect(peekSession(bytes(`${header}\n`), true)).toMatchObject({ parentSession: file });
  });

  it('says nothing of a first line that it sees only a part of', () => {
    expect(peekSession(bytes(HEADER).subarray(0, 30), false)).toBeNull();
    expect(peekSession(bytes(HEADER.trimEnd()), false)).toBeNull();
    expect(peekSession(bytes(HEADER.trimEnd()), true)).toMatchObject({ id: 'one' });
    expect(peekSession(bytes(`${HEADER}{"type":`), false)).toMatchObject({
      id: 'one',
      cwd: '/home/ada',
      parentSession: null,
      importedId: null,
    });
  });

  it.each(['', '\n', '{}', '[]', '{"type":"session","id":7}', 'text'])('takes %j for no session', (text) => {
    expect(peekSession(bytes(text), true)).toBe('no-session');
  });
});
