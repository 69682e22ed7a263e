import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Plan, readPlan } from '#change/plan/plan.js';
import { encodeEntries } from '#change/write/encode-entries.js';
import { schemas } from '#cli/schemas.js';
import { entry, HEADER, lines, TALK, user } from '../../support/entries.js';
import { projectFolder } from '../../support/files.js';
import { generateSession } from '../../support/generate.js';
import { ctx, type Ran, type World } from '../../support/memory-io.js';
import { runs } from '../../support/runs.js';

const weather = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8');
const NOW = Date.UTC(2026, 0, 20, 12);
const DROP = [{ op: 'tools_remove', scope: 'cached', toolNames: ['bash'], invalidateCacheReason: 'gate' }];
type Files = NonNullable<World['files']>;
const talk = lines(HEADER, ...TALK);

function apply(argv: readonly string[], files: Files, rest: World = {}): Promise<Ran> {
  return ctx(['apply', '--yes', ...argv], { files, now: NOW, ...rest });
}

function text(ran: Ran, file: string): string {
  return Buffer.from(ran.files[file] ?? '').toString();
}

function patchFile(value: unknown): Files {
  return { 's.jsonl': weather, 'p.json': JSON.stringify(value) };
}

function lastEntry(ran: Ran, file = 's.jsonl'): unknown {
  return JSON.parse(text(ran, file).trimEnd().split('\n').at(-1) ?? '');
}

describe('ctx apply', () => {
  it('appends one transform at the leaf, in the key order of Pi', async () => {
    const ran = await apply(
      ['s.jsonl', 'p.json', '--name', 'gate', '--title', 'No shell', '--message', 'For a while'],
      patchFile(DROP),
    );
    expect(ran.exitCode).toBe(0);
    expect(text(ran, 's.jsonl').startsWith(weather)).toBe(true);
    expect(lastEntry(ran)).toEqual({
      type: 'context_transform',
      id: 'd0000001',
      parentId: 'e0f4d7b6',
      timestamp: '2026-01-20T12:00:00.000Z',
      schemaVersion: 1,
      transformerName: 'gate',
      patch: DROP,
      display: { title: 'No shell', summary: 'For a while' },
    });
    expect(Object.keys(lastEntry(ran) as object).slice(0, 4)).toEqual(['type', 'id', 'parentId', 'timestamp']);
    expect(ran.stdout).toMatch(
      /^appended 1 entry \(\d+ bytes\) to s\.jsonl\nthe next request stays as large: .*\n {3}d0000001 {2}context_transform/,
    );
    expect(Object.keys(ran.files)).toEqual(['s.jsonl', 'p.json']);
  });

  it('makes of one context another one that ctx diff has described', async () => {
    const patch = await ctx(['diff', '--patch', 's.jsonl', 'HEAD', 'HEAD~9'], { files: { 's.jsonl': weather } });
    const ran = await apply(['s.jsonl', '-'], { 's.jsonl': weather, '-': patch.stdout });
    const { stdout } = await ctx(['diff', 's.jsonl', 'HEAD~10', 'HEAD', '--part', 'messages'], { files: ran.files });
    expect(ran.exitCode).toBe(0);
    expect(stdout).toBe('');
  });

  it.each([[['s.jsonl', 'p.json', '@{turn:2}']], [['s.jsonl', 'p.json', '--at', '@{turn:2}']]])(
    'begins a branch at an entry with %j, and revert goes back to the branch before',
    async (argv) => {
      const ran = await apply(argv, patchFile(DROP));
      const turn = await ctx(['cat', 's.jsonl', '@{turn:2}', '--json'], { files: { 's.jsonl': weather } });
      const { entryId } = JSON.parse(turn.stdout) as { entryId: string };
      expect(lastEntry(ran)).toMatchObject({ id: 'd0000001', parentId: entryId });
      expect(ran.stdout).toContain(`note: a new branch begins at ${entryId}`);
      const show = async (files: World['files'], ...rev: string[]): Promise<Record<string, unknown>> =>
        JSON.parse((await ctx(['show', 's.jsonl', ...rev, '--json'], { files: files ?? {} })).stdout) as never;
      const [there, at] = [await show(ran.files), await show({ 's.jsonl': weather }, '@{turn:2}')];
      expect(there['messages']).toEqual(at['messages']);
      expect(JSON.stringify(there['tools'])).not.toContain('"bash"');
      const [, revision = ''] = /^undo: ctx revert s\.jsonl (\S+)$/m.exec(ran.stdout) ?? [];
      expect(revision).toBe('e0f4d7b6..d0000001');
      const undone = await ctx(['revert', 's.jsonl', revision, '--yes'], { files: ran.files });
      expect(undone).toMatchObject({ exitCode: 0, stderr: '' });
      expect(lastEntry(undone)).toMatchObject({ type: 'custom', parentId: 'e0f4d7b6' });
      expect((await show(undone.files))['messages']).toEqual((await show({ 's.jsonl': weather }))['messages']);
    },
  );

  it('keeps a branch that went on, and undoes only the patch in it', async () => {
    const files = { 's.jsonl': talk, 'p.json': JSON.stringify(DROP) };
    const ran = await apply(['s.jsonl', 'p.json', 'u1'], files);
    const longer = `${text(ran, 's.jsonl')}${JSON.stringify(user('u9', 'd0000001'))}\n`;
    const undone = await ctx(['revert', 's.jsonl', 'a2..HEAD', '--as', 'branch', '--yes'], {
      files: { 's.jsonl': longer },
    });
    expect(undone).toMatchObject({ exitCode: 4 });
    expect(undone.stderr).toContain('messages follow d0000001');
  });

  it('may branch inside a tool call, plans it, and applies the saved plan', async () => {
    const call = await ctx(['log', 's.jsonl', '--json'], { files: { 's.jsonl': weather } });
    const entries = call.stdout
      .trimEnd()
      .split('\n')
      .map((each) => JSON.parse(each) as { entryId: string; role: string });
    const result = entries.findIndex(({ role }) => role === 'toolResult');
    const at = entries[result - 1]?.entryId ?? '';
    const dry = await apply(['s.jsonl', 'p.json', at, '--dry-run', '--json'], patchFile(DROP));
    const plan = JSON.parse(dry.stdout) as Plan;
    expect(plan.entries).toMatchObject([{ parentId: at }]);
    expect(text(dry, 's.jsonl')).toBe(weather);
    const files = { 's.jsonl': weather, 'plan.json': dry.stdout };
    expect(lastEntry(await apply(['plan.json'], files))).toMatchObject({ parentId: at });
  });

  it.each([
    ['an unknown op', [{ op: 'forget', scope: 'cached', invalidateCacheReason: 'x' }], 'unknown op ("forget"): op 0'],
    ['an op without a reason', [...DROP, { op: 'tools_remove', scope: 'cached', toolNames: [] }], 'op 1: rule: reason'],
    [
      'an op for one request',
      [{ op: 'messages_uncached_append', scope: 'uncached', messages: [] }],
      'log messages for one request with --ephemeral',
    ],
    ['what is no patch', 'hello', 'this is no list of patch ops: p.json'],
    ['what is no list of ops', [1], 'this is no list of patch ops: p.json'],
  ])('refuses %s before it writes', async (_, patch, error) => {
    const ran = await apply(['s.jsonl', 'p.json'], patchFile(patch));
    expect(ran.exitCode).toBe(3);
    expect(ran.stderr).toContain(error);
    expect(text(ran, 's.jsonl')).toBe(weather);
  });

  it('never parts a tool call from its result, unless it is made to', async () => {
    const messages = [{ role: 'toolResult', toolCallId: 'call_9', toolName: 'bash', content: [], timestamp: 0 }];
    const patch = { op: 'messages_cached_replace', scope: 'cached', messages, invalidateCacheReason: 'x' };
    const ran = await apply(['s.jsonl', 'p.json'], patchFile(patch));
    expect(ran).toMatchObject({ exitCode: 4, stdout: '' });
    expect(ran.stderr).toContain('this would separate the tool call "call_9" from its result');
    expect(text(ran, 's.jsonl')).toBe(weather);
    expect(await apply(['s.jsonl', 'p.json', '--force'], patchFile(patch))).toMatchObject({ exitCode: 0 });
  });

  it('logs messages for one request', async () => {
    const messages = [{ role: 'user', content: 'Only now.', timestamp: 5 }];
    const ran = await apply(['s.jsonl', 'p.json', '--ephemeral'], patchFile(messages));
    expect(lastEntry(ran)).toMatchObject({ type: 'ephemeral', parentId: 'e0f4d7b6', messages });
    const { stdout } = await ctx(['show', 's.jsonl', '--ephemeral', '--json'], { files: ran.files });
    expect(JSON.parse(stdout)).toMatchObject({ messages: { uncached: messages } });
    expect(await apply(['s.jsonl', 'p.json', '--ephemeral'], patchFile([{ role: 'robot' }]))).toMatchObject({
      exitCode: 3,
    });
  });

  it.each([[[]], [{ patch: [] }]])('writes nothing for %j', async (patch) => {
    const ran = await apply(['s.jsonl', 'p.json'], patchFile(patch));
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ran.stdout).toMatch(/^nothing to append to s\.jsonl\n/);
    expect(text(ran, 's.jsonl')).toBe(weather);
  });

  it('appends to an empty session, and behind a last line without its newline', async () => {
    const empty = await apply(['e.jsonl', 'p.json'], { 'e.jsonl': lines(HEADER), 'p.json': JSON.stringify(DROP) });
    expect(lastEntry(empty, 'e.jsonl')).toMatchObject({ parentId: null });
    const cut = talk.trimEnd();
    const ran = await apply(['t.jsonl', 'p.json'], { 't.jsonl': cut, 'p.json': JSON.stringify(DROP) });
    expect(text(ran, 't.jsonl').startsWith(`${cut}\n{"type":"context_transform"`)).toBe(true);
    expect(lastEntry(ran, 't.jsonl')).toMatchObject({ parentId: 'a2' });
  });

  it('chooses an unused id', async () => {
    const files = { 's.jsonl': lines(HEADER, user('d0000001', null)), 'p.json': JSON.stringify(DROP) };
    expect(lastEntry(await apply(['s.jsonl', 'p.json'], files))).toMatchObject({ id: 'd0000002' });
  });

  it.each([
    ['of version 1', lines({ ...HEADER, version: undefined }, user('a', null)), 'ctx migrate'],
    ['of a version that is no number', lines({ ...HEADER, version: 'x' }, user('a', null)), 'of an unknown version'],
    ['of version 2', lines({ ...HEADER, version: 2 }, user('a', null)), 'ctx migrate'],
    ['whose path is a cycle', lines(HEADER, user('a', 'b'), user('b', 'a')), 'ctx repair'],
    ['whose last entry has no id', lines(HEADER, entry('custom', undefined, null)), 'ctx repair'],
  ])('refuses a session %s', async (_, session, hint) => {
    const ran = await apply(['s.jsonl', 'p.json'], { 's.jsonl': session, 'p.json': JSON.stringify(DROP) });
    expect(ran.exitCode).toBe(4);
    expect(ran.stderr).toContain(hint);
    expect(text(ran, 's.jsonl')).toBe(session);
  });

  it.each([
    [[], 'say what to apply'],
    [['s.jsonl'], 'say what to apply'],
    [['-', '-'], 'only one of them'],
    [['plan.json', '--name', 'x'], '--name has no effect on a plan'],
  ])('cannot make sense of %j', async (argv, error) => {
    const ran = await apply(argv, patchFile(DROP));
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain(error);
  });

  it('says that the session comes first where both are the wrong way round', async () => {
    const ran = await apply(['p.json', 's.jsonl'], patchFile(DROP));
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toBe(
      'ctx: this is a session, where a patch is expected: s.jsonl: name the session first: ctx apply s.jsonl p.json\n',
    );
  });

  it('says when Pi may have the session open', async () => {
    const note = 'Pi may have the session open (modified in the last five minutes)';
    const soon = await apply(['s.jsonl', 'p.json'], patchFile(DROP), { modified: { 's.jsonl': NOW - 60_000 } });
    expect(soon.stdout).toContain(note);
    const late = await apply(['s.jsonl', 'p.json'], patchFile(DROP), { modified: { 's.jsonl': NOW - 600_000 } });
    expect(late.stdout).not.toContain('Pi may have');
  });

  it('says when a patch changes nothing', async () => {
    const note = 'note: this changes nothing: the context stays as it is\n';
    // The tool was gone before.
    expect((await apply(['s.jsonl', 'p.json'], patchFile(DROP))).stdout).toContain(note);
    const reading = [{ ...DROP[0], toolNames: ['read'] }];
    expect((await apply(['s.jsonl', 'p.json'], patchFile(reading))).stdout).not.toContain(note);
    const once = await apply(['s.jsonl', 'p.json', '--ephemeral'], patchFile([{ role: 'user', content: 'x' }]));
    expect(once.stdout).not.toContain(note);
  });

  it('copies to a new file what it should not append to the session itself', async () => {
    const ran = await apply(['s.jsonl', 'p.json', '--output', 'new.jsonl'], patchFile(DROP));
    expect(text(ran, 's.jsonl')).toBe(weather);
    const direct = await apply(['s.jsonl', 'p.json'], patchFile(DROP));
    expect(text(ran, 'new.jsonl')).toBe(text(direct, 's.jsonl'));
    const again = await apply(['s.jsonl', 'p.json', '--output', 'p.json'], patchFile(DROP));
    expect(again.exitCode).toBe(4);
  });

  it('cannot write to standard input, nor read it again for a copy', async () => {
    const files = { '-': talk, 'p.json': JSON.stringify(DROP) };
    for (const output of [[], ['--output', 'n.jsonl']])
      expect(await apply(['-', 'p.json', ...output], files)).toMatchObject({
        exitCode: 4,
        stderr: 'ctx: cannot append to standard input: save the session to a file first\n',
      });
  });

  it('keeps to the schemas that are published', async () => {
    const dry = await apply(['s.jsonl', 'p.json', '--dry-run', '--json'], patchFile(DROP));
    expect(schemas.plan.safeParse(JSON.parse(dry.stdout))).toMatchObject({ success: true });
    const done = await apply(['s.jsonl', 'p.json', '--json'], patchFile(DROP));
    expect(schemas.written.safeParse(JSON.parse(done.stdout))).toMatchObject({ success: true });
  });
});

const TEXT = { op: 'system_part_set', scope: 'cached', partName: 'rules', invalidateCacheReason: 'x' };

describe('laws L5 and L6: what a dry run prints is what is appended, and nothing else changes', () => {
  it.each(Array.from({ length: runs(40) }, (_, seed) => seed))('hold for generated session %i', async (seed) => {
    const whole = generateSession({ seed, entries: 25, odd: seed % 2 === 0 ? 0.3 : 0, transforms: 0.1 });
    const session = seed % 5 === 0 ? whole.trimEnd() : whole;
    const patch = [{ ...TEXT, text: '日本 \u2028\u0007 \ud800 "x"', __proto__: undefined, extra: { '10': 1, a: -0 } }];
    const files = { 's.jsonl': session, 'p.json': JSON.stringify(patch) };
    const dry = await apply(['s.jsonl', 'p.json', '--dry-run', '--json'], files);
    if (dry.exitCode === 4) return expect(dry.stderr).toContain('no id');
    expect(dry.files).toEqual(files);
    const direct = await apply(['s.jsonl', 'p.json'], files);
    const plan = readPlan(JSON.parse(dry.stdout), 'plan.json');
    const before = Buffer.from(session);
    expect(Buffer.from(direct.files['s.jsonl'] ?? '')).toEqual(Buffer.concat([before, encodeEntries(plan)]));
    const saved = await apply(['plan.json'], { ...files, 'plan.json': dry.stdout });
    expect(saved).toMatchObject({ exitCode: 0 });
    expect(text(saved, 's.jsonl')).toBe(text(direct, 's.jsonl'));
  });

  it('a plan is refused when the session moved on, whatever changed', async () => {
    const dry = await apply(['s.jsonl', 'p.json', '--dry-run', '--json'], patchFile(DROP));
    for (const session of [`${weather}\n`, weather.replace('Auckland', 'auckland'), weather.slice(0, -1)]) {
      const ran = await apply(['plan.json'], { 's.jsonl': session, 'plan.json': dry.stdout });
      expect(ran.exitCode).toBe(4);
      expect(ran.stderr).toContain('the session has changed since the plan was created; nothing was written');
      expect(text(ran, 's.jsonl')).toBe(session);
      const again = await apply(['plan.json', '--dry-run'], ran.files);
      expect([again.exitCode, again.stderr]).toEqual([4, ran.stderr]);
    }
  });

  it('names the plan where its session is missing', async () => {
    const dry = await apply(['s.jsonl', 'p.json', '--dry-run', '--json'], patchFile(DROP));
    const ran = await apply(['plan.json'], { 'plan.json': dry.stdout });
    expect(ran.exitCode).toBe(3);
    expect(ran.stderr).toContain('the session of the plan does not exist: s.jsonl: run ctx apply in the folder');
  });

  it('a plan is refused that predicts something else', async () => {
    const dry = await apply(['s.jsonl', 'p.json', '--dry-run', '--json'], patchFile(DROP));
    const plan = JSON.parse(dry.stdout) as Plan;
    const other = { ...plan, predicted: { ...plan.predicted, sha256: plan.predicted.stockSha256 } };
    const ran = await apply(['plan.json'], { 's.jsonl': weather, 'plan.json': JSON.stringify(other) });
    expect(ran.exitCode).toBe(4);
    expect(ran.stderr).toContain('differs from the plan; nothing was written');
    expect(text(ran, 's.jsonl')).toBe(weather);
    expect(Object.keys(ran.files)).toEqual(['s.jsonl', 'plan.json']);
  });

  it('a plan that is not there is a path to check', async () => {
    const ran = await apply(['plan.json'], {});
    expect([ran.exitCode, ran.stderr]).toEqual([3, 'ctx: no such file: plan.json: check the path\n']);
  });

  it('what is no plan is not applied', async () => {
    const ran = await apply(['plan.json'], { 'plan.json': '{"schema":"ctx/plan"}' });
    expect(ran.exitCode).toBe(3);
    expect(ran.stderr).toContain('not a plan');
  });
});
