import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod/mini';
import { listAllColumns } from '#analysis/tables/index.js';
import { type JsonOf, schemas } from '#cli/schemas.js';
import { sumByKind } from '#context/contents/contents.js';
import { openSession } from '#context/open.js';
import type { ContextSize } from '#context/replay/envelope.js';
import { splitSize } from '#context/size/split-size.js';
import { formatShortSize, formatSize } from '#ui/parts/size-words.js';
import { Store } from '#ui/report/page/store.js';
import { sessionIn, stateOf, textOf, withEnvelope } from '../support/exploring.js';
import { fixtures, triedRecordings } from '../support/files.js';
import { ctx, type Ran } from '../support/memory-io.js';
import { reported } from '../support/reports.js';
import { rowsOfSession } from '../support/rows.js';
import { tried } from '../support/runs.js';

const FILE = '/sessions/s.jsonl';

type Run = (...argv: readonly string[]) => Promise<Ran>;

function runOn(file: string): Run {
  return (...argv) => ctx(argv, { files: { [FILE]: readFileSync(file) } });
}

async function jsonOf<Schema extends z.core.$ZodType & { parse(data: unknown): unknown }>(
  ran: Promise<Ran>,
  schema: Schema,
): Promise<z.infer<Schema>> {
  return schema.parse(JSON.parse((await ran).stdout)) as z.infer<Schema>;
}

/** The row of a difference with the sizes, the earlier one of which is `size`. */
function totalRow(size: ContextSize): RegExp {
  return new RegExp(`^ *total +${formatSize(size)} +→ `, 'm');
}

/** The size above the parts of a context, as `ctx show` prints it. */
function sizeRow(size: ContextSize): RegExp {
  return new RegExp(`^ {2}${formatSize(size)} tokens: `, 'm');
}

const appended = new Set<string>();
const past = new Set<string>();

/** Sessions that can be replayed as they are. */
const sessions: readonly (readonly [name: string, file: string])[] = [];
const some = tried([...fixtures, ...triedRecordings], 7);
const isNeeded = (file: string): boolean => /fixtures.(?:weather|working|tool-change)\.jsonl$/.test(file);
for (const file of new Set([...fixtures.filter(isNeeded), ...some])) {
  const { exitCode } = await runOn(file)('show', FILE);
  if (exitCode === 0) (sessions as (readonly [string, string])[]).push([path.basename(file), file]);
}

/** The size in the tables of `ctx query` and `ctx export`. */
async function tableSize(file: string): Promise<unknown> {
  const session = await openSession(readFileSync(file));
  const wanted = listAllColumns(['sessions']);
  const [group] = rowsOfSession(session, wanted);
  return group?.columns.get('context_tokens_estimated')?.[0];
}

/** The size in a row of `ctx log`. */
function rowOf({ tokens, estimated }: ContextSize): Partial<JsonOf<'log-entry'>> {
  return { contextTokens: tokens, contextTokensSource: estimated === 0 && tokens > 0 ? 'recorded' : 'estimated' };
}

/** What a command that appends states where it finds something to do. */
const APPENDING = [
  ['compact', FILE, '--keep-recent', '1', '--yes'],
  ['prune', FILE, '--strategy', 'turns', '--yes'],
] as const;

describe('the size of a context', () => {
  it.each(sessions)('is the same for every command: %s', async (_name, file) => {
    const run = runOn(file);
    const { size } = (await jsonOf(run('show', FILE, '--json'), schemas.envelope)).meta;
    const status = await jsonOf(run('status', FILE, '--limit', '200k', '--json'), schemas.status);
    const stats = await jsonOf(run('stats', FILE, '--json'), schemas.stats);
    const listed = await jsonOf(run('ls', '/sessions', '--json'), schemas.session);
    const { data } = await reported(readFileSync(file, 'utf8'));
    const { notItemised: _, declaredFactor: __, tokens, ...parts } = size;
    expect(status.tokens).toEqual({ total: tokens, ...parts });
    expect(stats.sessions[0]).toMatchObject({ contextTokens: tokens });
    expect(listed).toMatchObject({ contextTokens: tokens });
    expect(data.size).toEqual(size);
    expect(await tableSize(file)).toBe(tokens);
    const last = (await run('log', FILE, '--json')).stdout.trimEnd().split('\n').at(-1) ?? '';
    if (last !== '') expect(JSON.parse(last)).toMatchObject(rowOf(size));
    expect(new Store(data).sizes.total(data.requests.onPath - 1)).toBe(tokens);
  });

  it.each(sessions)('is the same before and after an append: %s', async (_name, file) => {
    const run = runOn(file);
    const { size } = (await jsonOf(run('show', FILE, '--json'), schemas.envelope)).meta;
    for (const argv of APPENDING) {
      const planned = await run(...argv, '--dry-run', '--json');
      const done = await run(...argv, '--json');
      if (planned.exitCode !== 0 || !done.stdout.includes('"ctx/written"')) continue;
      const plan = schemas.plan.parse(JSON.parse(planned.stdout));
      const written = schemas.written.parse(JSON.parse(done.stdout));
      expect([plan.size?.before, written.size.before]).toEqual([size, size]);
      const shown = await ctx(['show', FILE, '--json'], { files: { [FILE]: done.files[FILE] ?? '' } });
      expect(written.size.after).toEqual(schemas.envelope.parse(JSON.parse(shown.stdout)).meta.size);
      const { stdout: dry } = await run(...argv, '--dry-run');
      expect(dry).toMatch(totalRow(size));
      const { stdout: after } = await ctx(['show', FILE], { files: { [FILE]: done.files[FILE] ?? '' } });
      expect(after).toMatch(sizeRow(written.size.after));
      appended.add(argv[0]);
    }
  });

  it('is compared for every command that appends', () => {
    expect(appended).toEqual(new Set(APPENDING.map(([command]) => command)));
  });

  it.each(sessions)('is the same on every screen: %s', async (_name, file) => {
    const run = runOn(file);
    const { size } = (await jsonOf(run('show', FILE, '--json'), schemas.envelope)).meta;
    const shown = (await run('show', FILE, '--limit', '200k')).stdout;
    expect(shown).toContain(`  ${formatShortSize(size)} of 200k tokens (`);
    expect(shown).toMatch(sizeRow(size));
    const { stdout: status } = await run('status', FILE, '--limit', '200k');
    expect(status).toMatch(new RegExp(`^Context +${formatSize(size)} of 200,000 tokens`, 'm'));
    expect((await run('stats', FILE)).stdout).toContain(`\ncontext now: ${formatSize(size)} token`);
    expect((await run('ls', '/sessions')).stdout).toContain(formatShortSize(size));
    const log = (await run('log', FILE)).stdout;
    if (!log.startsWith('no entries')) expect(log.trimEnd().split('\n').at(-1)).toContain(` ${formatSize(size)} `);
    const session = await sessionIn(readFileSync(file, 'utf8'));
    if (session.tree.leaf) expect(textOf(withEnvelope(stateOf(session, 160)))).toContain(` ${formatShortSize(size)} `);
  });

  it.each(sessions)(
    'is the same for a past request, its screen, its row and its place in a report: %s',
    async (_name, file) => {
      const run = runOn(file);
      const { data } = await reported(readFileSync(file, 'utf8'));
      const store = new Store(data);
      const rows = (await run('log', FILE, '--json')).stdout.trimEnd().split('\n');
      for (let number = 0; number < data.requests.onPath - 1; number += 1) {
        const shown = await jsonOf(run('show', FILE, `@{request:${number + 1}}`, '--json'), schemas.envelope);
        const { size, tokens } = shown.meta;
        if (store.sizes.isEstimated(number)) expect(store.tokensText(number)).toBe(formatSize(size));
        if (size.estimated !== 0) continue;
        const { notItemised } = splitSize(size, tokens);
        expect([store.sizes.total(number), store.sizes.byKind(number).at(-1)]).toEqual([size.tokens, notItemised ?? 0]);
        expect(store.sizes.byKind(number)).toEqual([
          ...sumByKind(shown.meta.composition.contents),
          shown.meta.composition.notItemised ?? 0,
        ]);
        const row = rows.find((each) => each.includes(`"entryId":"${shown.at.entryId}"`));
        expect(JSON.parse(row ?? '')).toMatchObject(rowOf(size));
        past.add(_name);
      }
    },
  );

  it('is compared for past requests', () => {
    expect(past.size).toBeGreaterThan(0);
  });
});
