import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { schemas } from '#cli/schemas.js';
import { assistant, compaction, entry, HEADER, lines, TALK, user } from '../../support/entries.js';
import { projectFolder } from '../../support/files.js';
import { ctx, type Ran, type World } from '../../support/memory-io.js';

const weather = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8');
const COMPACTED = lines(HEADER, ...TALK, compaction('k1', 'a2', 'u2'));
const SAID_SINCE = lines(user('u3', 'k1'), assistant('a3', 'u3'));
const NOW = Date.UTC(2026, 0, 20, 12);

function revert(argv: readonly string[], session: string, rest: World = {}): Promise<Ran> {
  return ctx(['revert', '--yes', 's.jsonl', ...argv], { files: { 's.jsonl': session }, now: NOW, ...rest });
}

function added(ran: Ran, session: string): readonly Record<string, unknown>[] {
  const text = Buffer.from(ran.files['s.jsonl'] ?? '').toString();
  expect(text.startsWith(session)).toBe(true);
  const rest = text.slice(session.length).trimEnd();
  return rest === '' ? [] : rest.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** The texts of the messages that the model is shown. */
async function shown(files: NonNullable<World['files']>): Promise<readonly unknown[]> {
  const { stdout } = await ctx(['show', 's.jsonl', '--json'], { files });
  const { messages } = JSON.parse(stdout) as { messages: { cached: { role: string; content: unknown }[] } };
  return messages.cached.map(({ role, content }) => (role === 'user' ? content : role));
}

describe('ctx revert', () => {
  it('takes an id that begins with a hyphen', async () => {
    const session = lines(HEADER, ...TALK, compaction('-k1', 'a2', 'u2'));
    const ran = await ctx(['revert', '--yes', '--', 's.jsonl', '-k1'], { files: { 's.jsonl': session }, now: NOW });
    expect([ran.exitCode, added(ran, session).length]).toEqual([0, 1]);
  });

  it('branches above a compaction that nothing follows', async () => {
    const ran = await revert(['@{compaction}'], COMPACTED);
    expect(ran.exitCode).toBe(0);
    expect(added(ran, COMPACTED)).toEqual([
      {
        type: 'custom',
        customType: 'ctx.restore',
        data: { undone: ['k1'] },
        id: 'd0000001',
        parentId: 'a2',
        timestamp: '2026-01-20T12:00:00.000Z',
      },
    ]);
    expect(await shown(ran.files)).toEqual(await shown({ 's.jsonl': lines(HEADER, ...TALK) }));
  });

  it('a label or a name does not count as something that follows', async () => {
    const session = COMPACTED + lines(entry('session_info', 'i1', 'k1', { name: 'talk' }));
    expect(added(await revert(['k1'], session), session)).toMatchObject([{ type: 'custom', parentId: 'a2' }]);
  });

  it('takes a compaction out of force that something follows', async () => {
    const session = COMPACTED + SAID_SINCE;
    const ran = await revert(['k1'], session);
    expect(added(ran, session)).toMatchObject([
      { type: 'compaction', parentId: 'a3', firstKeptEntryId: 'u1' },
      { type: 'context_edit', targetId: 'd0000001', replacement: null },
    ]);
    const everything = lines(HEADER, ...TALK, user('u3', 'a2'), assistant('a3', 'u3'));
    expect(await shown(ran.files)).toEqual(await shown({ 's.jsonl': everything }));
    expect(ran.stdout).not.toContain('note');
  });

  it('goes back to the compaction before', async () => {
    const first = COMPACTED + SAID_SINCE;
    const session = first + lines(compaction('k2', 'a3', 'u3'), user('u4', 'k2'));
    const ran = await revert(['k2'], session);
    expect(added(ran, session)).toMatchObject([{ type: 'compaction', firstKeptEntryId: 'u2' }]);
    expect(await shown(ran.files)).toEqual(await shown({ 's.jsonl': first + lines(user('u4', 'a3')) }));
  });

  it('gives an entry its content back that an edit took', async () => {
    const edited = lines(HEADER, ...TALK, entry('context_edit', 'e1', 'a2', { targetId: 'u1', replacement: null }));
    const session = edited + lines(user('u3', 'e1'));
    const ran = await revert(['e1'], session);
    expect(added(ran, session)).toMatchObject([
      { type: 'context_edit', parentId: 'u3', targetId: 'u1', replacement: { content: 'question u1' } },
    ]);
    expect(await shown(ran.files)).toContain('question u1');
  });

  it('undoes a range of edits at once', async () => {
    const edit = (id: string, parent: string, targetId: string): string =>
      lines(entry('context_edit', id, parent, { targetId, replacement: null }));
    const session = lines(HEADER, ...TALK) + edit('e1', 'a2', 'u1') + edit('e2', 'e1', 'u2') + lines(user('u3', 'e2'));
    const ran = await revert(['a2..HEAD'], session);
    expect(added(ran, session)).toMatchObject([{ targetId: 'u1' }, { targetId: 'u2' }]);
    const all = lines(HEADER, ...TALK, user('u3', 'a2'));
    expect(await shown(ran.files)).toEqual(await shown({ 's.jsonl': all }));
  });

  it('takes a name with two dots for one entry where there is such an entry', async () => {
    const edit = (id: string, parent: string, targetId: string): string =>
      lines(entry('context_edit', id, parent, { targetId, replacement: null }));
    const label = entry('label', 'l1', 'e2', { targetId: 'e2', label: 'v1..2' });
    const session =
      lines(HEADER, ...TALK) + edit('e1', 'a2', 'u1') + edit('e2', 'e1', 'u2') + lines(label, user('u3', 'l1'));
    const ran = await revert(['v1..2'], session);
    expect(added(ran, session)).toMatchObject([{ type: 'context_edit', targetId: 'u2' }]);
  });

  it('undoes all above an entry where a range begins before the first one', async () => {
    const [answer, question] = [assistant('a1', null), user('u1', 'a1')];
    const edits = [
      ['e1', 'u1', 'a1'],
      ['e2', 'e1', 'u1'],
    ].map(([id = '', parent = '', targetId]) => entry('context_edit', id, parent, { targetId, replacement: null }));
    const session = lines(HEADER, answer, question, ...edits, user('u2', 'e2'));
    const ran = await revert(['@{request:1}..HEAD'], session);
    expect(added(ran, session)).toMatchObject([{ targetId: 'a1' }, { targetId: 'u1' }]);
  });

  it('undoes the restore of a prune as a whole, and so on', async () => {
    const change = async (argv: readonly string[], text: string): Promise<string> => {
      const ran = await ctx(argv, { files: { 's.jsonl': text }, now: NOW });
      expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
      return Buffer.from(ran.files['s.jsonl'] ?? '').toString();
    };
    const entriesOf = (text: string): readonly Record<string, unknown>[] =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    const talk = [1, 2, 3].flatMap((at) => [
      user(`q${at}`, at === 1 ? null : `b${at - 1}`, `Never do ${at}. `.repeat(99)),
      assistant(`b${at}`, `q${at}`),
    ]);
    const prune = ['prune', 's.jsonl', '--strategy', 'turns', '--recent-turns', '1', '--as', 'context_edit', '--yes'];
    let text = await change(prune, lines(HEADER, ...talk));
    const contexts: (readonly unknown[])[] = [];
    const records: unknown[] = [];
    const facts: unknown[] = [];
    for (const id of ['u1', 'u2', 'u3', 'u4']) {
      text += lines(user(id, String(entriesOf(text).at(-1)?.['id'])));
      contexts.push((await shown({ 's.jsonl': text })).filter((said) => !String(said).startsWith('question')));
      const { stdout } = await ctx(['facts', 's.jsonl', '--json'], { files: { 's.jsonl': text } });
      facts.push((JSON.parse(stdout) as { constraints: unknown }).constraints);
      const record = entriesOf(text).findLast(({ type }) => type === 'custom');
      records.push(record?.['customType']);
      // Any entry of it names all of it.
      const nth = text.split('\n').findIndex((line) => line.includes(`"id":"${String(record?.['id'])}"`));
      text = await change(['revert', '--yes', 's.jsonl', String(entriesOf(text)[nth + 2]?.['id'])], text);
    }
    expect(records).toEqual(['ctx.prune', 'ctx.restore', 'ctx.restore', 'ctx.restore']);
    expect(contexts[0]).not.toEqual(contexts[1]);
    expect(contexts.slice(2)).toEqual(contexts.slice(0, 2));
    expect(facts).toEqual(facts.map(() => facts[0]));
  });

  it('undoes a transform by another one', async () => {
    const ran = await revert(['c7a10e55'], weather);
    expect(added(ran, weather)).toMatchObject([
      { type: 'context_transform', transformerName: 'restore', display: { title: 'Undo c7a10e55' } },
    ]);
    const { stdout } = await ctx(['diff', 's.jsonl', 'c7a10e55^', 'HEAD', '--stat'], { files: ran.files });
    expect(stdout).toMatch(/tools +748 +→ +748\n/);
  });

  it('undoes both forms of a compaction that was written twice', async () => {
    const session = readFileSync(path.join(projectFolder, 'fixtures/mixed/dual-written.jsonl'), 'utf8');
    const lastEntries = session
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const compacted = lastEntries.find(({ type }) => type === 'compaction');
    const ran = await revert([String(compacted?.['id'])], session);
    expect(ran.exitCode).toBe(0);
    expect(added(ran, session).map(({ type }) => type)).toEqual(['compaction', 'context_edit']);
    expect(ran.stdout).not.toContain('note:');
    const asTransform = await revert([String(compacted?.['id']), '--as', 'context_transform'], session);
    expect(asTransform.stdout).toContain('note: a Pi that knows no transforms still sees it\n');
    expect(asTransform.stdout).toContain('note: stock Pi ignores this entry; --as stock writes what it honours\n');
  });

  it('writes nothing where nothing is left of it', async () => {
    const session = COMPACTED + SAID_SINCE + lines(compaction('k2', 'a3', 'k2'), user('u4', 'k2'));
    const ran = await revert(['k1'], session);
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ran.stdout).toContain('note: nothing is left of it in the context');
    expect(added(ran, session)).toEqual([]);
  });

  it.each([
    [['u1'], COMPACTED, 2, 'nothing to undo at "u1"', 'k1 (compaction)'],
    [[], lines(HEADER, ...TALK), 2, 'nothing to undo', 'the path has no compaction, edit or transform'],
    [['HEAD'], lines(HEADER, ...TALK), 2, 'nothing to undo', 'the path has no compaction, edit or transform'],
    [['k1', '--as', 'branch'], COMPACTED + SAID_SINCE, 4, 'messages follow k1', 'omit --as'],
    [['c7a10e55', '--as', 'stock'], weather, 4, 'no appended entry can undo c7a10e55', '--as context_transform'],
  ])('refuses %j', async (argv, session, exitCode, error, hint) => {
    const ran = await revert(argv, session);
    expect(ran.exitCode).toBe(exitCode);
    expect(ran.stderr).toContain(error);
    expect(ran.stderr).toContain(hint);
    expect(added(ran, session)).toEqual([]);
  });

  it('undoes the newest change that is in force, for a session alone, and says which', async () => {
    const session = COMPACTED + SAID_SINCE + lines(compaction('k2', 'a3', 'u3'), user('u4', 'k2'));
    const newest = await revert([], session);
    expect(newest.exitCode, newest.stderr).toBe(0);
    expect(added(newest, session)).toEqual(added(await revert(['k2'], session), session));
    expect(newest.stdout).toContain('note: undoes the newest change: k2 (compaction), line 9\n');
    const text = Buffer.from(newest.files['s.jsonl'] ?? '').toString();
    const next = await revert([], text);
    expect(next.stdout).toContain('note: undoes the newest change: ');
  });

  it.each([
    ['a branch before it', COMPACTED],
    ['entries after it', COMPACTED + SAID_SINCE],
  ])('says how to do again what was undone by %s, as often as wanted', async (_form, session) => {
    const compacted = await shown({ 's.jsonl': session });
    let ran = await revert([], session);
    const whole = await shown(ran.files);
    expect(whole).not.toEqual(compacted);
    for (const context of [compacted, whole, compacted]) {
      const [, redo = ''] = /^redo: ctx revert s\.jsonl (\S+)$/m.exec(ran.stdout) ?? [];
      ran = await ctx(['revert', 's.jsonl', redo, '--yes'], { files: ran.files, now: NOW });
      expect(ran.exitCode, ran.stderr).toBe(0);
      expect(await shown(ran.files)).toEqual(context);
    }
  });

  it('takes no change of a session that there is none to write to', async () => {
    expect(await ctx(['revert'], {})).toMatchObject({ exitCode: 3 });
  });

  it('a plan that was saved is what is written', async () => {
    const session = COMPACTED + SAID_SINCE;
    const saved = await revert(['k1', '--plan', 'plan.json'], session);
    expect(saved.stdout).toContain('would append 2 entries');
    expect(added(saved, session)).toEqual([]);
    const ran = await ctx(['apply', 'plan.json', '--yes'], { files: saved.files });
    expect(ran.exitCode).toBe(0);
    expect(added(ran, session)).toEqual(added(await revert(['k1'], session), session));
    const { stdout } = await revert(['k1', '--json'], session);
    expect(schemas.written.safeParse(JSON.parse(stdout))).toMatchObject({ success: true });
  });
});
