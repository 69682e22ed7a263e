import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DiffDocument } from '#analysis/diff/document.js';
import { applyDiff } from '#analysis/diff/envelope-diff.js';
import { toSentMessage } from '#analysis/diff/sent-message.js';
import { schemas } from '#cli/schemas.js';
import { envelopeAt } from '#context/envelope-at.js';
import { openSession } from '#context/open.js';
import { applyPatch } from '#context/ops/read-patch.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { pathTo } from '#session/tree/tree.js';
import { assistant, compaction, entry, HEADER, label, lines, TALK, user } from '../../support/entries.js';
import { fixtures, projectFolder } from '../../support/files.js';
import { ctx, type Ran, type World } from '../../support/memory-io.js';
import { tried } from '../../support/runs.js';

const talk = lines(HEADER, ...TALK);
const files = { 't.jsonl': talk, 'other.jsonl': lines(HEADER, ...TALK, user('u3', 'a2', 'More?')) };
const diff = (args: string, world: World = { files }): Promise<Ran> =>
  ctx(['diff', ...args.split(' ').filter(Boolean)], world);
const document = async (args: string, world: World = { files }): Promise<DiffDocument> => {
  const { stdout } = await diff(`${args} --json`, world);
  return schemas.diff.parse(JSON.parse(stdout));
};

describe('the settings of ctx diff', () => {
  const model = (
    id: string,
    parent: string | null,
    provider: string,
    modelId: string,
  ): Readonly<Record<string, unknown>> => entry('model_change', id, parent, { provider, modelId });
  const session = [
    HEADER,
    model('m1', null, 'anthropic', 'claude-sonnet-4-5'),
    user('u1', 'm1', 'Hi.'),
    model('m2', 'u1', 'openai', 'gpt-4o'),
  ];
  const limits = async (flags: string, config = '{}'): Promise<unknown> => {
    const world = { files: { 's.jsonl': lines(...session), '/home/ada/weather/ctx.config.json': config } };
    const { settings } = await document(`s.jsonl u1 m2${flags}`, world);
    return settings.find(({ name }) => name === 'limit');
  };

  it('have the context window of each model, unless the user sets one', async () => {
    expect(await limits('')).toEqual({ name: 'limit', before: 200_000, after: 128_000 });
    expect(await limits(' --limit 100k')).toBeUndefined();
    expect(await limits('', '{ "limit": 100000 }')).toBeUndefined();
  });
});

describe('the sides of ctx diff', () => {
  it.each([
    ['t.jsonl', 'u2', 'a2'],
    ['t.jsonl u1', 'u1', 'a2'],
    ['t.jsonl u1 a1', 'u1', 'a1'],
    ['t.jsonl u1..a1', 'u1', 'a1'],
    ['t.jsonl u1..', 'u1', 'a2'],
    ['t.jsonl HEAD~2 HEAD^', 'a1', 'u2'],
    ['t.jsonl @{turn:1} @{turn:2}', 'u1', 'u2'],
    ['t.jsonl@u1 t.jsonl@a1', 'u1', 'a1'],
    ['t.jsonl@{turn:1} other.jsonl', 'u1', 'u3'],
    ['t.jsonl other.jsonl@@{turn:2}', 'a2', 'u2'],
    ['t.jsonl other.jsonl', 'a2', 'u3'],
    ['t.jsonl@u1', 'u1', 'a2'],
  ])('are as in git: %s', async (args, before, after) => {
    const found = await document(args);
    expect([found.before.entryId, found.after.entryId]).toEqual([before, after]);
  });

  it('may be two branches, by their labels', async () => {
    const forked = lines(
      HEADER,
      ...TALK,
      user('v2', 'a1', 'Or this?'),
      label('l1', 'v2', 'v2', 'left'),
      label('l2', 'l1', 'a2', 'right'),
    );
    const found = await document('t.jsonl left right', { files: { 't.jsonl': forked } });
    expect([found.before.entryId, found.after.entryId]).toEqual(['v2', 'a2']);
    expect(found.cached.map(({ kind }) => kind)).toEqual(['removed', 'added', 'added']);
  });

  it('are at most two', async () => {
    const { exitCode, stderr } = await diff('t.jsonl u1 a1 u2');
    expect([exitCode, stderr]).toEqual([
      2,
      'ctx: one argument too many: "u2": name a session and two revisions, or two sessions as FILE@REV\n',
    ]);
  });

  it('have to exist', async () => {
    expect((await diff('t.jsonl nowhere')).exitCode).toBe(2);
    expect((await diff('gone.jsonl')).exitCode).toBe(3);
    expect((await diff('gone.jsonl@HEAD t.jsonl')).exitCode).toBe(3);
  });
});

describe('ctx diff', () => {
  it('prints nothing where nothing differs, whatever it is asked for', async () => {
    for (const flag of ['', '--stat', '--full', '--name-only', '--exit-code', '--quiet', '--format markdown'])
      expect(await diff(`t.jsonl u2 u2 ${flag}`)).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  });

  it('exits with 1 only where that is asked for', async () => {
    expect((await diff('t.jsonl u1 a2')).exitCode).toBe(0);
    expect((await diff('t.jsonl u1 a2 --exit-code')).exitCode).toBe(1);
    expect(await diff('t.jsonl u1 a2 --quiet')).toMatchObject({ exitCode: 1, stdout: '' });
    expect(await diff('t.jsonl u1 a2 --patch --exit-code')).toMatchObject({ exitCode: 1 });
    expect(await diff('t.jsonl u1 a2 --patch --quiet')).toMatchObject({ exitCode: 1, stdout: '' });
    expect(await diff('t.jsonl u1 u1 --patch --exit-code')).toMatchObject({ exitCode: 0, stdout: '[]\n' });
    expect((await diff('t.jsonl u1 a2 --patch --part tools')).exitCode).toBe(2);
  });

  it('names a text that became a list of blocks', async () => {
    const edit = entry('context_edit', 'e1', 'a2', {
      targetId: 'u1',
      replacement: { content: [{ type: 'text', text: 'question u1' }] },
    });
    const world = { files: { 't.jsonl': lines(HEADER, ...TALK, edit) } };
    const { stdout } = await diff('t.jsonl a2 e1', world);
    expect(stdout).toContain('content: the same text, as a list of blocks now');
  });

  it('finds one planted change and nothing else', async () => {
    const edit = entry('context_edit', 'e1', 'a2', { targetId: 'u1', replacement: { content: 'question one' } });
    const found = await document('t.jsonl a2 e1', { files: { 't.jsonl': lines(HEADER, ...TALK, edit) } });
    expect(found.cached).toMatchObject([
      {
        kind: 'changed',
        from: 0,
        to: 0,
        isMoved: false,
        values: [{ place: 'content', kind: 'changed', before: 'question u1' }],
      },
    ]);
    expect(found).toMatchObject({ parts: [], tools: [], options: [], uncached: [], settings: [] });
  });

  it('tells how much of a request is left in the next one', async () => {
    const world = { files: { 't.jsonl': lines(HEADER, ...TALK, compaction('k1', 'a2', 'u2'), assistant('a3', 'k1')) } };
    expect((await document('t.jsonl u1 a2', world)).prefix.end).toBeNull();
    expect((await document('t.jsonl a2 k1', world)).prefix.end).toEqual({
      section: 'messages',
      index: 0,
      name: 'user',
    });
  });

  it.each([
    ['21635a4e c7a10e55', 'messages', 0],
    ['21635a4e c7a10e55', 'rules', 0],
    ['21635a4e c7a10e55', 'release', 1],
    ['21635a4e c7a10e55', 'tools', 1],
    ['c7a10e55 HEAD', 'system', 0],
    ['c7a10e55 HEAD', 'messages', 1],
  ])('exits as it prints: %s --part %s', async (range, part, exitCode) => {
    const world = { files: { 'w.jsonl': readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl')) } };
    const args = `w.jsonl ${range} --part ${part}`;
    for (const flags of ['', ' --stat', ' --name-only']) {
      const printed = await diff(`${args}${flags} --exit-code`, world);
      expect(printed.exitCode).toBe(exitCode);
      expect(printed.stdout === '').toBe(exitCode === 0);
    }
    expect(await diff(`${args} --quiet`, world)).toMatchObject({ exitCode, stdout: '' });
    expect((await document(args, world)).same).toBe(exitCode === 0);
  });

  it('prints with --stat and --part what changed, without its texts', async () => {
    const edit = entry('context_edit', 'e1', 'a2', { targetId: 'u1', replacement: { content: 'question one' } });
    const world = { files: { 't.jsonl': lines(HEADER, ...TALK, edit) } };
    const { stdout } = await diff('t.jsonl a2 e1 --part messages --stat', world);
    expect(stdout).toBe('\nMessages\n~    1  user        u1             4  was 4  question one\n  … 3 messages kept\n');
  });

  it('selects parts', async () => {
    const { stdout } = await ctx(['diff', 'w.jsonl', '--part', 'bash'], {
      files: { 'w.jsonl': readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl')) },
    });
    expect(stdout).toBe('\nTools\n- bash  145 tokens\n');
  });

  describe('side by side', () => {
    const before = 'first line\nthe second line of the text\nthird\nfourth\nfifth\nsixth\nlast';
    const after = 'first line\nthe second line of a text\nthird\nfourth\nfifth\nsixth\nmore\nand more';
    const edit = entry('context_edit', 'e1', 'u1', { targetId: 'u1', replacement: { content: after } });
    const world = { files: { 't.jsonl': lines(HEADER, user('u1', null, before), edit) } };
    const golden = [
      '    content',
      '      first line                  │   first line',
      '    - the second line of [-the-]  │ + the second line of {+a+}',
      '      text                        │   text',
      '      third                       │   third',
      '      fourth                      │   fourth',
      '      fifth                       │   fifth',
      '      sixth                       │   sixth',
      '    - last                        │ + more',
      '                                  │ + and more',
    ];
    const textOf = async (args: string, more: World): Promise<readonly string[]> => {
      const { stdout } = await diff(`t.jsonl u1 e1 ${args}`, { ...world, ...more });
      const all = stdout.split('\n').slice(0, -1);
      return all.slice(all.indexOf('    content'));
    };

    it('has lines beside those in their place, with changed words marked', async () => {
      expect(await textOf('--side-by-side', { columns: 66 })).toEqual(golden);
    });

    it('is what a wide terminal gets, unless it is refused or words are asked for', async () => {
      const wide = { columns: 160, isTerminal: true };
      const isBeside = async (args: string, more: World): Promise<boolean> =>
        (await textOf(args, more)).join('').includes('│');
      expect(await isBeside('', wide)).toBe(true);
      expect(await isBeside('', { ...wide, columns: 159 })).toBe(false);
      expect(await isBeside('', { ...wide, isTerminal: false })).toBe(false);
      expect(await isBeside('--no-side-by-side', wide)).toBe(false);
      expect(await isBeside('--word-diff', wide)).toBe(false);
      expect(await isBeside('--side-by-side', { columns: 40 })).toBe(true);
    });

    it('leaves other formats as they are', async () => {
      for (const format of ['json', 'markdown']) {
        const plain = await diff(`t.jsonl u1 e1 --format ${format}`, world);
        expect(await diff(`t.jsonl u1 e1 --format ${format} --side-by-side`, world)).toEqual(plain);
      }
    });

    it('leaves out what did not change, and too much of it, unless all is asked for', async () => {
      const long = Array.from({ length: 60 }, (_, at) => `line ${at}`);
      const changed = long.map((text, at) => (at < 50 ? `${text} changed` : text));
      const other = entry('context_edit', 'e1', 'u1', { targetId: 'u1', replacement: { content: changed.join('\n') } });
      const files60 = { 't.jsonl': lines(HEADER, user('u1', null, long.join('\n')), other) };
      const shown = await textOf('--side-by-side', { files: files60, columns: 80 });
      expect([shown[40], shown[41], shown.length]).toEqual([
        '    - line 39                            │ + line 39{+ changed+}',
        '    … 13 more lines: --full shows them',
        42,
      ]);
      expect(await textOf('--side-by-side --full', { files: files60, columns: 80 })).toHaveLength(61);
    });

    it('marks no words where hardly one is left, and shortens lines that are long', async () => {
      const rewritten = async (was: string, is: string): Promise<readonly string[]> => {
        const to = entry('context_edit', 'e1', 'u1', { targetId: 'u1', replacement: { content: is } });
        return textOf('--side-by-side', {
          files: { 't.jsonl': lines(HEADER, user('u1', null, was), to) },
          columns: 200,
        });
      };
      expect(await rewritten('all of this goes', 'and something else comes')).toEqual([
        '    content',
        `    ${'- all of this goes'.padEnd(96)} │ + and something else comes`,
      ]);
      const [, ...shown] = await rewritten(`${'same '.repeat(400)}end`, `${'same '.repeat(400)}ends`);
      expect(shown).toHaveLength(1);
      expect(shown[0]).toMatch(/- …same .*\[-end-\] +│ \+ …same .*\{\+ends\+\}$/);
    });

    it('cannot be asked for together with words', async () => {
      const { exitCode, stderr } = await diff('t.jsonl u1 e1 --side-by-side --word-diff', world);
      expect([exitCode, stderr]).toEqual([
        2,
        'ctx: --side-by-side and --word-diff cannot be used together: leave one of them out\n',
      ]);
    });

    it('shows what was added and removed in its own half', async () => {
      const { stdout } = await ctx(['diff', 'w.jsonl', '--part', 'release', '--full', '--side-by-side'], {
        files: { 'w.jsonl': readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl')) },
        columns: 60,
      });
      expect(stdout.split('\n').slice(5, 8)).toEqual([
        '                               │ + <release>',
        '                               │ + Change documentation',
        '                               │   only. Ask before',
      ]);
    });
  });

  it('shows what is hostile as text', async () => {
    const evil = lines(
      HEADER,
      user('u1', null, '\u001b[31mred\u202e'),
      assistant('a1', 'u1'),
      user('\u001b[2J', 'a1', '\u001b]0;title\u0007'),
    );
    for (const flag of ['', '--full', '--side-by-side --full', '--word-diff', '--format markdown', '--name-only'])
      // eslint-disable-next-line no-control-regex
      expect((await diff(`t.jsonl u1 HEAD ${flag}`, { files: { 't.jsonl': evil } })).stdout).not.toMatch(
        /[\u001b\u0007\u202e]/,
      );
  });
});

/** Longer sessions have as many neighbours as all the others together. */
const MOST_ENTRIES = 30;
const compared = fixtures.filter((file) => !/damaged|rules/.test(file)).map((file, nth) => ({ file, nth }));

describe.each(compared)('over $file', ({ file, nth }) => {
  it('every diff of neighbours turns the one into the other, as a diff and as a patch', async () => {
    const session = await openSession(file);
    const trail = session.tree.leaf ? pathTo(session.tree, session.tree.leaf) : [];
    const ids = trail.map(({ id }) => id).filter((id) => typeof id === 'string');
    const pairs = trail.length < MOST_ENTRIES ? ids.slice(1).map((id, at) => [ids[at] ?? '', id] as const) : [];
    // Where not all is tried, every third pair: the next fixture tries other ones.
    for (const [previous, id] of tried(pairs, 3, nth)) {
      const [before, after] = [envelopeAt(session, previous), envelopeAt(session, id)];
      const world = { files: { [file]: readFileSync(file) } };
      const { stdout } = await ctx(['diff', file, previous, id, '--json'], world);
      const made = applyDiff(before, schemas.diff.parse(JSON.parse(stdout)));
      const toSent = ({ cached, uncached }: EnvelopeContent['messages']) =>
        [cached, uncached].map((messages) => messages.map(toSentMessage));
      expect([made.system, made.tools, toSent(made.messages), made.options]).toEqual([
        after.system,
        after.tools,
        toSent(after.messages),
        after.options,
      ]);
      const patch = await ctx(['diff', file, previous, id, '--patch'], world);
      const patched = applyPatch(before, JSON.parse(patch.stdout) as unknown[]).envelope;
      expect(patched.messages).toEqual(after.messages);
    }
    session.close();
  });
});

describe('what there is not', () => {
  const asked = { 'q.jsonl': lines(HEADER, user('u1', null, 'Which file?')) };

  it('is reported for a session without a request, and all of its context is new', async () => {
    const { exitCode, stdout, stderr } = await diff('q.jsonl', { files: asked });
    expect([exitCode, stderr.split(':').slice(0, 3).join(':')]).toEqual([0, 'ctx: warning: no-request']);
    expect(stderr).toContain('no request was answered yet, so the context is compared with an empty one');
    expect(stdout).toContain('Which file?');
    expect(await document('q.jsonl', { files: asked })).toMatchObject({
      before: { entryId: null },
      after: { entryId: 'u1' },
    });
    expect((await diff('q.jsonl --exit-code', { files: asked })).exitCode).toBe(1);
    expect((await diff('t.jsonl')).stderr).toBe('');
  });

  it('is reported for an unknown revision on the command line', async () => {
    const { exitCode, stderr } = await diff('q.jsonl @{request:-1}', { files: asked });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('no revision "@{request:-1}"')]);
  });

  it('is reported for an unknown part, with the parts to choose from', async () => {
    const { exitCode, stdout, stderr } = await diff('t.jsonl u1 a1 --part nosuch');
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toBe('ctx: neither context has a part "nosuch": choose from system, tools, options, messages\n');
    expect((await diff('t.jsonl u1 a1 --part messages')).exitCode).toBe(0);
  });
});
