import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COST_PARTS } from '#analysis/stats/cost-parts.js';
import type { StatsDocument } from '#analysis/stats/document.js';
import { tables } from '#analysis/tables/index.js';
import { COST_PART_COLUMNS } from '#analysis/tables/usage-table.js';
import { fixtures, projectFolder, triedRecordings } from '../../support/files.js';
import { generateSession } from '../../support/generate.js';
import { ctx } from '../../support/memory-io.js';
import { Duck, exported, plain, type Row, type Tables } from '../../support/tables.js';

const generated = Array.from({ length: 5 }, (_, seed) => [
  `all/generated/${seed}.jsonl`,
  generateSession({ seed, entries: 30 }),
]);
const files: Record<string, Uint8Array | string> = {
  ...Object.fromEntries(
    [...fixtures, ...triedRecordings].map((file) => [
      path.join('all', path.relative(path.dirname(projectFolder), file)),
      readFileSync(file),
    ]),
  ),
  ...Object.fromEntries(generated),
};

let stats: StatsDocument;
let bytes: Tables;
let duck: Duck;

beforeAll(async () => {
  stats = JSON.parse((await ctx(['stats', 'all', '--json'], { files })).stdout) as StatsDocument;
  bytes = (await exported(['all'], { files })).tables;
  duck = await Duck.over(bytes);
});
afterAll(() => duck.close());

const RECORDED =
  'count(*) AS calls, sum(input_recorded) AS input, sum(output_recorded) AS output, sum(cache_read_recorded) AS "cacheRead", ' +
  'sum(cache_write_recorded) AS "cacheWrite", sum(total_recorded) AS total, coalesce(sum(cost_recorded), 0) AS cost';

/** By a key, with costs that were added in any order. Listed costs are no column of the tables. */
function close(rows: readonly Row[]): readonly Row[] {
  return rows
    .map(({ cost, costListed: _listed, ...row }) => ({ ...row, cost: Math.round(Number(cost ?? 0) * 1e6) }))
    .toSorted(byJson);
}

function byJson(a: Row, b: Row): number {
  const [one, other] = [a, b].map((row) =>
    JSON.stringify(Object.entries(row).toSorted(([name], [after]) => (name < after ? -1 : 1))),
  );
  return one! < other! ? -1 : 1;
}

describe('what DuckDB adds up is what ctx stats says', () => {
  it('of the whole', async () => {
    const [usage] = await duck.ask(`SELECT ${RECORDED} FROM usage WHERE NOT shared`);
    expect(close([usage!])).toEqual(close([stats.usageRecorded]));
    const [entries] = await duck.ask('SELECT count(*) AS entries FROM entries WHERE NOT shared');
    expect(entries).toEqual({ entries: stats.entries });
    expect(stats.entries).toBeGreaterThan(500);
  });

  it('of each part of the cost', async () => {
    const sums = COST_PARTS.map((part) => `coalesce(sum(${COST_PART_COLUMNS[part]}), 0) AS "${part}"`).join(', ');
    const [parts] = await duck.ask(`SELECT ${sums} FROM usage WHERE NOT shared`);
    for (const part of COST_PARTS) {
      const { dollars = 0 } = stats.costParts.all.find((one) => one.part === part) ?? {};
      expect(Number(parts![part]), part).toBeCloseTo(dollars, 6);
    }
    expect(stats.costParts.all.length).toBeGreaterThan(3);
  });

  it('of the parts of each call, which are its cost', async () => {
    const sum = Object.values(COST_PART_COLUMNS).join(' + ');
    const cost = 'coalesce(cost_recorded, cost_listed)';
    const [row] = await duck.ask(
      `SELECT count(*) FILTER (abs(${sum} - ${cost}) > 1e-8) AS wrong, count(*) FILTER ((${sum}) IS NULL AND ${cost} IS NOT NULL) AS missing, count(${cost}) > 50 AS many FROM usage`,
    );
    expect(row).toEqual({ wrong: 0, missing: 0, many: true });
  });

  it('of what was left out', async () => {
    const [usage] = await duck.ask(`SELECT ${RECORDED} FROM usage WHERE shared`);
    expect(close([usage!])).toEqual(close([stats.shared.usageRecorded]));
    expect(stats.shared.entries).toBeGreaterThan(0);
    const [{ entries, tokens }] = (await duck.ask(
      'SELECT count(*) AS entries, sum(tokens_estimated) AS tokens FROM entries WHERE shared',
    )) as [Row];
    expect({ entries, tokens }).toEqual({ entries: stats.shared.entries, tokens: stats.shared.tokensEstimated });
  });

  it.each([
    ['source', 'source', 'true', () => stats.usageRecordedBySource],
    // What nothing was spent on is not listed, as in Pi.
    ['model', 'model', 'total > 0 OR cost > 0', () => stats.usageRecordedByModel],
    ["strftime(time, '%Y-%m-%d')", 'day', 'true', () => stats.usageRecordedByDay],
  ] as const)('by %s', async (group, name, isListed, expected) => {
    const rows = await duck.ask(
      `SELECT ${group} AS ${name}, ${RECORDED} FROM usage WHERE NOT shared GROUP BY 1 HAVING ${isListed}`,
    );
    expect(close(rows)).toEqual(close(expected()));
  });

  it('of every session', async () => {
    const rows = await duck.ask(
      `SELECT s.file, session_id AS id, cwd, title, first_time AS first, last_time AS last, s.entries - shared_entries AS entries,
        shared_entries AS "sharedEntries", context_tokens_estimated AS "contextTokens", tokenizer,
        preamble_known AS "preambleKnown", problems, coalesce(tokens, 0) AS "tokensEstimated",
        coalesce(calls, 0) AS calls, coalesce(total, 0) AS total
      FROM sessions AS s
        LEFT JOIN (SELECT file, sum(tokens_estimated) AS tokens FROM entries WHERE NOT shared GROUP BY 1) USING (file)
        LEFT JOIN (SELECT file, count(*) AS calls, sum(total_recorded) AS total FROM usage WHERE NOT shared GROUP BY 1) USING (file)`,
    );
    const expected = stats.sessions.map(({ usageRecorded, title, first, last, ...of }) => ({
      ...of,
      // No file of UTF-8 holds half a character.
      title: Buffer.from(title).toString(),
      first: first === null ? null : Date.parse(first),
      last: last === null ? null : Date.parse(last),
      calls: usageRecorded.calls,
      total: usageRecorded.total,
    }));
    expect(rows.toSorted(byJson)).toEqual(
      expected
        .map((row) => ({
          ...row,
          client: undefined,
          contextTokensEstimated: undefined,
          contextTokensSource: undefined,
        }))
        .toSorted(byJson),
    );
  });

  it('by what tokens were spent on', async () => {
    const rows = await duck.ask(
      `SELECT category AS name, sum(text_tokens_estimated) AS tokens FROM messages WHERE NOT shared GROUP BY 1
      UNION ALL SELECT 'thinking', sum(thinking_tokens_estimated) FROM messages WHERE NOT shared
      UNION ALL SELECT 'tool calls', sum(tool_call_tokens_estimated) FROM messages WHERE NOT shared
      UNION ALL SELECT 'images', sum(image_tokens_estimated) FROM messages WHERE NOT shared
      UNION ALL SELECT 'system', sum(system_tokens_estimated) FROM messages WHERE NOT shared
      UNION ALL SELECT 'tool definitions', sum(tool_definition_tokens_estimated) FROM messages WHERE NOT shared`,
    );
    const sums = new Map<unknown, number>();
    for (const { name, tokens } of rows) sums.set(name, (sums.get(name) ?? 0) + Number(tokens));
    for (const { category, tokensEstimated } of stats.ledger)
      expect([category, sums.get(category)]).toEqual([category, tokensEstimated]);
    const [total] = await duck.ask('SELECT sum(tokens_estimated) AS total FROM messages WHERE NOT shared');
    expect(total).toEqual({ total: stats.tokensEstimated });
  });

  it('by types and roles', async () => {
    const rows = await duck.ask(
      `SELECT coalesce(type, '?') AS type, role, count(*) AS entries, sum(bytes) AS bytes, sum(tokens_estimated) AS "tokensEstimated"
      FROM entries WHERE NOT shared GROUP BY ALL`,
    );
    expect(rows.toSorted(byJson)).toEqual(stats.entryTypes.toSorted(byJson));
  });

  it('by tool', async () => {
    const rows = await duck.ask(
      `SELECT name, coalesce(calls, 0) AS calls, coalesce(errors, 0) AS errors, coalesce(results, 0) AS results, coalesce(tokens, 0) AS tokens
      FROM (SELECT tool_name AS name, count(*) AS calls FROM tool_calls WHERE NOT shared GROUP BY 1)
        FULL JOIN (SELECT coalesce(tool_name, '?') AS name, count(*) AS results, count(*) FILTER (is_error) AS errors, sum(tokens_estimated) AS tokens
          FROM messages WHERE role = 'toolResult' AND NOT shared GROUP BY 1) USING (name)`,
    );
    const expected = stats.tools.map(({ name, calls, errors, results, resultTokensEstimated: { sum } }) => {
      return { name, calls, errors, results, tokens: sum };
    });
    expect(rows.toSorted(byJson)).toEqual(expected.toSorted(byJson));
  });
});

describe('the files', () => {
  it('hold one row group for many sessions', async () => {
    for (const { name } of tables) {
      const [groups] = await duck.ask(
        `SELECT count(DISTINCT row_group_id) AS groups, count(DISTINCT row_group_num_rows) AS sizes FROM parquet_metadata('${duck.fileOf(name)}')`,
      );
      expect([name, groups]).toEqual([name, { groups: 1, sizes: 1 }]);
    }
  });

  it('are read alike by another reader, and are the same each time', async () => {
    const few = Object.entries(files).filter(([name]) =>
      /weather|branches|two-comp|fork|damaged|pi-1.5.2|generated/.test(name),
    );
    const world = { files: Object.fromEntries(few) };
    const { tables: ofFew } = await exported(['all'], world);
    const again = await exported(['all'], { ...world, now: 5 });
    const small = await Duck.over(ofFew);
    for (const { name, columns } of tables) {
      expect(Buffer.compare(again.tables[name], ofFew[name]), name).toBe(0);
      const read = await parquetReadObjects({ file: Uint8Array.from(ofFew[name]).buffer, compressors });
      const rows = read.map((row) =>
        Object.fromEntries(Object.entries(row).map(([key, value]) => [key, plain(value)])),
      );
      expect(rows).toEqual(await small.ask(`SELECT * FROM ${name}`));
      expect(rows.map((row) => Object.keys(row).join())).toEqual(rows.map(() => Object.keys(columns).join()));
    }
    small.close();
  });
});
