import { describe, expect, it } from 'vitest';
import { type JsonOf, schemas } from '#cli/schemas.js';
import { Log } from '../../fixtures/log.js';
import { ctx, type Ran, type World } from '../../support/memory-io.js';

/** 25 tokens each. */
const LONG = 'x'.repeat(100);

function turns(count: number): string {
  const log = new Log('talk');
  for (let at = 1; at <= count; at += 1) log.user(`u${at}`, LONG).assistant(`a${at}`, LONG);
  return log.text();
}

/** A turn, and a compaction that keeps from an entry of it. */
function talkCompacted(from: string): Log {
  return new Log('t').user('u1', LONG).user('u2', LONG).compaction('k1', 'all of it', from);
}

const FILES = { 's.jsonl': turns(4), 'summary.md': '## Goal\nAll of it.\n' };
const NOW = Date.UTC(2026, 2, 3);

function compact(args: string, world: World = {}): Promise<Ran> {
  return ctx(['compact', '--yes', ...args.split(' ')], { files: FILES, now: NOW, ...world });
}

function text(ran: Ran, file: string): string {
  const content = ran.files[file] ?? '';
  return typeof content === 'string' ? content : new TextDecoder().decode(content);
}

function dryRunOf({ stdout }: Ran): JsonOf<'plan'> {
  return schemas.plan.parse(JSON.parse(stdout));
}

function entriesIn(ran: Ran, file = 's.jsonl'): readonly Record<string, unknown>[] {
  const added = text(ran, file).slice(FILES['s.jsonl'].length);
  return added
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

const BOTH = ['context_transform', 'compaction'];

/** Files where more was said in the session. */
function said(files: Ran['files']): Ran['files'] {
  const before = Buffer.from(files['s.jsonl'] ?? '').toString();
  const { id } = JSON.parse(before.trimEnd().split('\n').at(-1) ?? '') as { id: string };
  const [, ...more] = new Log('more')
    .from(id)
    .user('u9', LONG)
    .assistant('a9', LONG)
    .user('u10', 'So?')
    .text()
    .split('\n');
  return { ...files, 's.jsonl': before + more.join('\n') };
}

describe('ctx compact', () => {
  it('appends a transform and what stock Pi reads, and changes nothing above (--as both)', async () => {
    const ran = await compact('s.jsonl --keep-recent 90 --summary summary.md --as both');
    expect(ran.exitCode).toBe(0);
    expect(text(ran, 's.jsonl').startsWith(FILES['s.jsonl'])).toBe(true);
    const [transform, stock] = entriesIn(ran);
    expect(transform).toMatchObject({
      type: 'context_transform',
      parentId: 'a4',
      timestamp: '2026-03-03T00:00:00.000Z',
      transformerName: 'compaction',
      patch: [{ op: 'compaction_apply', summary: '## Goal\nAll of it.', firstKeptMessageIndex: 4, timestamp: NOW }],
    });
    expect(stock).toMatchObject({
      type: 'compaction',
      parentId: transform?.['id'],
      firstKeptEntryId: 'u3',
      fromHook: true,
    });
    expect(Object.keys(stock ?? {})).toEqual(
      'type id parentId timestamp summary firstKeptEntryId tokensBefore details fromHook'.split(' '),
    );
  });

  it.each([
    ['context_transform', ['context_transform']],
    ['compaction', ['compaction']],
  ])('writes one form alone with --as %s', async (form, types) => {
    const ran = await compact(`s.jsonl --keep-recent 90 --summary summary.md --as ${form}`);
    expect(entriesIn(ran).map(({ type }) => type)).toEqual(types);
  });

  it('writes what the reader of the session knows, and says of a form whether stock Pi ignores it', async () => {
    const typesOf = (ran: Ran): readonly unknown[] => entriesIn(ran).map(({ type }) => type);
    const base = 's.jsonl --keep-recent 90 --summary summary.md';
    const stock = await compact(base);
    expect(typesOf(stock)).toEqual(['compaction']);
    expect(stock.stdout).not.toContain('ignores');
    const gate = [{ op: 'tools_remove', scope: 'cached', toolNames: ['bash'], invalidateCacheReason: 'gate' }];
    const files = { ...FILES, 'gate.json': JSON.stringify(gate) };
    const gated = await ctx(['apply', 's.jsonl', 'gate.json', '--yes'], { files, now: NOW });
    expect(typesOf(await compact(base, { files: gated.files }))).toEqual(['context_transform', ...BOTH]);
    const forced = await compact(`${base} --as context_transform --json`);
    const { ignoredByStock, notes } = schemas.written.parse(JSON.parse(forced.stdout));
    expect(ignoredByStock).toEqual([entriesIn(forced)[0]?.['id']]);
    expect(notes).toContain('stock Pi ignores this entry; --as compaction writes what it honours');
    const both = await compact(`${base} --as both --json`);
    expect(schemas.written.parse(JSON.parse(both.stdout)).ignoredByStock).toEqual([]);
    const again = await compact(`${base.replace('90', '1')} --dry-run`, { files: said(both.files) });
    expect(again.stdout).not.toContain('context_transform');
  });

  it('gives stock Pi the prompt of the session as a checkpoint', async () => {
    const system = { role: 'system', content: '', sections: { rules: 'Be brief.' }, toolsAdded: [{ name: 'read' }] };
    const log = new Log('talk').message('s1', system).user('u1', LONG).assistant('a1', LONG).user('u2', LONG);
    const files = { 's.jsonl': log.text(), 'summary.md': 'short' };
    const ran = await compact('s.jsonl --keep-recent 20 --summary summary.md --as compaction', { files });
    const line = text(ran, 's.jsonl').trimEnd().split('\n').at(-1) ?? '';
    expect((JSON.parse(line) as Record<string, unknown>)['systemMessage']).toEqual({ ...system, timestamp: NOW });
  });

  it('saves the same plan with and without --dry-run', async () => {
    const line = 's.jsonl --keep-recent 90 --summary summary.md --plan plan.json';
    const [plain, dry] = [await compact(line), await compact(`${line} --dry-run`)];
    expect(dry.files).toEqual(plain.files);
    expect(dry.files['s.jsonl']).toBe(FILES['s.jsonl']);
  });

  it('plans what it writes, byte for byte', async () => {
    const planned = await compact('s.jsonl --keep-recent 90 --summary summary.md --dry-run --json');
    expect(planned.files).toEqual(FILES);
    const { cache: _cache, loss: _loss, notes = [], ...plan } = schemas.plan.parse(JSON.parse(planned.stdout));
    const { stdout: read } = await compact('s.jsonl --keep-recent 90 --summary summary.md --dry-run');
    expect(notes).toHaveLength(2);
    for (const note of notes) expect(read).toContain(`\nnote: ${note}\n`);
    const saved = await compact('s.jsonl --keep-recent 90 --summary summary.md --plan plan.json');
    expect(JSON.parse(text(saved, 'plan.json'))).toEqual(plan);
    const applied = await ctx(['apply', 'plan.json', '--yes'], { files: saved.files, now: NOW + 5 });
    expect(applied.exitCode).toBe(0);
    expect(entriesIn(applied)).toEqual(plan.entries);
    const files = { ...FILES, '-': planned.stdout };
    const printed = await ctx(['apply', '-', '--yes'], { files, now: NOW + 5 });
    expect(entriesIn(printed)).toEqual(plan.entries);
  });

  it.each(['both', 'context_transform', 'compaction'])('says before what is lost by it (--as %s)', async (form) => {
    const log = new Log('talk').user('u1', 'Never touch src/legacy.js.').tool('t1', 'read', { path: 'a.js' }, LONG);
    log.user('u2', 'Use tabs in src/new.js.').assistant('a2', LONG).user('u3', LONG);
    const files = { 's.jsonl': log.text(), 'summary.md': 'Leave src/legacy.js alone.' };
    const base = `s.jsonl --keep-recent 20 --summary summary.md --as ${form}`;
    const now = Date.UTC(2026, 4, 1);
    const { loss } = dryRunOf(await compact(`${base} --dry-run --json`, { files, now }));
    const done = await compact(base, { files, now });
    const audit = await ctx(['loss', 's.jsonl', '@{compaction}', '--full', '--json'], { files: done.files });
    const { facts, ...known } = JSON.parse(audit.stdout);
    expect(loss).toMatchObject(known);
    // Of the facts, those of the screen.
    expect(facts).toEqual(expect.arrayContaining(loss?.facts ?? []));
    expect(loss?.classes.find(({ class: of }) => of === 'instructions')).toMatchObject({
      left: 2,
      named: 1,
      missing: 1,
    });
    const { stdout } = await compact(`${base} --dry-run`, { files, now });
    expect(stdout).toMatch(/instructions +2 +1 +1\n/);
    expect(stdout).toContain('missing from the summary:\n   u2        instructions  Use tabs in src/new.js.\n');
    expect(done.stdout).not.toContain('does not mention');
  });

  it('says before what it costs at the cache', async () => {
    const dry = 's.jsonl --keep-recent 90 --summary summary.md --dry-run';
    const inTime = Date.UTC(2026, 2, 2, 9, 10);
    expect(dryRunOf(await compact(`${dry} --json`, { now: inTime })).cache).toEqual({
      rebilledTokens: 198,
      savedTokensPerRequest: 102,
      requests: 23,
      isCold: false,
      coldBecause: null,
      retentionMinutes: 5,
      retentionBasis: 'assumed',
      idleSeconds: 120,
      basis: 'assumed',
    });
    expect((await compact(dry, { now: inTime })).stdout).toContain(
      [
        'cache     ~198 tokens uncached once, then ~102 fewer per request',
        'pays off  after 23 requests (assumed: cached tokens cost 0.1, new ones 1.25)',
      ].join('\n'),
    );
    expect((await compact(dry)).stdout).toContain('pays off  at once: the cache expired 14 hours ago');
  });

  it('refuses a plan when the session has grown', async () => {
    const saved = await compact('s.jsonl --keep-recent 90 --summary summary.md --plan plan.json');
    const files = { ...saved.files, 's.jsonl': turns(5) };
    const ran = await ctx(['apply', 'plan.json', '--yes'], { files });
    expect(ran.exitCode).toBe(4);
    expect(ran.files['s.jsonl']).toBe(files['s.jsonl']);
  });

  it('begins a branch at another entry', async () => {
    const ran = await compact('s.jsonl --at a2 --keep-recent 40 --summary summary.md');
    expect(entriesIn(ran)[0]).toMatchObject({ parentId: 'a2' });
    expect(entriesIn(ran)[0]).toMatchObject({ firstKeptEntryId: 'u2' });
    expect(ran.stdout).toContain('a new branch begins at a2');
    const at = schemas.envelope.parse(
      JSON.parse((await ctx(['show', 's.jsonl', 'a2', '--json'], { files: FILES })).stdout),
    );
    const dry = await compact('s.jsonl --at a2 --keep-recent 40 --summary summary.md --plan plan.json --json');
    expect(dryRunOf(dry).size?.before).toEqual(at.meta.size);
    const saved = await ctx(['apply', 'plan.json', '--dry-run', '--json'], { files: dry.files, now: NOW });
    expect(dryRunOf(saved).cache).toEqual(dryRunOf(dry).cache);
  });

  it('reads how much is kept from the settings of Pi', async () => {
    const settings = JSON.stringify({ compaction: { keepRecentTokens: 90 } });
    const files = { ...FILES, '/home/ada/.pi/agent/settings.json': settings };
    const ran = await compact('s.jsonl --summary summary.md', { files });
    expect(entriesIn(ran)[0]).toMatchObject({ firstKeptEntryId: 'u3' });
    const ofProject = { ...files, '/home/ada/weather/.pi/settings.json': '{"compaction":{"keepRecentTokens":40}}' };
    expect(entriesIn(await compact('s.jsonl --summary summary.md', { files: ofProject }))[0]).toMatchObject({
      firstKeptEntryId: 'u4',
    });
  });

  it('keeps a tool call with its result, and says where Pi would not', async () => {
    const call = { content: [{ type: 'toolCall', id: 'c', name: 'bash', arguments: {} }], stopReason: 'toolUse' };
    const answer = { role: 'toolResult', toolCallId: 'c', toolName: 'bash', content: [{ type: 'text', text: LONG }] };
    const log = new Log('talk').user('u1', LONG).assistant('call', '', call).user('u2', LONG).message('r', answer);
    const files = { ...FILES, 's.jsonl': log.text() };
    const ran = await compact('s.jsonl --keep-recent 45 --summary summary.md', { files });
    expect(ran.stdout).toContain('3 messages stay from call on');
    expect(ran.stdout).toContain('Pi would cut further down');
  });

  it('makes a summary by itself', async () => {
    const ran = await compact('s.jsonl --keep-recent 90');
    expect(ran.exitCode).toBe(0);
    expect(entriesIn(ran)[0]?.['summary']).toContain('## Goal');
  });
});

describe('ctx compact has nothing to do', () => {
  it('where everything fits', async () => {
    const ran = await compact('s.jsonl --summary summary.md');
    expect([ran.exitCode, ran.files]).toEqual([0, FILES]);
    expect(ran.stdout).toContain('nothing to compact: keeping at least');
    expect(schemas['compaction-check'].parse(JSON.parse((await compact('s.jsonl --json')).stdout)).needed).toBe(false);
  });

  it('writes the plan that a script applies next', async () => {
    for (const [line, why] of [
      ['compact s.jsonl --dry-run', 'all messages; keep less'],
      ['prune s.jsonl --strategy images', 'nothing to prune'],
    ] as const) {
      const ran = await ctx([...line.split(' '), '--plan', 'plan.json'], { files: FILES });
      expect([ran.exitCode, ran.files['s.jsonl']]).toEqual([0, FILES['s.jsonl']]);
      expect(ran.stdout.replaceAll(/\s+/g, ' ')).toContain(why);
      expect(ran.stdout).toContain('note: the plan in plan.json appends nothing\n');
      const applied = await ctx(['apply', 'plan.json', '--yes'], { files: ran.files });
      expect([applied.exitCode, applied.files['s.jsonl']]).toEqual([0, FILES['s.jsonl']]);
      expect(applied.stdout).toContain('nothing to append to s.jsonl');
    }
  });

  it('writes the copy that a script reads next', async () => {
    for (const bytes of [FILES['s.jsonl'], FILES['s.jsonl'].trimEnd()])
      for (const line of ['compact', 'prune --strategy images', 'apply - --name none']) {
        const [name = '', ...flags] = line.split(' ');
        const world = { files: { 's.jsonl': bytes, '-': '[]' } };
        const ran = await ctx([name, 's.jsonl', ...flags, '--output', 'new.jsonl'], world);
        expect([ran.exitCode, String(ran.files['new.jsonl'])]).toEqual([0, bytes]);
      }
    const dry = await compact('s.jsonl --output new.jsonl --dry-run');
    expect(dry.files).toEqual(FILES);
  });

  it('writes no file where the exit code says so', async () => {
    for (const name of ['compact', 'prune'])
      for (const flag of ['--plan', '--output']) {
        const ran = await ctx([name, 's.jsonl', '--if-needed', '--limit', '200k', flag, 'new'], { files: FILES });
        expect([ran.exitCode, ran.files]).toEqual([1, FILES]);
      }
  });

  it.each([
    ['--summary nosuch.md', 'nosuch.md', 3],
    ['--hook nosuch.ts', 'the hook cannot be loaded: there is no such file: nosuch.ts: check the path', 3],
    ['--if-needed --limit 200k --summary nosuch.md', 'nosuch.md', 3],
    ['--output summary.md', 'the file already exists: summary.md', 4],
    ['--plan summary.md', 'the file already exists: summary.md', 4],
  ])('only after the files that are named were looked at: %s', async (flags, why, exitCode) => {
    const ran = await compact(`s.jsonl ${flags}`);
    expect(ran).toMatchObject({ exitCode, stdout: '', files: FILES });
    expect(ran.stderr).toContain(why);
  });

  it('asks no model for the summary of a file that is not replaced', async () => {
    const runProgram = (): never => {
      throw new Error('a program ran');
    };
    const flags = 's.jsonl --keep-recent 90 --summarizer-command x --output summary.md';
    expect((await compact(flags, { runProgram })).stderr).toContain('the file already exists: summary.md');
  });

  it.each(['both', 'context_transform', 'compaction'])(
    'where nothing was said since the last time (%s)',
    async (form) => {
      const once = await compact(`s.jsonl --keep-recent 90 --summary summary.md --as ${form}`);
      const twice = await compact('s.jsonl --keep-recent 1 --summary summary.md', { files: once.files });
      expect(twice.exitCode).toBe(0);
      expect(twice.stdout).toContain('there are no messages since the last compaction');
    },
  );

  it.each([
    ['the context holds no message', new Log('t').entry('m1', 'model_change', { provider: 'x', modelId: 'y' })],
    ['the context holds no message', new Log('t')],
    ['the context holds only one message', new Log('t').user('u1', LONG)],
    ['the context holds no message beside the summary', talkCompacted('k1').entry('l1', 'label', { targetId: 'u1' })],
    ['the context holds only one message beside the summary', talkCompacted('u2').entry('l1', 'label', {})],
    ['there is no place to cut between the 2 messages', new Log('t').tool('t1', 'bash', { command: 'ls' }, LONG)],
    ['there are no messages since the last compaction', talkCompacted('u1')],
  ])('however little is kept: %s', async (why, log) => {
    const files = { ...FILES, 's.jsonl': log.text() };
    const ran = await compact('s.jsonl --keep-recent 1 --summary summary.md', { files });
    expect(ran).toMatchObject({ exitCode: 0, files });
    expect(ran.stdout).toBe(`nothing to compact: ${why}\n`);
  });

  it('says why not only where that is why', async () => {
    const one = { files: { ...FILES, 's.jsonl': new Log('t').user('u1', LONG).assistant('a1', LONG).text() } };
    // The last message alone holds fewer.
    const kept = await compact('s.jsonl --keep-recent 26 --summary summary.md', one);
    expect(kept.stdout.replaceAll(/\s+/g, ' ')).toContain('26 recent tokens keeps all messages; keep less with');
    expect((await compact('s.jsonl --keep-recent 25 --summary summary.md', one)).exitCode).toBe(0);
  });

  it('says when an answer was cut off and it cannot tell why', async () => {
    const usage = { input: 50, output: 32, cacheRead: 0, cacheWrite: 0, totalTokens: 82 };
    const unknown = { provider: 'mock', model: 'm1', stopReason: 'length', usage };
    const log = new Log('t').user('u1', LONG).assistant('a1', LONG, unknown);
    const world = { files: { ...FILES, 's.jsonl': log.text() } };
    const base = 's.jsonl --if-needed --limit 200k --keep-recent 20 --summary summary.md';
    expect((await compact(base, world)).stdout).toBe(
      [
        'nothing to do: 82 of 183,616 tokens are used; the policy asks for nothing in',
        '  this zone',
        'note: the last answer was cut off after 32 tokens',
        'note: Pi compacts if the model can write more: say how much with --max-output N\n',
      ].join('\n'),
    );
    expect(JSON.parse((await compact(`${base} --json`, world)).stdout)).toMatchObject({ needed: false, cutOffAt: 32 });
    expect((await compact(`${base} --max-output 32`, world)).stdout).toContain('in\n  this zone\n');
    expect((await compact(`${base} --max-output 8k`, world)).stdout).toContain('appended 1 entry');
  });

  it('knows from the list of models whether an answer was cut off early', async () => {
    const usage = { input: 50, output: 32, cacheRead: 0, cacheWrite: 0, totalTokens: 82 };
    const log = new Log('t').user('u1', LONG).assistant('a1', LONG, { stopReason: 'length', usage });
    const world = { files: { ...FILES, 's.jsonl': log.text() } };
    const base = 's.jsonl --if-needed --keep-recent 20 --summary summary.md';
    expect((await compact(base, world)).stdout).toContain('appended 1 entry');
    expect((await compact(`${base} --max-output 32`, world)).stdout).toContain('nothing to do');
  });

  it('has nothing to do with --if-needed, where the window is not full', async () => {
    const ran = await compact('s.jsonl --if-needed --limit 200k');
    expect([ran.exitCode, ran.files]).toEqual([1, FILES]);
    expect(ran.stdout).toContain('nothing to do: 200 of 183,616 tokens are used; the policy asks for nothing');
    const off = { ...FILES, '/home/ada/.pi/agent/settings.json': '{"compaction":{"enabled":false}}' };
    expect((await compact('s.jsonl --if-needed', { files: off })).stdout).toContain('switch automatic compaction off');
  });

  it('compacts with --if-needed where the window is full', async () => {
    const ran = await compact('s.jsonl --if-needed --limit 1000 --reserve 900 --keep-recent 90 --summary summary.md');
    expect(entriesIn(ran)).toHaveLength(1);
  });

  it('knows the context window of the model', async () => {
    expect((await compact('s.jsonl --if-needed')).stdout).toContain('nothing to do: 200 of 183,616 tokens are used;');
    const config = { ...FILES, '/home/ada/weather/ctx.config.json': '{"limit":100000}' };
    expect((await compact('s.jsonl --if-needed', { files: config })).stdout).toContain('of 83,616 tokens');
  });

  it('does not guess how large the window of an unknown model is', async () => {
    const files = { ...FILES, 's.jsonl': turns(4).replaceAll('claude-sonnet-4-5', 'm1') };
    const ran = await compact('s.jsonl --if-needed', { files });
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain('the context window of the model "m1" is unknown: s.jsonl: supply it with --limit');
  });
});

describe('ctx compact refuses', () => {
  it('sessions of old versions', async () => {
    const old = `${JSON.stringify({ type: 'session', version: 2, id: 'old' })}\n${turns(4).split('\n').slice(1).join('\n')}`;
    const ran = await compact('s.jsonl --keep-recent 90 --summary summary.md', { files: { ...FILES, 's.jsonl': old } });
    expect(ran.exitCode).toBe(4);
    expect(ran.stderr).toContain('migrate');
  });

  it('to part a call from its result at --at, and names the result, which works', async () => {
    const log = new Log('talk').user('u1', LONG).assistant('a1', LONG).tool('t1', 'bash', { command: 'ls' }, 'src');
    const files = { ...FILES, 's.jsonl': log.user('u2', LONG).text() };
    const ran = await compact('s.jsonl --at t1 --keep-recent 1 --summary summary.md', { files });
    expect([ran.exitCode, ran.files]).toEqual([4, files]);
    expect(ran.stderr).toContain('name t1r, the last result of its calls, after the session');
    const instead = await compact('s.jsonl --at t1r --keep-recent 1 --summary summary.md', { files });
    expect([instead.exitCode, instead.stderr]).toEqual([0, '']);
  });

  it('an empty summary', async () => {
    const ran = await compact('s.jsonl --keep-recent 90 --summary summary.md', {
      files: { ...FILES, 'summary.md': ' \n' },
    });
    expect(ran.exitCode).toBe(3);
  });

  it('settings that Pi refuses', async () => {
    const files = { ...FILES, '/home/ada/.pi/agent/settings.json': '{"compaction":{"keepRecentTokens":"many"}}' };
    const ran = await compact('s.jsonl --summary summary.md', { files });
    expect(ran.exitCode).toBe(3);
    expect(ran.stderr).toContain('compaction.keepRecentTokens');
  });

  it('to write a stock compaction alone where it would keep something else', async () => {
    const made = { role: 'user', content: LONG, timestamp: 1 };
    const first = { role: 'user', content: LONG, timestamp: Date.UTC(2026, 2, 2, 9, 1) };
    // What a transform has made stands above what is kept, but its entry below.
    const replace = {
      op: 'messages_cached_replace',
      scope: 'cached',
      messages: [made, first],
      invalidateCacheReason: 'x',
    };
    const log = new Log('talk')
      .user('u1', LONG)
      .transform('x', 'trim', [replace])
      .user('u2', LONG)
      .assistant('a2', LONG);
    const files = { ...FILES, 's.jsonl': log.text() };
    const ran = await compact('s.jsonl --keep-recent 65 --summary summary.md --as compaction', { files });
    expect([ran.exitCode, ran.files]).toEqual([4, files]);
    expect(ran.stderr).toContain('a compaction entry alone cannot say what is kept');
    const both = await compact('s.jsonl --keep-recent 65 --summary summary.md', { files });
    expect(both.exitCode).toBe(0);
    expect(both.stdout).toContain('3 messages stay from u1 on');
  });
});

it('a plan never takes the place of its session, and has no output of its own', async () => {
  const base = '--keep-recent 60 --summary summary.md';
  const same = await compact(`s.jsonl ${base} --plan s.jsonl --force`);
  expect([same.exitCode, same.files['s.jsonl']]).toEqual([4, FILES['s.jsonl']]);
  const both = await compact(`s.jsonl ${base} --plan p.json --output n.jsonl`);
  expect(both).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--plan and --output cannot be used together') as string,
  });
});
