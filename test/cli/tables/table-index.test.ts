import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { listAllColumns, type QueriedColumns, type TableName } from '#analysis/tables/index.js';
import type { NamedFile } from '#cli/sessions/session-files.js';
import { provideTables } from '#cli/tables/table-index.js';
import { startSql } from '#platform/duckdb.js';
import { type IndexFolder, openIndexIn } from '#platform/files/index-folder.js';
import type { Io } from '#platform/io.js';
import { nodeFiles } from '../../../src/platform/files/node-files.js';
import { Log } from '../../fixtures/log.js';
import { ctx } from '../../support/memory-io.js';
import { runs } from '../../support/runs.js';

const root = mkdtempSync(path.join(tmpdir(), 'ctx-tables-'));
afterAll(() => rmSync(root, { recursive: true }));
let folders = 0;

function newFolder(): string {
  const folder = path.join(root, String((folders += 1)));
  mkdirSync(folder);
  return folder;
}

function lines(id: string, turns: number): string {
  const log = new Log(id);
  for (let turn = 0; turn < turns; turn += 1) {
    const usage = { input: 10 * turn, output: 1, cacheRead: 0, cacheWrite: 0, cost: { total: turn / 1e4 } };
    log.user(`${id}u${turn}`, `What is ${turn}?`).assistant(`${id}a${turn}`, 'An answer.', { usage });
  }
  return log.text();
}

/** A world whose files were written long before it looks. */
function world(index: IndexFolder | null): Io & { readonly opened: Set<string> } {
  const opened = new Set<string>();
  const open: Io['files']['open'] = (file) => {
    opened.add(path.basename(file));
    return nodeFiles.open(file);
  };
  const io = {
    cwd: root,
    files: { ...nodeFiles, open },
    now: () => Date.now() + 60_000,
    openIndex: () => Promise.resolve(index),
    stderr: { isTerminal: false },
    startThreads: () => Promise.resolve(null),
    opened,
  };
  return io as unknown as Io & { readonly opened: Set<string> };
}

const SQL = `SELECT * FROM usage ORDER BY file, line; SELECT u.*, title, entries FROM usage AS u JOIN sessions USING (file) ORDER BY file, line`;

function filesIn(folder: string): readonly NamedFile[] {
  const files = readdirSync(folder).map((name) => path.join(folder, name));
  return files.map((file) => ({ file, size: statSync(file).size }));
}

async function asked(
  io: Io,
  folder: string,
  names: readonly TableName[] = ['usage', 'sessions'],
  wanted: QueriedColumns = listAllColumns(names),
): Promise<unknown> {
  const database = await startSql();
  try {
    const { parts, sessions } = await provideTables({ io, files: filesIn(folder), wanted, append: database.append });
    await database.lockTo(new Map([...parts].map(([name, all]) => [name, { columns: null, parts: all }])));
    const rows: unknown[] = [];
    for await (const batch of (await database.query(names.length === 2 ? SQL : `SELECT count(*) FROM ${names[0]}`))
      .batches)
      rows.push(...batch);
    return { rows, problems: sessions.flatMap(({ problem }) => problem?.message ?? []).toSorted() };
  } finally {
    database.close();
  }
}

describe('tables in the index', () => {
  it('are read for sessions that have not changed, also by another question', async () => {
    const [folder, index] = [newFolder(), openIndexIn(newFolder(), 'ctx')];
    for (const id of ['a', 'b', 'c']) writeFileSync(path.join(folder, `${id}.jsonl`), lines(id, 3));
    const first = world(index);
    const rows = await asked(first, folder);
    expect(rows).toMatchObject({ rows: { length: 9 } });
    expect([...first.opened]).toEqual(['a.jsonl', 'b.jsonl', 'c.jsonl']);
    const second = world(index);
    expect(await asked(second, folder)).toEqual(rows);
    expect([...second.opened]).toEqual([]);
    appendFileSync(path.join(folder, 'b.jsonl'), lines('b', 4).split('\n').slice(7).join('\n'));
    const third = world(index);
    expect(await asked(third, folder)).toEqual(await asked(world(null), folder));
    expect([...third.opened]).toEqual(['b.jsonl']);
    const fourth = world(index);
    expect(await asked(fourth, folder, ['usage'])).toMatchObject({ rows: [[10]] });
    expect([...fourth.opened]).toEqual([]);
  });

  it('are read with their columns, and by questions about fewer columns', async () => {
    const [folder, index] = [newFolder(), openIndexIn(newFolder(), 'ctx')];
    for (const id of ['a', 'b', 'c']) writeFileSync(path.join(folder, `${id}.jsonl`), lines(id, 3));
    const opens = async (...columns: readonly string[]): Promise<number> => {
      const io = world(index);
      const wanted = new Map([['usage', new Set(['file', ...columns])] as const]);
      expect(await asked(io, folder, ['usage'], wanted)).toMatchObject({ rows: [[9]] });
      return io.opened.size;
    };
    expect(await opens('model', 'line')).toBe(3);
    expect(await opens('line')).toBe(0);
    expect(await opens('line', 'cost_recorded')).toBe(3);
    expect(await opens('line', 'model')).toBe(0);
    expect(await opens('model', 'cost_recorded')).toBe(3);
    appendFileSync(path.join(folder, 'b.jsonl'), `${JSON.stringify({ type: 'label', id: 'x', parentId: null })}\n`);
    expect(await opens('model')).toBe(1);
    expect(await opens('model')).toBe(0);
  });

  it('give what the files give after any changes, also where the index is damaged', async () => {
    const change = fc.tuple(
      fc.constantFrom('grow', 'replace', 'delete', 'damage', 'fork', 'spoil'),
      fc.nat(3),
      fc.nat(5),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
        const [folder, cache] = [newFolder(), newFolder()];
        const index = openIndexIn(cache, 'ctx');
        for (const id of ['a', 'b', 'c', 'd']) writeFileSync(path.join(folder, `${id}.jsonl`), lines(id, 2));
        await asked(world(index), folder);
        for (const [how, which, more] of changes) {
          const id = 'abcd'[which]!;
          const file = path.join(folder, `${id}.jsonl`);
          if (how === 'grow')
            appendFileSync(
              file,
              lines(id, 3 + more)
                .split('\n')
                .slice(5)
                .join('\n'),
            );
          if (how === 'replace') writeFileSync(file, lines(id, more + 1));
          if (how === 'delete') rmSync(file, { force: true });
          if (how === 'damage') appendFileSync(file, '{"type":"mess');
          if (how === 'fork') writeFileSync(path.join(folder, `${id}2.jsonl`), lines(id, 2 + more));
          const [spoilt] = readdirSync(cache).slice(more);
          if (how === 'spoil' && spoilt !== undefined) truncateSync(path.join(cache, spoilt), more);
          if (readdirSync(folder).length === 0) return;
          expect(await asked(world(index), folder)).toEqual(await asked(world(null), folder));
        }
      }),
      { numRuns: runs(60, 3) },
    );
  });

  it('are joined where many runs have added some', async () => {
    const [folder, cache] = [newFolder(), newFolder()];
    const index = openIndexIn(cache, 'ctx');
    const wanted = listAllColumns(['usage']);
    for (let id = 0; id < 26; id += 1) {
      writeFileSync(path.join(folder, `s${id}.jsonl`), lines(`s${id}`, 1));
      // SQL is asked from the last run before they are joined on: its start takes most of the time.
      if (id < 22) await provideTables({ io: world(index), files: filesIn(folder), wanted, append: async () => {} });
      else expect(await asked(world(index), folder, ['usage'])).toMatchObject({ rows: [[id + 1]] });
    }
  });
});

it('with --redact, a query neither reads nor writes the index', async () => {
  const [folder, cache] = [newFolder(), newFolder()];
  writeFileSync(path.join(folder, 'a.jsonl'), lines('a', 2));
  const files = { 'a.jsonl': lines('a', 2) };
  const options = { files, index: openIndexIn(cache, 'ctx'), now: 1e13 };
  expect(await ctx(['query', 'SELECT count(*) FROM usage', 'a.jsonl', '--redact'], options)).toMatchObject({
    exitCode: 0,
  });
  expect(readdirSync(cache)).toEqual([]);
});
