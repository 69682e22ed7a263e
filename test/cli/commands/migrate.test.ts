import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { compaction, HEADER, lines, TALK, user } from '../../support/entries.js';
import { projectFolder } from '../../support/files.js';
import { ctx } from '../../support/memory-io.js';

const fixture = (name: string): string => readFileSync(path.join(projectFolder, 'fixtures', name), 'utf8');
const OLD = fixture('version-1.jsonl');
const text = (content: string | Uint8Array | undefined): string => Buffer.from(content ?? '').toString();

describe('ctx migrate', () => {
  it('writes a new file beside the old one, which stays as it is', async () => {
    const { exitCode, files } = await ctx(['migrate', 'old.jsonl'], { files: { 'old.jsonl': OLD } });
    expect([exitCode, Object.keys(files)]).toEqual([0, ['old.jsonl', 'old.v3.jsonl']]);
    expect(files['old.jsonl']).toBe(OLD);
    const entries = text(files['old.v3.jsonl'])
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(entries[0]).toMatchObject({ type: 'session', version: 3, provider: 'anthropic' });
    expect(entries.slice(1).map(({ parentId }) => parentId)).toEqual([
      null,
      ...entries.slice(1, -1).map(({ id }) => id),
    ]);
    expect(entries[5]).toMatchObject({ type: 'compaction', firstKeptEntryId: entries[4]!['id'] });
    expect(entries[5]).not.toHaveProperty('firstKeptEntryIndex');
  });

  it('keeps numbers, unknown fields and bytes that are not UTF-8 as they were written', async () => {
    const line =
      '{"type":"message","x":1.50,"big":12345678901234567890,"x":"\\u00e9","message":{"role":"hookMessage","content":"';
    const old = Buffer.concat([
      Buffer.from(`{"type":"session","version":2,"id":"two"}\n${line}`),
      Buffer.from([0xff]),
      Buffer.from('"}}\n'),
    ]);
    const { files } = await ctx(['migrate', 'old.jsonl'], { files: { 'old.jsonl': old } });
    const expected = Buffer.from(
      old.toString('latin1').replace('"version":2', '"version":3').replace('hookMessage', 'custom'),
      'latin1',
    );
    expect(Buffer.from(files['old.v3.jsonl']!).equals(expected)).toBe(true);
  });

  it('says with --check whether anything is to be done, and writes nothing', async () => {
    const stock = lines(HEADER, ...TALK, compaction('k1', 'a2', 'u2'));
    const world = { files: { 'old.jsonl': OLD, 'new.jsonl': stock } };
    const codes: number[] = [];
    for (const argv of [['old.jsonl'], ['new.jsonl'], ['new.jsonl', '--compactions']]) {
      const ran = await ctx(['migrate', ...argv, '--check'], world);
      expect(Object.keys(ran.files)).toEqual(['old.jsonl', 'new.jsonl']);
      codes.push(ran.exitCode);
    }
    expect(codes).toEqual([1, 0, 1]);
  });

  it('does nothing twice', async () => {
    const once = await ctx(['migrate', 'old.jsonl', '--compactions'], { files: { 'old.jsonl': OLD } });
    const files = { 'new.jsonl': once.files['old.v3.jsonl']! };
    const twice = await ctx(['migrate', 'new.jsonl', '--compactions'], { files });
    expect([twice.exitCode, Object.keys(twice.files)]).toEqual([0, ['new.jsonl']]);
    expect(twice.stdout).toContain('nothing to migrate');
  });

  it('keeps the old file where the new one takes its place', async () => {
    const { exitCode, files } = await ctx(['migrate', 'old.jsonl', '--in-place'], { files: { 'old.jsonl': OLD } });
    expect(exitCode).toBe(0);
    expect(text(files['old.jsonl.bak'])).toBe(OLD);
    expect(text(files['old.jsonl'])).toContain('"version":3');
  });

  it('never replaces an older backup by itself, and then changes nothing', async () => {
    const files = { 'old.jsonl': OLD, 'old.jsonl.bak': 'mine' };
    const ran = await ctx(['migrate', 'old.jsonl', '--in-place'], { files });
    expect([ran.exitCode, ran.files]).toEqual([4, files]);
  });

  it('goes on after a run that was killed when its backup was complete', async () => {
    const files = { 'old.jsonl': OLD, 'old.jsonl.bak': OLD };
    const ran = await ctx(['migrate', 'old.jsonl', '--in-place'], { files });
    expect([ran.exitCode, text(ran.files['old.jsonl.bak'])]).toEqual([0, OLD]);
    expect(text(ran.files['old.jsonl'])).toContain('"version":3');
  });

  it('puts damaged lines of an old file aside', async () => {
    const [header, ...rest] = OLD.split('\n');
    const damaged = [header, 'garbage', '42', ...rest].join('\n');
    const { exitCode, files, stdout } = await ctx(['migrate', 'old.jsonl', '--json'], {
      files: { 'old.jsonl': damaged },
    });
    expect(exitCode).toBe(1);
    expect(text(files['old.v3.jsonl.lost'])).toBe('garbage\n42\n');
    expect(JSON.parse(stdout)).toMatchObject({ lost: [{ rule: 'malformed-line' }, { rule: 'not-an-object' }] });
  });

  it('writes the transform alone, with the id and all fields of the compaction', async () => {
    const stock = lines(
      HEADER,
      ...TALK,
      { ...compaction('k1', 'a2', 'u2'), details: { readFiles: ['a'] } },
      user('u3', 'k1'),
    );
    const argv = ['migrate', 'new.jsonl', '--compactions', '--as', 'context_transform', '--output', 'out.jsonl'];
    const { files } = await ctx(argv, { files: { 'new.jsonl': stock } });
    const entries = text(files['out.jsonl']).trimEnd().split('\n');
    expect(JSON.parse(entries[5]!)).toMatchObject({
      type: 'context_transform',
      id: 'k1',
      parentId: 'a2',
      transformerName: 'compaction',
      patch: [{ op: 'compaction_apply', firstKeptMessageIndex: 2 }],
      details: { readFiles: ['a'] },
    });
    expect(entries[6]).toBe(stock.split('\n')[6]);
  });
});

describe('ctx extract', () => {
  const stock = lines(HEADER, ...TALK, compaction('k1', 'a2', 'u2'), user('u3', 'k1'), user('x1', 'a1'));

  it('writes a branch with its compaction', async () => {
    const argv = ['extract', 'session.jsonl', '--to', 'u3', '--output', 'new.jsonl'];
    const { files } = await ctx(argv, { files: { 'session.jsonl': stock } });
    const made = text(files['new.jsonl']).trimEnd().split('\n');
    expect(made.slice(1)).toEqual(stock.split('\n').slice(1, 7));
    expect(JSON.parse(made[0]!)).toMatchObject({
      version: 3,
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      cwd: HEADER.cwd,
      parentSession: '/home/ada/weather/session.jsonl',
    });
  });

  it('begins with what the context was', async () => {
    const argv = ['extract', 'session.jsonl', '--from', 'u3', '--to', 'u3', '--output', 'new.jsonl'];
    const { files, stdout } = await ctx(argv, { files: { 'session.jsonl': stock } });
    const ids = text(files['new.jsonl'])
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => (JSON.parse(line) as { id: string }).id);
    expect(ids).toEqual(['k1', 'u2', 'a2', 'u3']);
    expect(stdout).toContain('after a checkpoint of 3 entries');
  });

  it('refuses an entry that is not above the other', async () => {
    const argv = ['extract', 'session.jsonl', '--from', 'x1', '--to', 'u3', '--dry-run'];
    expect((await ctx(argv, { files: { 'session.jsonl': stock } })).exitCode).toBe(2);
  });
});
