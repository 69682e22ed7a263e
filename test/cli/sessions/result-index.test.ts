import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { runJobs } from '#cli/sessions/parallel.js';
import { type IndexFolder, openIndex, openIndexIn } from '#platform/files/index-folder.js';
import type { Io } from '#platform/io.js';
import { nodeFiles } from '../../../src/platform/files/node-files.js';
import { Log } from '../../fixtures/log.js';
import { ctx } from '../../support/memory-io.js';
import { runs } from '../../support/runs.js';

const root = mkdtempSync(path.join(tmpdir(), 'ctx-index-'));
afterAll(() => rmSync(root, { recursive: true }));
let folders = 0;

function newFolder(): string {
  const folder = path.join(root, String((folders += 1)));
  mkdirSync(folder);
  return folder;
}

function text(id: string, tokens: number): string {
  const usage = { input: tokens, output: 1, cacheRead: 0, cacheWrite: 0, cost: { total: tokens / 1e3 } };
  return new Log(id).user('u1', `What is ${id}?`).assistant('a1', 'An answer.', { usage }).text();
}

interface NewFile {
  readonly file: string;
  readonly content: string;
}

/** A rollout of Codex, a fork of it, and a fork of that, of which only the first is written. */
function rolloutsIn(folder: string): readonly NewFile[] {
  const ids = [1, 2, 3].map((at) => `019ca000-000${at}-7000-8000-00000000000${at}`);
  const files: NewFile[] = [];
  for (const [at, id] of ids.entries()) {
    const before = files.at(-1)?.content ?? '';
    const base = { thread_id: ids[at - 1], end_ordinal_exclusive: 3, end_byte_offset: Buffer.byteLength(before) };
    const usage = { input_tokens: 100 + at, output_tokens: 10, total_tokens: 110 + at };
    const answer = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: `${at}` }] };
    const content = [
      ['session_meta', { id, cli_version: '0.153.0', ...(at > 0 && { history_base: base }) }],
      ['response_item', answer],
      ['event_msg', { type: 'token_count', info: { last_token_usage: usage, total_token_usage: usage } }],
    ].map(([type, payload]) => `${JSON.stringify({ timestamp: '2026-02-28T10:00:00.000Z', type, payload })}\n`);
    files.push({ file: path.join(folder, `rollout-2026-02-28T10-00-0${at}-${id}.jsonl`), content: content.join('') });
  }
  for (const { file, content } of files.slice(0, 1)) writeFileSync(file, content);
  return files;
}

/** A world whose files were written long before it looks. */
function world(index: IndexFolder | null): Io & { readonly opened: string[] } {
  const opened: string[] = [];
  const open: Io['files']['open'] = (file) => {
    opened.push(path.basename(file));
    return nodeFiles.open(file);
  };
  const now = (): number => Date.now() + 60_000;
  return {
    cwd: root,
    files: { ...nodeFiles, open },
    now,
    openIndex: () => Promise.resolve(index),
    opened,
  } as unknown as Io & {
    readonly opened: string[];
  };
}

async function usages(io: Io, files: readonly string[], sizes: readonly number[] = []): Promise<unknown> {
  const inputs = files.map((file) => ({ files: [file] }));
  const all: unknown[] = [];
  for await (const some of runJobs(io, { job: 'usage', inputs, sizes, isRemembered: true })) all.push(...some);
  return all;
}

describe('the index', () => {
  it('gives what was found out about files that have not changed, and reads the others', async () => {
    const [sessions, index] = [newFolder(), openIndexIn(newFolder(), 'ctx')];
    const files = ['a', 'b', 'c'].map((id) => path.join(sessions, `${id}.jsonl`));
    for (const file of files) writeFileSync(file, text(path.basename(file), 10));
    const first = world(index);
    const results = await usages(first, files);
    expect(first.opened).toEqual(['a.jsonl', 'b.jsonl', 'c.jsonl']);
    const second = world(index);
    expect(await usages(second, files)).toEqual(results);
    expect(second.opened).toEqual([]);
    appendFileSync(files[1]!, text('b', 20).split('\n').slice(2).join('\n'));
    const third = world(index);
    expect(await usages(third, files)).toEqual(await usages(world(null), files));
    expect(third.opened).toEqual(['b.jsonl']);
  });

  it('starts threads only for what is not known', async () => {
    const [sessions, index] = [newFolder(), openIndexIn(newFolder(), 'ctx')];
    const files = ['a', 'b'].map((id) => path.join(sessions, `${id}.jsonl`));
    for (const file of files) writeFileSync(file, text(path.basename(file), 10));
    let starts = 0;
    const startThreads: Io['startThreads'] = () => {
      starts += 1;
      return Promise.resolve(null);
    };
    const ask = (): Promise<unknown> => usages({ ...world(index), startThreads }, files, [1e8, 1e8]);
    await ask();
    appendFileSync(files[1]!, '\n');
    await ask();
    expect(starts).toBe(1);
  });

  it('gives the same results as reading everything, after any changes', async () => {
    const change = fc.record({
      at: fc.nat(3),
      how: fc.constantFrom(
        'grow',
        'replace',
        'same size',
        'delete',
        'damage',
        'empty',
        'wipe the index',
        'damage the index',
      ),
      tokens: fc.integer({ min: 10, max: 99 }),
      isRead: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async (changes) => {
        const [sessions, folder] = [newFolder(), newFolder()];
        const index = openIndexIn(folder, 'ctx');
        const files = ['a', 'b', 'c', 'd'].map((id) => path.join(sessions, `${id}.jsonl`));
        for (const file of files) writeFileSync(file, text(path.basename(file), 10));
        await usages(world(index), files);
        for (const { at, how, tokens, isRead } of changes) {
          const file = files[at]!;
          const isThere = nodeFiles.exists(file);
          if (how === 'grow' && isThere) appendFileSync(file, text('x', tokens).split('\n').slice(1).join('\n'));
          if (how === 'replace') writeFileSync(file, text('other', tokens * 1000));
          if (how === 'same size') {
            const { mtime } = isThere ? statSync(file) : { mtime: new Date(0) };
            writeFileSync(file, text(path.basename(file), tokens));
            utimesSync(file, mtime, mtime);
          }
          if (how === 'delete') rmSync(file, { force: true });
          if (how === 'damage' && isThere) truncateSync(file, Math.floor(statSync(file).size * 0.7));
          if (how === 'empty') writeFileSync(file, '');
          const packs = readdirSync(folder).map((name) => path.join(folder, name));
          if (how === 'wipe the index') for (const pack of packs) rmSync(pack);
          if (how === 'damage the index')
            for (const pack of packs) writeFileSync(pack, readFileSync(pack).fill(7, 40, 50));
          if (isRead) expect(await usages(world(index), files)).toEqual(await usages(world(null), files));
        }
        expect(await usages(world(index), files)).toEqual(await usages(world(null), files));
      }),
      { numRuns: runs(500) },
    );
  });

  it('gives the same results as reading everything, after any changes of the rollouts that others continue', async () => {
    const change = fc.constantFrom('write', 'grow', 'damage', 'delete', 'move', 'double', 'link elsewhere');
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), fc.boolean(), async (changes, isThere) => {
        const sessions = path.join(newFolder(), 'sessions/2026/02/28');
        const archive = path.join(sessions, '../../../../archived_sessions');
        for (const folder of [sessions, archive]) mkdirSync(folder, { recursive: true });
        const index = openIndexIn(newFolder(), 'ctx');
        const files = rolloutsIn(sessions);
        const origin = files[0]!;
        if (!isThere) rmSync(origin.file);
        for (const { file, content } of files.slice(1)) writeFileSync(file, content);
        // The origin is not among the files that are asked for.
        const asked = files.slice(1).map(({ file }) => file);
        await usages(world(index), asked);
        for (const how of changes) {
          const isFile = nodeFiles.exists(origin.file);
          const elsewhere = path.join(archive, path.basename(origin.file));
          if (how === 'write') writeFileSync(origin.file, origin.content);
          if (how === 'grow' && isFile) appendFileSync(origin.file, origin.content);
          if (how === 'damage' && isFile) truncateSync(origin.file, 40);
          if (how === 'delete') rmSync(origin.file, { force: true });
          if (how === 'move' && isFile) renameSync(origin.file, elsewhere);
          if (how === 'double') writeFileSync(origin.file.replace('T10', 'T11'), origin.content);
          if (how === 'link elsewhere') writeFileSync(elsewhere, origin.content.replaceAll('100', '200'));
          expect(await usages(world(index), asked)).toEqual(await usages(world(null), asked));
        }
        const again = world(index);
        await usages(again, asked);
        expect(again.opened).toEqual([]);
      }),
      { numRuns: runs(100) },
    );
  });

  it('does not trust a file that was written a moment ago', async () => {
    const [sessions, index] = [newFolder(), openIndexIn(newFolder(), 'ctx')];
    const file = path.join(sessions, 'a.jsonl');
    writeFileSync(file, text('a', 10));
    const now = (): Io => ({ ...world(index), now: () => Date.now() });
    await usages(now(), [file]);
    const again = { ...world(index), now: () => Date.now() };
    await usages(again, [file]);
    expect(again.opened).toEqual(['a.jsonl']);
  });

  it('is not that of another program, and forgets files that are gone', async () => {
    const [sessions, folder] = [newFolder(), newFolder()];
    const files = ['a', 'b'].map((id) => path.join(sessions, `${id}.jsonl`));
    for (const file of files) writeFileSync(file, text(path.basename(file), 10));
    await usages(world(openIndexIn(folder, 'ctx 1')), files);
    const other = world(openIndexIn(folder, 'ctx 2'));
    await usages(other, files);
    expect(other.opened).toHaveLength(2);
    const size = (): number =>
      readdirSync(folder).reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0);
    const before = size();
    rmSync(files[0]!);
    appendFileSync(files[1]!, '\n');
    await usages(world(openIndexIn(folder, 'ctx 2')), files);
    expect(size()).toBeLessThan(before);
  });

  it('is readable by its user alone, and never larger than its limit', () => {
    const folder = path.join(newFolder(), 'made');
    const index = openIndexIn(folder, 'ctx', 10_000);
    for (let at = 0; at < 5; at += 1) {
      index.write(`pack-${at}`, new Uint8Array(3000));
      const old = new Date(2026, 0, at + 1);
      utimesSync(path.join(folder, `pack-${at}`), old, old);
    }
    expect(readdirSync(folder).toSorted()).toEqual(['pack-2', 'pack-3', 'pack-4']);
    expect(statSync(path.join(folder, 'pack-4')).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it.each([
    ['a folder of its own', { CTX_INDEX_DIR: '/i', XDG_CACHE_HOME: '/x' }, true],
    ['none', { CTX_INDEX_DIR: '', XDG_CACHE_HOME: '/x' }, false],
    ['a relative folder, which depends on where ctx is started', { CTX_INDEX_DIR: 'i' }, false],
    ['the folder of the system', { XDG_CACHE_HOME: '/x' }, true],
    ["the user's folder", {}, true],
  ])('takes from the environment: %s', (_name, env, is) => {
    expect(openIndex(env, '/home/ada') !== null).toBe(is);
    expect(openIndex({}, '')).toBeNull();
  });

  it('is not used for redacted answers, nor to give up what a command prints', async () => {
    const index = openIndexIn(newFolder(), 'ctx');
    const files = { 'sessions/a.jsonl': text('a', 10), 'sessions/b.jsonl': text('b', 20) };
    const argv = ['stats', 'sessions', '--by', 'model'];
    const plain = await ctx(argv, { files });
    expect(plain.stdout).toContain('sonnet');
    for (let run = 0; run < 2; run += 1)
      expect(await ctx(argv, { files, index })).toMatchObject({ stdout: plain.stdout });
    const redacted = await ctx([...argv, '--redact'], {
      files,
      index: {
        ...index,
        read: () => {
          throw new Error('read');
        },
      },
    });
    expect(redacted.exitCode).toBe(0);
  });
});
