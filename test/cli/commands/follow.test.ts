import { describe, expect, it } from 'vitest';
import { assistant, compaction, HEADER, lines, TALK, user } from '../../support/entries.js';
import { ctx } from '../../support/memory-io.js';

const BEGINNING = lines(HEADER, ...TALK);
const GROWN = BEGINNING + lines(user('u3', 'a2'));
const BRANCHED = GROWN + lines(user('u4', 'a1'), assistant('a4', 'u4'));

async function idsOf(args: readonly string[], first: string, ...later: readonly string[]): Promise<readonly unknown[]> {
  const { stdout } = await ctx([...args, '--json'], { files: { f: first }, later: later.map((f) => ({ f })) });
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((text) => (JSON.parse(text) as { entryId: unknown }).entryId);
}

describe('ctx log --follow', () => {
  it('goes on with what is written', async () => {
    expect(await idsOf(['log', 'f', '--follow'], BEGINNING, GROWN)).toEqual(['u1', 'a1', 'u2', 'a2', 'u3']);
  });

  it('begins with the last entries where only those are asked for', async () => {
    expect(
      await idsOf(['log', 'f', '-f', '-n', '1'], BEGINNING, BEGINNING, GROWN, GROWN + lines(assistant('a3', 'u3'))),
    ).toEqual(['a2', 'u3', 'a3']);
  });

  it('follows the session to another branch', async () => {
    expect(await idsOf(['log', 'f', '-f', '-n', '1'], GROWN, BRANCHED)).toEqual(['u3', 'u4', 'a4']);
  });

  it('takes all branches where they are asked for, and filters', async () => {
    expect(await idsOf(['log', 'f', '-f', '--all', '--role', 'assistant'], GROWN, BRANCHED)).toEqual([
      'a1',
      'a2',
      'a4',
    ]);
  });

  it('restarts when the file is replaced', async () => {
    const other = lines(HEADER, user('x1', null));
    expect(await idsOf(['log', 'f', '-f', '-n', '1'], GROWN, other)).toEqual(['u3', 'x1']);
  });

  it('has the sizes of the context that a log of the whole has', async () => {
    const file = GROWN + lines(compaction('k1', 'u3', 'u2'), user('u5', 'k1'));
    const { stdout } = await ctx(['log', 'f', '--json'], { files: { f: file } });
    const followed = await ctx(['log', 'f', '-f', '--json'], {
      files: { f: BEGINNING },
      later: [{ f: GROWN }, { f: file }],
    });
    expect(followed.stdout.replaceAll('"isActive":false', '"isActive":true')).toBe(stdout);
  });

  it('prints titles once', async () => {
    const { stdout } = await ctx(['log', 'f', '-f'], { files: { f: BEGINNING }, later: [{ f: GROWN }] });
    expect(stdout.match(/preview/g)).toHaveLength(1);
    expect(stdout.trimEnd().split('\n')).toHaveLength(6);
  });

  it('says where the session goes on on another branch', async () => {
    const back = BRANCHED + lines(user('u5', 'u3'));
    const { stdout } = await ctx(['log', 'f', '-f', '--oneline', '-n', '1'], {
      files: { f: BEGINNING },
      later: [{ f: GROWN }, { f: BRANCHED }, { f: back }],
    });
    expect(stdout.trimEnd().split('\n')).toEqual([
      'a2        assistant',
      'u3        user            question u3',
      '— the session went back to a1; from there —',
      'u4        user            question u4',
      'a4        assistant',
      '— the session went back to a1; from there —',
      'u2        user            question u2',
      'a2        assistant',
      'u3        user            question u3',
      'u5        user            question u5',
    ]);
  });

  it('says so of a new root, and of a branch of which nothing passes', async () => {
    const { stdout } = await ctx(['log', 'f', '-f', '--oneline', '--role', 'assistant', '-n', '1'], {
      files: { f: BEGINNING },
      later: [{ f: BEGINNING + lines(user('u9', null)) }],
    });
    expect(stdout.trimEnd().split('\n')).toEqual([
      'a2        assistant',
      '— the session went back to before its first entry; from there —',
    ]);
  });

  it('says that the file was rewritten, and takes the last ones of it', async () => {
    const other = lines(HEADER, user('x1', null), user('x2', 'x1'));
    const { stdout } = await ctx(['log', 'f', '-f', '--oneline', '-n', '1'], {
      files: { f: GROWN },
      later: [{ f: other }],
    });
    expect(stdout.trimEnd().split('\n')).toEqual([
      'u3        user            question u3',
      '— the file was rewritten —',
      'x2        user            question x2',
    ]);
  });

  it('says nothing to scripts', async () => {
    const { stdout } = await ctx(['log', 'f', '-f', '-n', '1', '--format', '{id}'], {
      files: { f: GROWN },
      later: [{ f: BRANCHED }],
    });
    expect(stdout).toBe('u3\nu4\na4\n');
  });

  it.each([
    [['log', '-', '--follow'], 'standard input cannot be followed'],
    [['log', 'f', '--follow', '--reverse'], '--follow and --reverse cannot be used together'],
    [['log', 'f', '--follow', '--graph'], 'cannot be used together'],
    [['log', 'f', 'u1..a1', '--follow'], '--follow and [range] cannot be used together'],
    [['show', 'f', '--watch', '--each'], '--watch and --each cannot be used together'],
  ])('ctx %j is refused', async (args, why) => {
    const { exitCode, stderr } = await ctx(args, { files: { f: BEGINNING, '-': BEGINNING } });
    expect([exitCode, stderr.includes(why)]).toEqual([2, true]);
  });
});

describe('ctx show --watch', () => {
  it('shows the session again when it has grown', async () => {
    const { stdout } = await ctx(['show', 'f', '--watch', '--part', 'messages'], {
      files: { f: BEGINNING },
      later: [{ f: BEGINNING }, { f: GROWN }],
    });
    expect(stdout.match(/question u1/g)).toHaveLength(2);
    expect(stdout.match(/question u3/g)).toHaveLength(1);
  });

  it('takes the whole screen of a terminal, and only that', async () => {
    const world = { files: { f: BEGINNING }, later: [{ f: GROWN }] };
    const clear = '\u001b[H\u001b[2J';
    expect((await ctx(['show', 'f', '--watch'], { ...world, isTerminal: true })).stdout.split(clear)).toHaveLength(3);
    expect((await ctx(['show', 'f', '--watch'], world)).stdout).not.toContain('\u001b');
  });

  it('prints an envelope a line as JSON', async () => {
    const { stdout } = await ctx(['show', 'f', '--watch', '--json'], {
      files: { f: BEGINNING },
      later: [{ f: GROWN }],
    });
    const counts = stdout
      .trimEnd()
      .split('\n')
      .map((text) => (JSON.parse(text) as { messages: { cached: unknown[] } }).messages.cached.length);
    expect(counts).toEqual([4, 5]);
  });
});
