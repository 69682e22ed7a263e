import { describe, expect, it } from 'vitest';
import { envelopeAt, openSession } from '#context/open.js';
import { bytesAccountedFor } from '#session/scan/scan.js';
import { readSession } from '../../src/session/read-session.js';
import { readTail } from '../../src/session/read-tail.js';
import { toByteSource } from '../../src/session/scan/byte-source.js';
import { peekSession } from '../../src/session/scan/peek.js';
import { Log } from '../fixtures/log.js';
import { bytes } from '../support/entries.js';
import { ctx, type Ran } from '../support/memory-io.js';

const TITLE = '{"type":"title","v":1,"title":"Days","updatedAt":"2026-03-02T09:00:00.000Z","pad":"      "}\n';
const FILE = '/s/2026-03-02T09-00-00-000Z_omp.jsonl';

/** A session as oh-my-pi writes it. */
function session(): Log {
  return new Log('omp')
    .entry('m1', 'model_change', { model: 'zai/glm-5.2', role: 'default' })
    .entry('m2', 'model_change', { model: 'openrouter/~anthropic/haiku', role: 'smol' })
    .user('u1', 'Which day is it?')
    .assistant('a1', 'Monday.')
    .user('u2', 'And tomorrow?');
}

const TEXT = TITLE + session().text();

async function run(...argv: readonly string[]): Promise<Ran> {
  return ctx(argv, { files: { [FILE]: TEXT }, env: { PI_CODING_AGENT_DIR: '/nowhere' } });
}

describe('a title before the header', () => {
  it('is passed over, and every byte and line is accounted for', () => {
    const { header, scan, tree, problems } = readSession(toByteSource(bytes(TEXT)), 'f');
    expect(header.id).toBe('omp');
    expect(scan.headerSpan).toMatchObject({ line: 2, offset: TITLE.length });
    expect(bytesAccountedFor(scan)).toBe(TEXT.length);
    expect([...tree.heads].map(({ line, id }) => [line, id])).toEqual([
      [3, 'm1'],
      [4, 'm2'],
      [5, 'u1'],
      [6, 'a1'],
      [7, 'u2'],
    ]);
    expect(problems.map(({ code, severity, line }) => [code, severity, line])).toEqual([
      ['title-before-header', 'note', 1],
    ]);
  });

  it('hides the header neither in a folder nor from the tail of a long file', async () => {
    expect(peekSession(bytes(TEXT), true)).toMatchObject({ id: 'omp' });
    expect(peekSession(bytes(TITLE), true)).toBe('no-session');
    const long = session();
    for (let at = 0; at < 3000; at += 1) long.user(`long${at}`, 'x'.repeat(1000));
    const file = bytes(TITLE + long.text());
    const tail = readTail(toByteSource(file), 'f', () => true);
    expect(tail.scan.isWhole).toBe(false);
    expect(tail.header.id).toBe('omp');
    const whole = readSession(toByteSource(file), 'f');
    expect(tail.tree.leaf).toMatchObject({ id: 'long2999', line: whole.tree.leaf?.line });
  });

  it('is a title only above everything else', () => {
    const { tree, problems } = readSession(toByteSource(bytes(session().text() + TITLE)), 'f');
    expect(tree.leaf?.type).toBe('title');
    expect(problems.map(({ code }) => code)).toEqual(['no-id']);
    expect(() => readSession(toByteSource(bytes(TITLE)), 'f')).toThrow('not a Pi session');
    expect(() => readSession(toByteSource(bytes(`${TITLE}{"type":"message","message":{}}\n`)), 'f')).toThrow(
      'the first line must be a session header',
    );
  });

  it.each([
    ['show', FILE],
    ['status', FILE, '--limit', '200k'],
    ['log', FILE],
    ['tree', FILE],
    ['cat', FILE, 'u1'],
    ['grep', 'Monday', FILE],
    ['stats', FILE],
    ['ls', '/s'],
    ['check', '/s'],
    ['report', FILE, '--output', '/r.html'],
    ['cache', FILE],
    ['facts', FILE],
    ['export', FILE],
    ['status', '--history', FILE, '--limit', '200k'],
    ['prune', FILE, '--zone', 'red', '--dry-run'],
    ['extract', FILE, '--to', 'u1', '--dry-run'],
    ['migrate', FILE, '--dry-run'],
  ])('is read by ctx %s', async (...argv) => {
    const { exitCode, stderr } = await run(...argv);
    expect(stderr).not.toContain('header');
    expect([0, 1, 4]).toContain(exitCode);
  });

  it('is a note of ctx check, which says what Pi makes of it', async () => {
    const quiet = await run('check', FILE);
    expect(quiet).toMatchObject({ exitCode: 0, stderr: '' });
    expect(quiet.stdout).not.toContain('odd-fields');
    const { stdout } = await run('check', FILE, '--severity', 'note');
    expect(stdout).toContain('title-before-header');
    expect(stdout).toContain('Pi does not open the file');
  });

  it('stays as it is where something is appended', async () => {
    const summary = { 'summary.md': 'A summary.' };
    const files = { [FILE]: TEXT, ...summary };
    const ran = await ctx(['compact', FILE, '--yes', '--keep-recent', '4', '--summary', 'summary.md'], { files });
    expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
    const text = Buffer.from(ran.files[FILE] ?? '').toString();
    expect(text.startsWith(TEXT)).toBe(true);
    expect(text.length).toBeGreaterThan(TEXT.length);
  });

  it('is taken out where Pi is to open the file', async () => {
    const repaired = await run('repair', FILE, '--output', '/s/new.jsonl');
    expect(repaired.files['/s/new.jsonl.lost']?.toString()).toBe(TITLE);
    expect(Buffer.from(repaired.files['/s/new.jsonl'] ?? '').toString()).toBe(session().text());
    expect(repaired.stdout).toContain('title-before-header');
  });
});

describe('a model in one field', () => {
  it('is the model of the session, and that of another role is not', async () => {
    const opened = await openSession(bytes(TITLE + session().text()));
    expect(envelopeAt(opened, 'm1').meta.model).toEqual({ provider: 'zai', modelId: 'glm-5.2' });
    expect(envelopeAt(opened, 'm2').meta.model).toEqual({ provider: 'zai', modelId: 'glm-5.2' });
    expect(envelopeAt(opened, 'u1').meta.model).toEqual({ provider: 'zai', modelId: 'glm-5.2' });
    expect(envelopeAt(opened).meta.model).toEqual({ provider: 'anthropic', modelId: 'claude-sonnet-4-5' });
  });

  it.each([
    [{ model: 'openrouter/~anthropic/fable' }, { provider: 'openrouter', modelId: '~anthropic/fable' }],
    [{ model: 'glm' }, { modelId: 'glm' }],
    [
      { model: 'a/b', provider: 'zai', modelId: 'glm' },
      { provider: 'zai', modelId: 'glm' },
    ],
    [{ model: 7 }, {}],
  ])('%j', async (fields, model) => {
    const opened = await openSession(bytes(new Log('m').entry('m1', 'model_change', fields).text()));
    expect(envelopeAt(opened).meta.model).toEqual(model);
  });

  it('is named by ctx log and ctx ls', async () => {
    const { stdout } = await run('log', FILE, '--json');
    expect(stdout).toContain('"zai/glm-5.2"');
    expect(stdout).toContain('openrouter/~anthropic/haiku for the role smol');
    const text = TITLE + new Log('omp').entry('m1', 'model_change', { model: 'zai/glm-5.2' }).text();
    const listed = await ctx(['ls', '/s', '--json'], { files: { [FILE]: text } });
    expect(listed.stdout).toContain('"modelId":"glm-5.2"');
  });
});

it('is appended to byte for byte, with a note that stock Pi does not open the file', async () => {
  const patch = JSON.stringify([
    { op: 'system_part_set', scope: 'cached', partName: 'a', text: 'b', invalidateCacheReason: 'test' },
  ]);
  const files = { [FILE]: TEXT, 'p.json': patch };
  const note = 'stock Pi does not open this file';
  const planned = await ctx(['apply', FILE, 'p.json', '--dry-run'], { files });
  expect([planned.exitCode, planned.stdout]).toEqual([0, expect.stringContaining(note)]);
  const written = await ctx(['apply', FILE, 'p.json', '--yes'], { files });
  expect([written.exitCode, written.stdout]).toEqual([0, expect.stringContaining(note)]);
  expect(String(written.files[FILE]).startsWith(TEXT)).toBe(true);
});
