import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findTable, listAllColumns, type QueriedColumns, type TableName, tables } from '#analysis/tables/index.js';
import { toLenient } from '#context/lenient.js';
import { openSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { parentOf } from '#session/tree/tree.js';
import { Log } from '../../fixtures/log.js';
import { opened } from '../../support/entries.js';
import { fixtures, projectFolder, triedRecordings, triedSamplesOf } from '../../support/files.js';
import { generateSession } from '../../support/generate.js';
import { ctx } from '../../support/memory-io.js';
import { type ListedGroup, rowsOfSession } from '../../support/rows.js';
import { runs, tried } from '../../support/runs.js';
import { exported, type Row } from '../../support/tables.js';

const ALL = tables.map(({ name }) => name);

async function groupsOf(text: string, wanted = listAllColumns(), most?: number): Promise<readonly ListedGroup[]> {
  return rowsOfSession(await opened(text), wanted, most);
}

function rowsIn(groups: readonly ListedGroup[], name: TableName): readonly Row[] {
  return groups
    .filter(({ table }) => table === name)
    .flatMap(({ columns, rows }) =>
      Array.from({ length: rows }, (_, at) =>
        Object.fromEntries([...columns].map(([column, values]) => [column, values[at]])),
      ),
    );
}

async function rowsOf(text: string, name: TableName): Promise<readonly Row[]> {
  return rowsIn(await groupsOf(text), name);
}

/** The groups of a table with some of their columns. */
function only(groups: readonly ListedGroup[], name: TableName, some: readonly string[]): readonly ListedGroup[] {
  return groups
    .filter(({ table }) => table === name)
    .map((group) => ({ ...group, columns: new Map([...group.columns].filter(([column]) => some.includes(column))) }));
}

const weather = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8');

/** An id as Pi writes it: the line scanner leaves a line with another one to JSON.parse. */
function idOf(at: number): string {
  return at.toString(16).padStart(8, '0');
}

/** A session with these messages; a text is one as it is stored. */
function withMessages(messages: readonly unknown[]): string {
  return messages
    .reduce<Log>((log, _, at) => log.entry(idOf(at), 'message', { message: `MESSAGE${at}` }), new Log('odd'))
    .text()
    .replaceAll(/"MESSAGE(\d+)"/g, (_, at: string) => {
      const message = messages[Number(at)];
      return typeof message === 'string' ? message : JSON.stringify(message);
    });
}

/** Values that files may have in place of a text. */
const oddValue = fc.oneof(
  fc.constantFrom('a', 'bash', '', 'é\\"\n\u2028', '\ud800', 'x'.repeat(100)),
  fc.constantFrom<unknown>(1, 1.5, -1, 1e300, null, true, false, [], {}, { id: 'a' }, undefined),
);
const oddBlock = fc.oneof(
  fc.record({ type: fc.constant('toolCall'), id: oddValue, name: oddValue, arguments: oddValue }),
  fc.record({ type: oddValue, text: oddValue, id: oddValue }),
  oddValue,
);
const oddMessage = fc.record({
  role: fc.constantFrom('assistant', 'assistant', 'toolResult', 'toolResult', 'user', 'other'),
  provider: oddValue,
  model: oddValue,
  content: fc.oneof(fc.array(oddBlock, { maxLength: 4 }), oddValue),
  toolCallId: oddValue,
  toolName: oddValue,
  isError: oddValue,
  stopReason: oddValue,
  errorMessage: oddValue,
  customType: oddValue,
});
/** In the order of Pi. */
const oddResult = fc.record({
  role: fc.constant('toolResult'),
  toolCallId: oddValue,
  content: fc.array(oddBlock, { maxLength: 2 }),
  isError: oddValue,
});

/** Answers and results in other forms than that of Pi: repeated keys, escaped ones, white space, no object. */
const ODD = withMessages([
  '{"role":"assistant","content":[{"type":"toolCall","id":"a","name":"x"}],"content":[{"type":"toolCall","id":"b","name":"y"}]}',
  '{"role":"toolResult","toolCallId":"b","\\u0074oolName":"y","isError":true,"content":[]}',
  '{ "role" : "assistant" , "content" : [ { "type" : "toolCall" , "id" : "c" , "name" : "z" , "name" : "w" } ] , "model" : "m" }',
  '{"role":"toolResult","toolCallId":"c","isError":false,"isError":true,"toolName":"\\u0077"}',
  '{"role":"assistant","content":[[{"type":"toolCall","id":"d"}],{"type":"toolCall","arguments":{"type":"text","id":"e"}}]}',
  '{"role":"toolResult","content":"text","toolCallId":{"a":1}}',
  '{"role":"assistant","content":[{"type":"toolCall","id":"f","name":"v"},{"type":"toolCall","id":"g","name":"u"}]}',
  '{"role":"toolResult","toolCallId":"f","content":[],"isError":true,"toolCallId":"g"}',
  '{"role":"toolResult","toolCallId":"f","content":[{"isError":true}]},"odd":{"isError":true}',
]);

describe('the rows of a session', () => {
  it('are the same in one group or in many', async () => {
    for (const seed of [1, 2, 3]) {
      const text = generateSession({ seed, entries: 40 });
      const [whole, split] = [await groupsOf(text), await groupsOf(text, listAllColumns(), 1)];
      for (const name of ['messages', 'entries', 'tool_calls', 'usage', 'envelopes'])
        expect(split.filter(({ table }) => table === name).length).toBeGreaterThan(3);
      for (const name of ALL) {
        expect(whole.filter(({ table }) => table === name).length).toBeLessThanOrEqual(1);
        expect(rowsIn(split, name)).toEqual(rowsIn(whole, name));
      }
    }
  });

  it('come before the session ends, unless a later entry may change them', async () => {
    const text = generateSession({ seed: 1, entries: 40 });
    const names = (await groupsOf(text, listAllColumns(), 1)).map(({ table }) => table);
    const before = new Set(names.slice(0, names.indexOf('sessions')));
    expect([...before].toSorted()).toEqual(['messages', 'usage']);
  });

  it('of one table are the same without the others', async () => {
    const text = generateSession({ seed: 4, entries: 40 });
    const all = await groupsOf(text);
    for (const name of ALL)
      expect(await groupsOf(text, listAllColumns([name]))).toEqual(all.filter(({ table }) => table === name));
  });

  it('of each column are the same without the other columns', async () => {
    for (const text of [generateSession({ seed: 6, entries: 40 }), weather, ODD]) {
      const all = await groupsOf(text);
      for (const name of ALL)
        for (const column of Object.keys(findTable(name).columns))
          expect(await groupsOf(text, new Map([[name, new Set([column])]]))).toEqual(only(all, name, [column]));
    }
  });

  it('of columns without texts are the same in recorded sessions, also of other agents', async () => {
    const agents = ['claude-code', 'codex'].flatMap((agent) => triedSamplesOf(agent));
    for (const file of tried([...fixtures, ...triedRecordings, ...agents], 5)) {
      const session = await openSession(readFileSync(file)).catch(() => null);
      if (!session) continue;
      const groups = (wanted: QueriedColumns): readonly ListedGroup[] => rowsOfSession(session, wanted);
      for (const name of ['tool_calls', 'entries', 'usage', 'sessions'] as const) {
        const columns = Object.entries(findTable(name).columns)
          .filter(([, { needs = 'outline' }]) => ['outline', 'result'].includes(needs))
          .map(([column]) => column);
        expect(groups(new Map([[name, new Set(columns)]]))).toEqual(
          only(groups(listAllColumns([name])), name, columns),
        );
      }
    }
  });

  it('of some columns are the same for thousands of ids', async () => {
    const log = new Log('many');
    for (let at = 0; at < 5000; at += 1)
      log.tool(`t${at}-${'é'.repeat(40)}`, `tool${at % 7}`, {}, 'done', at % 5 === 0);
    const columns = ['tool_call_id', 'tool_name', 'is_error', 'result_line'];
    const some = await groupsOf(log.text(), new Map([['tool_calls', new Set(columns)]]));
    expect(some).toEqual(only(await groupsOf(log.text(), listAllColumns(['tool_calls'])), 'tool_calls', columns));
  });

  it('of some columns are the same without the others, whatever the lines are', async () => {
    const wanted = fc.constantFrom(...ALL).chain((name) =>
      fc.record({
        name: fc.constant(name),
        columns: fc.subarray(Object.keys(findTable(name).columns), { minLength: 1 }),
      }),
    );
    const text = fc.array(fc.oneof(oddMessage, oddResult), { maxLength: 8 }).map((messages) => withMessages(messages));
    await fc.assert(
      fc.asyncProperty(text, fc.array(wanted, { minLength: 1, maxLength: 3 }), async (lines, parts) => {
        const of: QueriedColumns = new Map(parts.map(({ name, columns }) => [name, new Set(columns)]));
        const all = await groupsOf(lines);
        const expected = ALL.flatMap((name) => (of.has(name) ? only(all, name, [...(of.get(name) ?? [])]) : []));
        expect(await groupsOf(lines, of)).toEqual(expected);
      }),
      { numRuns: runs(300) },
    );
  });

  it('parse no entry for columns that need none of its texts', async () => {
    const session = await opened(weather);
    const parsed = (name: TableName, ...columns: readonly string[]): number => {
      let count = 0;
      const entry: typeof session.entry = (head) => {
        count += 1;
        return session.entry(head);
      };
      const wanted = new Map([[name, new Set(columns)]]);
      expect(rowsOfSession({ ...session, entry }, wanted)).toHaveLength(1);
      return count;
    };
    expect(parsed('tool_calls', 'tool_name', 'tool_call_id', 'model', 'is_error', 'result_time')).toBe(0);
    expect(parsed('entries', 'type', 'role', 'time', 'bytes')).toBe(0);
    expect(parsed('sessions', 'first_time', 'shared_entries')).toBe(0);
    expect(parsed('tool_calls', 'arguments')).toBeGreaterThan(10);
  });

  it('parse each entry once for all columns of all entries', async () => {
    for (const text of [weather, generateSession({ seed: 7, entries: 60 })]) {
      const session = await opened(text);
      const parsed: number[] = [];
      const entry: typeof session.entry = (head) => {
        parsed.push(head.index);
        return session.entry(head);
      };
      const wanted = listAllColumns(['entries', 'messages', 'tool_calls', 'usage', 'envelopes']);
      expect(rowsOfSession({ ...session, entry }, wanted)).toHaveLength(5);
      expect(parsed.length).toBeGreaterThan(30);
      // Only the last model and level, and the last request, are looked up again at the end.
      expect(parsed.length - new Set(parsed).size).toBeLessThanOrEqual(3);
    }
  });

  it('say where an entry stands on its path, and whether the model still sees it', async () => {
    const text = new Log('s')
      .user('u1', 'one')
      .assistant('a1', 'two')
      .user('u2', 'three')
      .compaction('k1', 'what was', 'u2')
      .assistant('a2', 'four')
      .text();
    const rows = await rowsOf(text, 'entries');
    expect(rows.map(({ entry_id, turn, request, in_context }) => [entry_id, turn, request, in_context])).toEqual([
      ['u1', 1, 0, false],
      ['a1', 1, 1, false],
      ['u2', 2, 1, true],
      ['k1', 2, 1, true],
      ['a2', 2, 2, true],
    ]);
    expect(
      (await rowsOf(text, 'envelopes')).map(({ request, turn, compactions }) => [request, turn, compactions]),
    ).toEqual([
      [1, 1, 0],
      [2, 2, 1],
    ]);
  });

  it.each(['codex/rollout.jsonl', 'gemini-cli/session.jsonl', 'opencode/export.json', 'claude-code/session.jsonl'])(
    'count the compactions of other agents: %s',
    async (name) => {
      const session = await openSession(path.join(projectFolder, 'fixtures/agents', name));
      const rows = rowsIn(rowsOfSession(session, listAllColumns()), 'envelopes');
      session.close();
      const found = rows.map(({ compactions }) => Number(compactions));
      expect([found[0], Math.max(...found)]).toEqual([0, 1]);
    },
  );

  it('count a transform and the compaction that repeats it once', async () => {
    const patch = [{ op: 'compaction_apply', summary: 'what was', firstKeptMessageIndex: 2, tokensBefore: 9 }];
    const log = new Log('s').user('u1', 'one').assistant('a1', 'two').user('u2', 'three');
    log.transform('t1', 'compaction', patch);
    const text = log.compaction('k1', 'what was', 'u2').assistant('a2', 'four').text();
    expect((await rowsOf(text, 'envelopes')).map(({ compactions }) => compactions)).toEqual([0, 1]);
  });

  it('hold the envelope of every request as it is shown there', async () => {
    for (const text of [weather, generateSession({ seed: 5, entries: 40 })]) {
      const session = await opened(text);
      const rows = await rowsOf(text, 'envelopes');
      expect(rows.length).toBeGreaterThan(5);
      for (const row of rows) {
        const answer = [...session.tree.heads].find(({ line }) => line === row['line'])!;
        const above = parentOf(session.tree, answer) ?? null;
        const { meta, system, tools: defined } = buildEnvelope(toLenient(session), above);
        expect(row).toMatchObject({
          request: meta.requestIndex + 1,
          turn: meta.turnIndex,
          thinking_level: meta.thinkingLevel,
          system_parts: system.parts.length,
          tools: defined.length,
          system_tokens_estimated: meta.tokens.system,
          tools_tokens_estimated: meta.tokens.tools,
          messages_tokens_estimated: meta.tokens.cached,
          total_tokens_estimated: meta.tokens.system + meta.tokens.tools + meta.tokens.cached,
          compactions: meta.compactions.length,
          transforms: meta.transforms.length,
          edits: meta.edits.length,
        });
      }
    }
  });

  it('join a call with the result that came back', async () => {
    const text = new Log('s')
      .user('u1', 'go')
      .tool('t1', 'bash', { command: 'ls' }, 'a.ts')
      .assistant('a1', 'done')
      .text();
    const [call, ...others] = await rowsOf(text, 'tool_calls');
    expect(others).toEqual([]);
    expect(call).toMatchObject({
      tool_name: 'bash',
      arguments: '{"command":"ls"}',
      line: 3,
      result_line: 4,
      is_error: false,
      result_tokens_estimated: 1,
    });
  });

  it('keep the representable part of unexpected values', async () => {
    const deep = '{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000);
    const usage = { input: 1.5, output: '7', cacheRead: -3, cost: { total: 'much' } };
    const answer = { role: 'assistant', content: [{ type: 'toolCall', id: 't', name: 'x', arguments: 'DEEP' }], usage };
    const text = new Log('s')
      .entry('a1', 'message', { message: answer })
      .entry('c1', 'custom', { customType: { not: 'a name' }, data: 'DEEP', timestamp: 'some day' })
      .text()
      .replaceAll('"DEEP"', deep);
    expect(await rowsOf(text, 'usage')).toMatchObject([
      { input_recorded: 2, output_recorded: 0, cache_read_recorded: 0, total_recorded: 2, cost_recorded: null },
    ]);
    expect(await rowsOf(text, 'tool_calls')).toMatchObject([{ arguments: '{}', result_line: null }]);
    expect(await rowsOf(text, 'entries')).toMatchObject([{ line: 2 }, { line: 3, custom_type: null, time: null }]);
  });

  it('of forks say which entries another session has too', async () => {
    const parent = new Log('parent').user('u1', 'one').assistant('a1', 'two');
    const forked = parent.text().replace('"id":"parent"', '"id":"fork","parentSession":"all/b_parent.jsonl"');
    const more = new Log('fork').user('u9', 'more').text().split('\n')[1]!;
    const files = { 'all/a_fork.jsonl': `${forked}${more}\n`, 'all/b_parent.jsonl': parent.text() };
    const { stdout } = await ctx(['query', 'SELECT file, line, shared FROM entries ORDER BY file, line', 'all'], {
      files,
    });
    expect(
      stdout
        .trim()
        .split(/\s*\n/)
        .slice(1)
        .map((line) => line.split(/\s+/)),
    ).toEqual([
      ['all/a_fork.jsonl', '2', 'true'],
      ['all/a_fork.jsonl', '3', 'true'],
      ['all/a_fork.jsonl', '4', 'false'],
      ['all/b_parent.jsonl', '2', 'false'],
      ['all/b_parent.jsonl', '3', 'false'],
    ]);
  });
});

describe('an export', () => {
  it('gives what can be read, and names the rest', async () => {
    const files = {
      'all/a.jsonl': new Log('a').user('u1', 'one').text(),
      'all/b.jsonl': 'nothing\n',
      'all/c.jsonl': `${new Log('c').user('u1', 'one').text()}{"type":`,
    };
    const { ran } = await exported(['all'], { files });
    expect(ran.stderr).toMatch(
      /damaged-session: all\/c.jsonl; see ctx check[^]*unreadable-session: all\/b.jsonl|unreadable-session: all\/b.jsonl[^]*damaged-session: all\/c.jsonl/,
    );
    expect(ran.stdout).toMatch(/sessions.parquet: [\d,]+ bytes, 2 rows/);
  });

  it('writes nothing where nothing can be read, or a table is there already', async () => {
    const argv = ['export', 'all', '--format', 'parquet', '-o', 'out'];
    const nothing = await ctx(argv, { files: { 'all/b.jsonl': 'nothing\n' } });
    expect([nothing.exitCode, Object.keys(nothing.files)]).toEqual([3, ['all/b.jsonl']]);
    const files = { 'all/a.jsonl': new Log('a').user('u1', 'one').text(), 'out/usage.parquet': 'mine' };
    const refused = await ctx(argv, { files });
    expect([refused.exitCode, refused.files]).toEqual([4, files]);
    expect((await ctx([...argv, '--force'], { files })).exitCode).toBe(0);
  });
});
