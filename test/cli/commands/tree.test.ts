import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonOf, schemas } from '#cli/schemas.js';
import { type Session } from '#session/session.js';
import { readSession } from '../../../src/session/read-session.js';
import { assistant, type Entry, entry, HEADER, label, lines, sourceOf, TALK, user } from '../../support/entries.js';
import { projectFolder } from '../../support/files.js';
import { generateSession } from '../../support/generate.js';
import { ctx, type Ran, type World } from '../../support/memory-io.js';
import { Random } from '../../support/random.js';
import { runs } from '../../support/runs.js';

const random = new Random(1);
const FILTERS = ['default', 'no-tools', 'user-only', 'labeled-only', 'all'] as const;

function run(content: string, flags: readonly string[] = [], world: World = {}): Promise<Ran> {
  return ctx(['tree', 's.jsonl', ...flags], { files: { 's.jsonl': content }, columns: 200, ...world });
}

async function printed(entries: readonly Entry[], ...flags: readonly string[]): Promise<readonly string[]> {
  const { stdout, exitCode } = await run(lines(HEADER, ...entries), flags);
  expect(exitCode).toBe(0);
  return stdout.trimEnd().split('\n');
}

async function data(content: string, ...flags: readonly string[]): Promise<readonly JsonOf<'tree-entry'>[]> {
  const { stdout, exitCode } = await run(content, ['--json', ...flags]);
  expect(exitCode).toBe(0);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => schemas['tree-entry'].parse(JSON.parse(line)));
}

/** What Pi's /tree shows under a filter, said once more, and what differs here. */
function passes(
  session: Session,
  filter: (typeof FILTERS)[number],
  index: number,
  labelled: ReadonlySet<unknown>,
): boolean {
  const head = session.tree.heads.at(index)!;
  const stored = session.entry(head) as {
    type?: string;
    message?: { role: string; content: unknown; stopReason?: string };
  };
  const { type, message } = stored;
  if (index === session.tree.leaf?.index || filter === 'all') return true;
  if (filter === 'labeled-only')
    return head.id !== undefined && labelled.has(head.id) && session.tree.heads.find(head.id)?.index === index;
  const role = type === 'message' ? message?.role : undefined;
  if (filter === 'user-only') return role === 'user';
  if (filter === 'no-tools' && role === 'toolResult') return false;
  const settings = ['label', 'custom', 'model_change', 'thinking_level_change', 'session_info', 'usage', 'ephemeral'];
  if (settings.includes(type ?? '')) return false;
  if (role !== 'assistant' || !message) return true;
  if (!['stop', 'toolUse', undefined].includes(message.stopReason)) return true;
  const blocks = Array.isArray(message.content) ? (message.content as { type: string; text?: string }[]) : [];
  return blocks.some(({ type: kind, text }) => kind === 'text' && (text ?? '').trim() !== '');
}

describe('ctx tree', () => {
  it('indents at forks only, and marks the active path, the leaf and labels', async () => {
    const branch = [...TALK, label('l1', 'a2', 'u2', 'zone'), user('u3', 'a1'), user('u4', 'u3')];
    expect(await printed(branch, '--filter', 'all')).toEqual([
      '• u1 user: question u1',
      '• a1 assistant',
      '  ├─ u2 [zone] user: question u2',
      '  │  a2 assistant',
      '  │  l1 label: "zone" at u2',
      '• └─ u3 user: question u3',
      '•    u4 ← HEAD user: question u4',
    ]);
  });

  it('attaches the children of hidden entries to the nearest entry above that is shown', async () => {
    const branch = [...TALK, user('u3', 'a1')];
    expect(await printed(branch)).toEqual([
      '• u1 user: question u1',
      '  ├─ u2 user: question u2',
      '• └─ u3 ← HEAD user: question u3',
      '',
      '2 entries are hidden: use --filter all to show them',
    ]);
  });

  it('always shows the leaf', async () => {
    for (const filter of FILTERS) {
      expect(
        (await printed([...TALK, entry('custom', 'c', 'a2', { customType: 'state' })], '--filter', filter)).join(),
      ).toContain('HEAD custom');
    }
  });

  it('shows an answer that calls tools only where it failed', async () => {
    const said = (id: string, stopReason: string, content: unknown): Entry => ({
      ...assistant(id, 'u1'),
      message: { role: 'assistant', stopReason, content },
    });
    const call = [{ type: 'toolCall', name: 'bash', arguments: {} }];
    const shown = await printed([
      user('u1', null),
      said('a1', 'toolUse', call),
      said('a2', 'aborted', call),
      said('a3', 'toolUse', 'Old text.'),
      said('a4', 'stop', []),
    ]);
    expect(shown.map((text) => /[ua]\d/.exec(text)?.[0])).toEqual(['u1', 'a2', 'a3', 'a4', undefined, undefined]);
  });

  it('shows the same entries in the same order as text and as data, those that the filter lets through', async () => {
    const anySession = fc.record({ seed: fc.nat(), odd: fc.constantFrom(0, 0.3), filter: fc.constantFrom(...FILTERS) });
    await fc.assert(
      fc.asyncProperty(anySession, async ({ seed, odd, filter }) => {
        const content = generateSession({ seed, odd, transforms: 0.1 });
        const session = readSession(sourceOf(content), 's.jsonl');
        const whole = await data(content);
        const labelled = new Set(whole.flatMap(({ entryId, label: text }) => (text === null ? [] : [entryId])));
        const rows = await data(content, '--filter', filter);
        const indexOf = new Map([...session.tree.heads].map(({ offset, index }) => [offset, index]));
        const expected = whole.filter(({ offset }) => passes(session, filter, indexOf.get(offset)!, labelled));
        expect(rows.map(({ offset }) => offset)).toEqual(expected.map(({ offset }) => offset));
        const { stdout } = await run(content, ['--filter', filter]);
        const ids = stdout
          .split('\n')
          .flatMap((line) => /^[• ] (?:…\d+ )?[│├└─ ]*(line \d+|\w+)/.exec(line)?.[1] ?? []);
        expect(ids.slice(0, rows.length)).toEqual(rows.map(({ entryId, line }) => entryId ?? `line ${line}`));
      }),
      { numRuns: runs(60) },
    );
  });

  it('gives the place, the links and the state of each entry', async () => {
    const content = lines(HEADER, ...TALK, label('l1', 'a2', 'u2', 'zone'), {
      ...user('u3', 'a1'),
      timestamp: 'never',
    });
    const [first, second, third, , , last] = await data(content);
    expect(first).toMatchObject({
      entryId: 'u1',
      parentId: null,
      line: 2,
      depth: 1,
      children: 1,
      time: '2026-01-05T09:00:01.000Z',
    });
    expect(second).toMatchObject({ role: 'assistant', children: 2, isActive: true, isLeaf: false });
    expect(third).toMatchObject({ entryId: 'u2', label: 'zone', isActive: false, depth: 3 });
    expect(last).toMatchObject({ entryId: 'u3', time: null, isActive: true, isLeaf: true, label: null });
    expect(JSON.parse(content.slice(first!.offset, first!.offset + first!.length))).toEqual(TALK[0]);
  });

  it('begins at an entry, even at one that is hidden', async () => {
    const branch = [...TALK, user('u3', 'a1'), assistant('a3', 'u3')];
    expect(await printed(branch, '--from', 'a1')).toEqual([
      '• a1 assistant',
      '  ├─ u2 user: question u2',
      '• └─ u3 user: question u3',
      '•    a3 ← HEAD assistant',
      '',
      '1 entry is hidden: use --filter all to show them',
    ]);
  });

  it('ends at a depth, and says what lies below', async () => {
    const branch = [...TALK, user('u3', 'a1'), assistant('a3', 'u3')];
    expect(await printed(branch, '--filter', 'all', '--depth', '2')).toEqual([
      '• u1 user: question u1',
      '• a1 (2 children below) assistant',
    ]);
    expect(
      (await data(lines(HEADER, ...branch), '--depth', '1', '--from', 'u2')).map(({ entryId, children }) => [
        entryId,
        children,
      ]),
    ).toEqual([['u2', 1]]);
  });

  it.each([
    [['--depth', '0'], 'ctx: invalid value "0" for N: --depth: write 1 or more\n'],
    [['--filter', 'tools'], 'ctx: option'],
    [['--from', 'nowhere'], 'ctx: no revision "nowhere"'],
  ])('refuses %j', async (flags, message) => {
    const { exitCode, stderr, stdout } = await run(lines(HEADER, ...TALK), flags);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('has no entries to show in an empty session', async () => {
    expect(await printed([])).toEqual(['no entries']);
    expect(await data(lines(HEADER))).toEqual([]);
    expect(await printed([], '--from', 'HEAD')).toEqual(['no entries']);
  });

  it('marks orphans and cut cycles, and hides the older text of an id', async () => {
    const odd = [user('u1', 'gone'), user('x', 'y'), user('y', 'x'), user('u1', null, 'again'), user('h', HEADER.id)];
    expect(await printed(odd)).toEqual([
      '  ├─ x (its parents form a cycle) user: question x',
      '  │  y user: question y',
      '  ├─ u1 user: again',
      '• └─ h ← HEAD user: question h',
    ]);
    expect((await printed([user('u1', 'gone')]))[0]).toBe(
      '• u1 ← HEAD (its parent gone is not in the file) user: question u1',
    );
  });

  it('prints no control characters of a session', async () => {
    const { stdout } = await run(
      lines(
        HEADER,
        user('u\u001b[31m', null, '\u001b[2J\nnext'),
        label('l', 'u\u001b[31m', 'u\u001b[31m', 'a\nb\u0007'),
      ),
    );
    // oxlint-disable-next-line no-control-regex -- control characters are what this is about
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    expect(stdout.split('\n')[0]).toContain('⏎ next');
  });

  it('stands out in colour where the context changes, and fits the line', async () => {
    const weather = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8');
    const { stdout } = await run(weather, ['--color'], { columns: 60, isTerminal: true });
    const [plain, compaction] = ['assistant', 'compaction'].map(
      (name) => new RegExp(`(\\u001b\\[\\d+m)${name}`).exec(stdout)?.[1],
    );
    expect(compaction).not.toBe(plain);
    const widest = Math.max(
      ...stdout
        .replaceAll(/\u001b\[\d+m/g, '')
        .split('\n')
        .map((line) => line.length),
    );
    expect(widest).toBe(60);
  });

  it('is a list in Markdown', async () => {
    const { stdout } = await run(lines(HEADER, ...TALK), ['--format', 'markdown']);
    expect(stdout).toContain('- • `u1` user: question u1\n');
    expect(stdout).toContain('← HEAD **assistant**');
  });

  it.each<[string, (at: number) => number]>([
    ['a chain', (at) => at - 1],
    ['a star', (at) => (at === 0 ? -1 : 0)],
    ['a comb', (at) => (at % 2 === 0 ? at - 1 : at - 2)],
    ['nothing but roots', () => -1],
    ['anything', (at) => random.int(-1, at - 1)],
  ])('shows %s of very many entries', async (_name, parentOf) => {
    const all = Array.from({ length: Math.max(12_000, runs(100_000)) }, (_, at) => {
      const parent = Math.max(-1, parentOf(at));
      return user(`e${at}`, parent === -1 ? null : `e${parent}`, 'x');
    });
    const content = lines(HEADER, ...all);
    const { stdout } = await run(content, [], { columns: 80 });
    expect(stdout.trimEnd().split('\n')).toHaveLength(all.length);
    expect(stdout.length).toBeLessThan(all.length * 82);
  });
});
