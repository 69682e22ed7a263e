import { describe, expect, it } from 'vitest';
import { describeUnprovenLoss } from '#analysis/loss/unproven-loss.js';
import { schemas } from '#cli/schemas.js';
import { activePath } from '#session/tree/tree.js';
import { compacted } from '../../fixtures/compacted.js';
import { Log } from '../../fixtures/log.js';
import { ClaudeCodeLog, textBlock } from '../../support/claude-code.js';
import { ctx } from '../../support/memory-io.js';

const files = { 's.jsonl': compacted['compacted-twice.jsonl'] as string };

async function documentOf(argv: readonly string[], world: Readonly<Record<string, string>> = files) {
  const { stdout } = await ctx(['loss', 's.jsonl', ...argv, '--full', '--json'], { files: world });
  return schemas.loss.parse(JSON.parse(stdout));
}

describe('ctx loss', () => {
  it('names exactly the entries of pi#2608', async () => {
    const { left, counts } = await documentOf([]);
    expect(left.filter(({ fate }) => fate === 'unaccounted').map(({ entryId }) => entryId)).toEqual([
      'u2',
      'a2',
      'u3',
      'a3',
    ]);
    expect(counts).toEqual({ kept: 2, summarised: 3, edited: 0, unaccounted: 4, total: 9 });
  });

  it('prints the totals, the facts by their mention, and the reason for each entry in no summary', async () => {
    const { stdout } = await ctx(['loss', 's.jsonl'], { files });
    expect(stdout).toMatch(
      /^the summary lacks \d of \d facts\ncompaction \w+ on line \d+: 3 entries summarised, 2 kept, 4 in no summary$/m,
    );
    expect(stdout).toMatch(/^ +facts +removed +quoted +mentioned +in part +missing\n +instructions +1 +0 +0 +0 +1$/m);
    expect(stdout).toContain('In no summary: kept by the previous compaction, never summarised\n   u2');
    expect(stdout).toContain('Missing from the summary\n   u2');
  });

  it('lists in JSON what its screen lists, and counts the rest', async () => {
    const { stdout } = await ctx(['loss', 's.jsonl', '--json'], { files });
    const { leftOut, ...listed } = schemas.loss.parse(JSON.parse(stdout));
    const all = await documentOf([]);
    expect(all.leftOut).toBeUndefined();
    expect(listed.left).toEqual(all.left.filter(({ fate }) => fate === 'unaccounted'));
    expect(listed.facts).toEqual(all.facts.filter(({ mention }) => mention === 'missing'));
    expect(leftOut?.left).toBe(all.left.length - listed.left.length);
    expect(leftOut?.left).toBeGreaterThan(0);
    expect([listed.counts, listed.classes]).toEqual([all.counts, all.classes]);
  });

  it('says what the summary quotes and what it does not', async () => {
    const { facts } = await documentOf(['k1']);
    expect(facts.map(({ class: of, text, mention }) => [of, text, mention])).toEqual([
      ['instructions', 'Make the forecast print dates in UTC.', 'quoted'],
      ['instructions', 'Never touch src/legacy.js.', 'quoted'],
    ]);
  });

  it('uses the version of Pi that --pi names', async () => {
    expect((await documentOf(['--pi', '0.63.1'])).counts.unaccounted).toBe(0);
    expect((await documentOf(['--pi', '0.63.0'])).counts.unaccounted).toBe(4);
    expect((await documentOf(['--pi', '1.5'])).counts.unaccounted).toBe(0);
  });

  it.each([
    ['no-summary', [], 1],
    ['no-summary', ['k1'], 0],
    ['corrections,images', [], 1],
    ['images', [], 0],
    ['instructions', ['k1'], 0],
  ])('--fail-on %s of %j exits with %i', async (what, revision, expected) => {
    const { exitCode, stdout } = await ctx(['loss', 's.jsonl', ...revision, '--fail-on', what], { files });
    expect(exitCode).toBe(expected);
    expect(stdout.includes('exit code 1, since --fail-on found: ')).toBe(expected === 1);
  });

  it.each([
    [['--fail-on', 'everything'], 2],
    [['--pi', 'new'], 2],
    [['u1'], 2],
  ])('refuses %j', async (argv, expected) => {
    const { exitCode, stdout } = await ctx(['loss', 's.jsonl', ...argv], { files });
    expect([exitCode, stdout]).toEqual([expected, '']);
  });

  const talk = (): Log => new Log('talk').user('u1', 'Never `rm` anything.').assistant('a1', 'Fine.').user('u2', 'Go.');
  const APPLY = {
    op: 'compaction_apply',
    scope: 'cached',
    invalidateCacheReason: 'c',
    summary: 'Never `rm`.',
    timestamp: 0,
    firstKeptMessageIndex: 2,
  };

  it('takes a transform of any name that compacts, as a context engine writes it', async () => {
    const text = talk().transform('x1', 'three-phase', [APPLY]).text();
    const document = await documentOf([], { 's.jsonl': text });
    expect(document).toMatchObject({ boundary: { entryId: 'x1' }, counts: { kept: 1, summarised: 2 } });
  });

  it('takes either half of a compaction that is written twice', async () => {
    const text = talk().transform('x1', 'compaction', [APPLY]).compaction('k1', 'Never `rm`.', 'u2').text();
    const [byTransform, byCompaction] = [
      await documentOf(['x1'], { 's.jsonl': text }),
      await documentOf(['k1'], { 's.jsonl': text }),
    ];
    expect(byTransform).toEqual(byCompaction);
    expect(byTransform).toMatchObject({
      boundary: { entryId: 'x1' },
      inputRule: null,
      counts: { kept: 1, summarised: 2 },
    });
    expect(byTransform.facts).toMatchObject([{ class: 'instructions', mention: 'named' }]);
  });

  it('takes no compaction that was undone', async () => {
    const undo = async (text: string, id: string): Promise<string> => {
      const { files: after } = await ctx(['revert', 's.jsonl', id, '--yes'], { files: { 's.jsonl': text } });
      return Buffer.from(after['s.jsonl'] ?? '').toString();
    };
    const boundaryOf = async (text: string): Promise<unknown> =>
      (await documentOf([], { 's.jsonl': text })).boundary?.entryId;
    const log = new Log('undone').user('u1', 'Never `rm` anything.').assistant('a1', 'Fine.').user('u2', 'Go.');
    const once = log.compaction('k1', 'Never `rm`.', 'u2').user('u3', 'Well?').text();
    expect(await boundaryOf(once)).toBe('k1');
    expect(await boundaryOf(await undo(once, 'k1'))).toBeUndefined();
    // The restore repeats the compaction before.
    const twice = log.compaction('k2', 'Nothing.', 'u3').user('u4', 'So?').text();
    expect(await boundaryOf(await undo(twice, 'k2'))).toBe('d0000001');
  });

  it('knows files, errors, images and thoughts', async () => {
    const log = new Log('tools')
      .user('u1', [
        { type: 'text', text: 'Fix the build.' },
        { type: 'image', data: '', mimeType: 'image/png' },
      ])
      .assistant('a0', '', { content: [{ type: 'thinking', thinking: 'Hm.' }] })
      .tool('t1', 'read', { path: 'src/a.ts' }, 'text')
      .tool('t2', 'edit', { path: 'src/b.ts' }, 'done')
      .tool('t3', 'bash', { command: 'npm test' }, 'ok');
    const text = log.compaction('k1', 'Changed src/b.ts, looked at lib/src/a.ts and ran npm test.', 'k1').text();
    const { classes } = await documentOf([], { 's.jsonl': text });
    expect(classes.map(({ class: of, left, named, missing }) => [of, left, named, missing])).toEqual([
      ['instructions', 1, 0, 1],
      ['edits', 1, 1, 0],
      ['reads', 1, 0, 1],
      ['results', 2, 1, 1],
      ['images', 1, 0, 1],
      ['thinking', 1, 0, 1],
    ]);
    const { stdout: short } = await ctx(['loss', 's.jsonl'], { files: { 's.jsonl': text } });
    expect(short).toMatch(
      /^Missing from the summary \(1 of 5\)\n +u1 +instruction .*\n {2}… 4 more, --full lists all$/m,
    );
    const { stdout: full } = await ctx(['loss', 's.jsonl', '--full'], { files: { 's.jsonl': text } });
    const [, listed = ''] = full.split('Missing from the summary\n');
    const rows = listed.slice(0, listed.indexOf('\n\n')).split('\n');
    const kinds = rows.map((row) => row.trim().split(/ +/)[1]);
    expect(new Set(kinds)).toEqual(new Set(['instruction', 'image', 'thinking', 'read', 'result']));
  });
});

it('lists three of the missing facts where all are results and files', async () => {
  const log = new Log('read').user('u1', 'Hi.');
  for (let at = 0; at < 5; at += 1) log.tool(`t${at}`, 'read', { path: `src/a${at}.ts` }, 'text');
  const text = log.compaction('k1', 'Hi.', 'k1').text();
  const { stdout } = await ctx(['loss', 's.jsonl'], { files: { 's.jsonl': text } });
  expect(stdout).toMatch(/^Missing from the summary \(3 of \d+\)$/m);
});

describe('a session without a compaction', () => {
  const world = { 's.jsonl': new Log('none').twoTurns().text(), 'e.jsonl': new Log('empty').text() };

  it('with the summary of a branch has left messages, and ctx loss names the command that prints them', async () => {
    const log = new ClaudeCodeLog();
    log.user('Look here.');
    const end = log.answer('m1', textBlock('Nothing.'));
    log.user('Look there.');
    const left = log.answer('m2', textBlock('A bug.'));
    log.summarizeAfter(end, 'There is a bug.');
    log.user('Repair it.');
    const { stdout } = await ctx(['loss', 'c.jsonl'], { files: { 'c.jsonl': log.text } });
    expect(stdout).not.toContain('nothing was lost');
    expect(stdout).toContain(`ctx show c.jsonl ${left.slice(0, 8)} --conversation`);
  });

  it.each(['s.jsonl', 'e.jsonl'])('lost nothing, and ctx loss says so: %s', async (file) => {
    const ran = await ctx(['loss', file, '--fail-on', 'no-summary'], { files: world });
    expect(ran).toMatchObject({
      exitCode: 0,
      stdout: `${file} has no compaction on this path, so nothing was lost\n`,
      stderr: '',
    });
  });

  it('has a document without a boundary', async () => {
    expect(await documentOf([], world)).toMatchObject({ boundary: null, counts: { total: 0 }, left: [], facts: [] });
  });

  it('is an error where a compaction was named', async () => {
    const { exitCode, stderr } = await ctx(['loss', 's.jsonl', '@{compaction}'], { files: world });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('the active path has no compaction')]);
  });

  it('takes no words of hooks, extensions and commands for instructions of the user', async () => {
    const text = new Log('told')
      .entry('c1', 'custom_message', { customType: 'hook', content: 'Always answer in verse.', display: false })
      .message('b1', { role: 'bashExecution', command: 'npm test', output: 'Never do it.', exitCode: 0 })
      .user('u1', '@src/tax.ts never round down here.')
      .assistant('a1', 'I see.')
      .user('u2', 'On.')
      .compaction('k1', '', 'u2')
      .text();
    const { facts } = await documentOf([], { 's.jsonl': text });
    expect(facts.map(({ class: of, entryId }) => [of, entryId])).toEqual([['instructions', 'u1']]);
    const argv = ['compact', 's.jsonl', '--summarizer', 'extract', '--keep-recent', '1', '--json', '--dry-run'];
    const other = text.replace(/^.*"compaction".*\n/m, '');
    const { stdout } = await ctx(argv, { files: { 's.jsonl': other } });
    expect(stdout).toContain('- @src/tax.ts never round down here.');
    expect(stdout).not.toContain('- Always answer in verse.');
  });
});

describe('the whole path', () => {
  const looped = (): string =>
    new Log('looped')
      .user('u1', 'List the chairs. Never pay before I agree.')
      .assistant('a1', 'Noted.')
      .user('u2', 'And the table?')
      .compaction('k1', 'Summary unavailable', 'u2')
      .compaction('k2', 'Summary unavailable', 'u2')
      .user('u3', 'Which one?')
      .text();

  it('covers every compaction of the path, and says which summaries say nothing', async () => {
    const world = { 's.jsonl': looped() };
    const { path, facts } = await documentOf([], world);
    expect(facts.filter(({ entryId }) => entryId === 'u1')).toEqual([]);
    expect(path?.compactions.map(({ entryId, hollow, missing }) => [entryId, hollow, missing])).toEqual([
      ['k1', 'placeholder', 2],
      ['k2', 'placeholder', 0],
    ]);
    expect(path?.facts.map(({ text, mention }) => [text, mention])).toEqual([
      ['List the chairs.', 'missing'],
      ['Never pay before I agree.', 'missing'],
    ]);
    expect(path?.compactions.every(({ left }) => left === undefined)).toBe(true);
    expect((await documentOf(['--all'], world)).path?.compactions[0]?.left?.map(({ entryId }) => entryId)).toEqual([
      'u1',
      'a1',
    ]);
    expect((await documentOf(['k1'], world)).path).toBe(undefined);
    const { exitCode } = await ctx(['loss', 's.jsonl', '--fail-on', 'instructions'], { files: world });
    expect(exitCode).toBe(1);
  });

  it('has a line for each earlier compaction, with the command that shows it, and lists their facts with --full', async () => {
    const wishes = Array.from({ length: 9 }, (_, at) => `Never touch file ${'abcdefghi'[at]}.ts!`);
    const log = new Log('wishes');
    for (const [at, wish] of wishes.entries()) log.user(`u${at}`, wish).assistant(`a${at}`, 'Noted.');
    const text = log
      .user('v1', 'Go on.')
      .compaction('k1', 'Nothing yet.', 'v1')
      .compaction('k2', 'Nothing yet.', 'v1')
      .text();
    const listed = async (...flags: readonly string[]): Promise<number> => {
      const { stdout } = await ctx(['loss', 's.jsonl', ...flags], { files: { 's.jsonl': text } });
      return stdout.split('Removed by earlier compactions')[1]?.match(/^ +u\d +instruction/gm)?.length ?? 0;
    };
    expect([await listed(), await listed('--full')]).toEqual([0, 9]);
    const { stdout } = await ctx(['loss', 's.jsonl'], { files: { 's.jsonl': text } });
    expect(stdout).toContain(
      '\n\n1 earlier compaction\nctx loss s.jsonl k1  line 21, removed 18 entries, 9 facts missing\n' +
        'the newest summary lacks 9 of all 9 facts of this path; --full lists them\n',
    );
    expect(stdout.indexOf('compaction k2 ')).toBeLessThan(stdout.indexOf('1 earlier compaction'));
  });

  it('ends with the commands that show what was lost', async () => {
    const world = { files: { 's.jsonl': looped() } };
    const { stdout } = await ctx(['loss', 's.jsonl'], world);
    expect(stdout).toContain('\nctx cat s.jsonl u1 ');
    expect(stdout).toContain('\nctx grep chairs s.jsonl --where hidden ');
    const [, undo = ''] = /^ctx (revert .*?)  shows the context without/m.exec(stdout) ?? [];
    expect((await ctx(undo.split(' '), world)).stdout).toContain('would append 1 entry');
    expect((await ctx(['cat', 's.jsonl', 'u1'], world)).stdout).toContain('Never pay before I agree.');
    expect((await ctx(['grep', 'chairs', 's.jsonl', '--where', 'hidden'], world)).stdout).toContain('List the chairs.');
    expect((await ctx(['loss', 's.jsonl', '--all'], world)).stdout).toContain('Compaction k1 on line 5');
  });

  const cleared = (replacement: unknown) => ({
    's.jsonl': new Log('cleared')
      .user('u1', 'Read it.')
      .tool('t1', 'read', { path: 'a.log' }, 'One line of the log. '.repeat(50))
      .edit('e1', 't1r', replacement)
      .user('u2', 'Go on.')
      .text(),
  });

  it.each([
    ['replaced', { content: [{ type: 'text', text: '[cleared]' }] }, '1,050 → 9 characters'],
    ['removed', null, 'removed, 1,050 characters'],
  ])('names a result whose content was %s without a compaction', async (change, replacement, said) => {
    const world = cleared(replacement);
    const { path, boundary } = await documentOf([], world);
    expect(boundary).toBe(null);
    expect(path?.changes.map((each) => [each.entryId, each.by, each.change])).toEqual([['t1r', 'e1', change]]);
    const { stdout } = await ctx(['loss', 's.jsonl'], { files: world });
    expect(stdout).not.toContain('nothing was lost');
    expect(stdout).toContain(said);
    expect(stdout).toContain('\nctx cat s.jsonl t1r ');
  });

  it('says that nothing was lost where an edit only adds, and where there is none', async () => {
    const more = cleared({ content: [{ type: 'text', text: `${'One line of the log. '.repeat(50)}And more.` }] });
    for (const world of [more, { 's.jsonl': new Log('short').twoTurns().text() }])
      expect((await ctx(['loss', 's.jsonl'], { files: world })).stdout).toContain('so nothing was lost');
  });

  it('does not say so where a recorded prompt is smaller than its messages', async () => {
    const usage = (input: number) => ({
      usage: { input, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: input + 5 },
    });
    const text = new Log('unseen')
      .user('u1', 'Read it.')
      .assistant('a1', 'Here.', usage(4096))
      .user('u2', 'A line of the log that is long enough. '.repeat(400))
      .assistant('a2', 'There.', usage(4096))
      .text();
    const { stdout } = await ctx(['loss', 's.jsonl'], { files: { 's.jsonl': text } });
    expect(stdout).not.toContain('nothing was lost');
    expect(stdout).toContain('More may have been lost: ');
  });

  it('does not say so of an agent that does not record its compactions', () => {
    const session = new Log('unrecorded').twoTurns().read();
    const parts = { system: 'missing', tools: 'missing', messages: 'recorded', usage: 'recorded' } as const;
    const origin = {
      subagentKind: null,
      isSubagent: false,
      clientTotals: null,
      name: 'x',
      title: 'Agent X',
      version: '2',
      contextWindow: null,
      unusedLines: 0,
      subagentFolder: null,
    };
    const of = (compactions: 'recorded' | 'approximate') =>
      describeUnprovenLoss(
        { ...session, agent: { ...origin, parts: { ...parts, compactions } } },
        activePath(session.tree),
      );
    expect(of('approximate')).toBe('Agent X 2 does not record every compaction');
    expect(of('recorded')).toBe(null);
  });
});
