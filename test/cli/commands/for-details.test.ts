import { describe, expect, it } from 'vitest';
import { entry, HEADER, lines, TALK } from '../../support/entries.js';
import { ctx } from '../../support/memory-io.js';

const SOUND = lines(HEADER, ...TALK);
const DAMAGED = `${SOUND}broken\n{"type":"custom"}\n${lines(entry('custom', 'c1', 'a2'))}`;
const FOLDER = '/home/ada/.pi/agent/sessions/--home-ada-weather--';

/** What stands on stderr behind the warnings. */
async function hints(argv: readonly string[], files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { stderr } = await ctx(argv, { files });
  return stderr.split('\n').filter((line) => line !== '' && !line.startsWith('ctx: warning: '));
}

describe('a warning', () => {
  it.each([
    'show s.jsonl',
    'show s.jsonl --json',
    'show s.jsonl --each',
    'show s.jsonl --watch',
    'log s.jsonl',
    'tree s.jsonl',
    'tree s.jsonl --json',
    'cat s.jsonl u1',
    'cat s.jsonl u1 --raw',
    'cat s.jsonl u1..a2',
    'grep question s.jsonl',
    'grep question s.jsonl --where all',
  ])('of ctx %s ends with where to read on', async (command) => {
    const argv = command.split(' ');
    expect(await hints(argv, { 's.jsonl': DAMAGED })).toEqual(['ctx: for details: ctx check s.jsonl']);
    expect(await hints(argv, { 's.jsonl': SOUND })).toEqual([]);
  });

  it('names the file of a session that was named otherwise', async () => {
    const file = `${FOLDER}/2026-01-05T09-00-00-000Z_the-session.jsonl`;
    const expected = [`ctx: for details: ctx check ${file.replace('/home/ada', '~')}`];
    expect(await hints(['show', 'latest'], { [file]: DAMAGED })).toEqual(expected);
    expect(await hints(['tree'], { [file]: DAMAGED })).toEqual(expected);
    expect(await hints(['cat', 'the-sess'], { [file]: DAMAGED })).toEqual(expected);
    expect(await hints(['cat', 'u1'], { [file]: DAMAGED })).toEqual(expected);
  });

  it.each([
    ['my session.jsonl', "'my session.jsonl'"],
    ["ada's.jsonl", String.raw`'ada'\''s.jsonl'`],
    ['$(boom).jsonl', "'$(boom).jsonl'"],
    ['red\u001b[31m.jsonl', "'red␛[31m.jsonl'"],
  ])('of the file %s can be pasted', async (file, word) => {
    expect(await hints(['show', file], { [file]: DAMAGED })).toEqual([`ctx: for details: ctx check ${word}`]);
  });

  it('of ctx ls is about more than one session', async () => {
    expect(await hints(['ls', 'all'], { 'all/s.jsonl': SOUND, 'all/none.jsonl': 'no session\n' })).toEqual([]);
  });

  it('is not what ctx check prints', async () => {
    expect(await hints(['check', 's.jsonl'], { 's.jsonl': DAMAGED })).toEqual([]);
  });
});
