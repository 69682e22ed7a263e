import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenSession, openSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { shortenMiddle } from '#session/agents/cline/shorten.js';
import { stripUserTags } from '#session/agents/cline/user-input.js';
import { bytesAccountedFor } from '#session/scan/scan.js';
import { opened } from '../../support/entries.js';
import { projectFolder } from '../../support/files.js';
import { expectLinearTime } from '../../support/growth.js';

const FIXTURES = path.join(projectFolder, 'fixtures/agents/cline');
const ID = '1784094124598_abcde';
const TASK = '1735689600000';

let folder: string;
const inFolder = (name: string): string => path.join(folder, name);
const session = (kind = 'messages.json'): string => inFolder(`${ID}/${ID}.${kind}`);
const task = (name = 'api_conversation_history.json'): string => inFolder(`tasks/${TASK}/${name}`);

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'ctx-test-'));
  cpSync(FIXTURES, folder, { recursive: true });
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Json = Record<string, unknown>;

function edit(file: string, change: (value: Json) => unknown): void {
  writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, 'utf8')) as Json)));
}

/** Role and texts of each message of the context of an answer; of the whole path without one. */
function textsOf(one: OpenSession, answer?: number): readonly string[] {
  const answers = [...one.tree.heads].filter(({ role }) => role === 'assistant');
  const head = answer === undefined ? one.tree.leaf : (answers[answer] ?? null);
  return buildEnvelope(one, head).messages.cached.map(({ role, content }) => {
    const blocks = content as { text?: string; thinking?: string; name?: string }[];
    return `${role}: ${blocks.map((block) => block.text ?? block.thinking ?? block.name).join(' | ')}`;
  });
}

function usagesOf(one: OpenSession): readonly unknown[] {
  return [...one.tree.heads].filter(({ usageLength }) => usageLength > 0).map((head) => one.usage(head));
}

const codesOf = (one: OpenSession): readonly string[] => one.problems.map(({ code }) => code);

const FILE = '<file_content path="/home/ada/app/map.txt">\nharbour: north\n</file_content>';

describe('a session of Cline 4', () => {
  it('has the messages before its compaction, and what follows the summary after it', async () => {
    const one = await openSession(session());
    expect(textsOf(one, 1)).toEqual([
      `user: Where is the harbour? | ${FILE}`,
      'assistant: It is on the map. | I will look. | run_commands',
      'toolResult: [{"query":"cat map.txt","result":"harbour: north","success":true}]',
      'assistant: In the north.',
    ]);
    expect(textsOf(one)).toEqual([
      'user: Context summary:\n\nThe harbour is in the north.',
      'user: And at night?',
      'assistant: There too.',
    ]);
    one.close();
  });

  it('has its directory, its title, its prompt, and the usage of each answer once', async () => {
    const one = await openSession(session());
    expect(one.header).toMatchObject({ id: ID, cwd: '/home/ada/app' });
    expect(one.header.fields['timestamp']).toBe('2026-07-15T05:42:04.598Z');
    const { system } = buildEnvelope(one, one.tree.leaf);
    expect(system.parts.map(({ text }) => text)).toEqual(['You are a terminal assistant.']);
    expect(usagesOf(one)).toEqual([
      { input: 300, output: 20, cacheRead: 600, cacheWrite: 100, totalTokens: 1020, cost: { total: 0.004 } },
      { input: 100, output: 8, cacheRead: 1000, cacheWrite: 0, totalTokens: 1108, cost: { total: 0.001 } },
      { input: 300, output: 6, cacheRead: 0, cacheWrite: 0, totalTokens: 306, cost: { total: 0.001 } },
    ]);
    expect(one.agent?.parts).toEqual({
      system: 'approximate',
      tools: 'missing',
      messages: 'recorded',
      compactions: 'approximate',
      usage: 'recorded',
    });
    expect(bytesAccountedFor(one.scan)).toBe(one.scan.size);
    one.close();
  });

  it('is read by its content alone, without what is beside it', async () => {
    const one = await opened(readFileSync(session(), 'utf8'));
    expect(textsOf(one)).toHaveLength(6);
    expect(one.header).toMatchObject({ id: ID, cwd: null });
    expect(one.agent?.parts.compactions).toBe('recorded');
  });

  it('names the session that started it, and the one that it was forked from', async () => {
    edit(session(), (value) => ({
      ...value,
      agent: 'subagent',
      origin: { source: 'cli', sessionId: ID, parentThreadId: 'p1', subagent: 'explorer' },
    }));
    const child = await openSession(session());
    expect(child.header.fields['parentSession']).toBe('p1');
    expect(child.agent).toMatchObject({ isSubagent: true, subagentKind: 'explorer' });
    child.close();
  });

  it('does not apply a compaction of more messages than there are, and says so', async () => {
    edit(session('compaction.json'), (value) => ({ ...value, source_message_count: 20 }));
    const one = await openSession(session());
    expect(codesOf(one)).toEqual(['unused-compaction']);
    expect(textsOf(one)).toHaveLength(6);
    one.close();
  });

  it('does without files beside it that are damaged', async () => {
    writeFileSync(session('compaction.json'), '{"version":1,"messages":[');
    writeFileSync(session('json'), 'none');
    const one = await openSession(session());
    expect(textsOf(one)).toHaveLength(6);
    one.close();
  });

  it.each([
    ['another version of the format', (value: Json) => ({ ...value, version: 2 })],
    ['a newer program', (value: Json) => ({ ...value, origin: { version: '5.0.0' } })],
  ])('is approximate in %s', async (_what, change) => {
    edit(session(), change);
    const one = await openSession(session());
    expect(one.agent?.parts.messages).toBe('approximate');
    one.close();
  });

  it('is damaged where it is torn, and no session of Pi', async () => {
    writeFileSync(session(), readFileSync(session(), 'utf8').slice(0, 900));
    const one = await openSession(session());
    expect([one.agent?.name, one.tree.heads.length, one.scan.damaged.length]).toEqual(['cline', 0, 1]);
    one.close();
  });
});

describe('a task of an older Cline', () => {
  it('has the messages of each request: those that were left out are gone, with the results of their calls', async () => {
    const one = await openSession(task());
    expect(textsOf(one, 1).slice(2)).toEqual([
      'toolResult: harbour: north',
      'user: <environment_details>\n</environment_details>',
      'assistant: read_file',
    ]);
    expect(textsOf(one)).toEqual([
      expect.stringMatching(/^user: <task>\nWhere is the harbour\?\n<\/task> \| <environment_details>/),
      'assistant: [NOTE] Some previous messages were removed. | read_file',
      'user: <environment_details>\n</environment_details>',
      'assistant: In the north, and dark.',
    ]);
    one.close();
  });

  it('has the usage, the model and the time of each request, its directory and its version', async () => {
    const one = await openSession(task());
    expect(usagesOf(one)).toEqual([
      { input: 300, output: 20, cacheRead: 0, cacheWrite: 700, totalTokens: 1020, cost: { total: 0.005 } },
      { input: 200, output: 10, cacheRead: 1000, cacheWrite: 100, totalTokens: 1310, cost: { total: 0.002 } },
      { input: 150, output: 12, cacheRead: 600, cacheWrite: 0, totalTokens: 762, cost: { total: 0.001 } },
    ]);
    expect(one.header).toMatchObject({ id: TASK, cwd: '/home/ada/app' });
    expect(one.agent?.version).toBe('3.50.0');
    const answers = [...one.tree.heads].filter(({ role }) => role === 'assistant');
    expect(answers.map(({ time }) => time)).toEqual([10, 2000, 4000].map((ms) => Number(TASK) + ms));
    expect(one.entry(answers[0]!)['message']).toMatchObject({ provider: 'anthropic', model: 'claude-sonnet-4-5' });
    expect(codesOf(one)).toEqual([]);
    one.close();
  });

  it('is approximate without the file of the screen, and without tokens', async () => {
    rmSync(task('ui_messages.json'));
    const one = await openSession(task());
    expect(codesOf(one)).toEqual(['no-requests']);
    expect(one.agent?.parts).toMatchObject({ messages: 'approximate', usage: 'missing' });
    expect(usagesOf(one)).toEqual([]);
    one.close();
  });

  it('has the tokens of its answers without that file, where no cache is in them', async () => {
    rmSync(task('ui_messages.json'));
    const metrics = [
      { prompt: 900, completion: 20, cached: 0 },
      { prompt: 10, completion: 30, cached: 900 },
      undefined,
    ];
    edit(task(), (messages) =>
      (messages as unknown as Json[]).map((message, at) =>
        message['role'] === 'assistant' ? { ...message, metrics: { tokens: metrics[(at - 1) / 2] } } : message,
      ),
    );
    const one = await openSession(task());
    expect(usagesOf(one)).toMatchObject([{ input: 900, output: 20, cacheRead: 0, cacheWrite: 0, totalTokens: 920 }]);
    one.close();
  });

  it('has the tokens of the screen once, where its answers have them too', async () => {
    const before = await openSession(task());
    const usages = usagesOf(before);
    before.close();
    edit(task(), (messages) =>
      (messages as unknown as Json[]).map((message) => ({
        ...message,
        metrics: { tokens: { prompt: 5, completion: 5 } },
      })),
    );
    const one = await openSession(task());
    expect(usagesOf(one)).toEqual(usages);
    one.close();
  });

  it('is not read for a task of Roo Code, which leaves out messages by other rules', async () => {
    const other = inFolder('globalStorage/rooveterinaryinc.roo-cline/tasks/1');
    cpSync(inFolder(`tasks/${TASK}`), other, { recursive: true });
    await expect(openSession(path.join(other, 'api_conversation_history.json'))).rejects.toThrow(/Roo Code/);
  });
});

it.each([null, 1, 'text', [], {}, [null, 1, 'x', []]])('any value instead of any field is read: %j', async (value) => {
  const replace = (file: string) =>
    edit(file, (all) => {
      const change = (one: unknown, depth: number): unknown => {
        if (Array.isArray(one)) return one.map((item) => change(item, depth));
        if (typeof one !== 'object' || one === null) return one;
        return Object.fromEntries(
          Object.entries(one).map(([key, inner]) => {
            if (KEPT.has(key)) return [key, inner];
            return [key, depth === 0 ? value : change(inner, depth - 1)];
          }),
        );
      };
      return change(all, 1);
    });
  for (const file of [session(), session('json'), session('compaction.json'), task('ui_messages.json')]) replace(file);
  replace(task());
  for (const file of [session(), task()]) {
    const one = await openSession(file);
    for (const head of one.tree.heads) one.entry(head);
    expect(bytesAccountedFor(one.scan)).toBe(one.scan.size);
    one.close();
  }
});

/** Without them, the files are of no agent. */
const KEPT: ReadonlySet<string> = new Set(['messages', 'updated_at', 'sessionId', 'agent']);

it('a file beside a session that is a link is not read, since it may lead anywhere', async () => {
  const place = session('compaction.json');
  renameSync(place, inFolder('other.json'));
  symlinkSync(inFolder('other.json'), place);
  const one = await openSession(session());
  expect(textsOf(one)[0]).toBe(`user: Where is the harbour? | ${FILE}`);
  one.close();
});

it('values that are nested deeply beside a session do not keep it from being read', async () => {
  const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
  writeFileSync(
    session('compaction.json'),
    `{"source_message_count":1,"messages":[{"role":"user","content":${deep}}]}`,
  );
  const one = await openSession(session());
  expect(textsOf(one)[0]).toBe(`user: Where is the harbour? | ${FILE}`);
  one.close();
});

it('a task with many results in a message, many changed texts and many models is read in linear time', async () => {
  await expectLinearTime((count) => {
    const large = inFolder(`large/${count}/tasks/${TASK}`);
    const write = (name: string, value: unknown): void => writeFileSync(path.join(large, name), JSON.stringify(value));
    cpSync(path.join(FIXTURES, 'tasks', TASK), large, { recursive: true });
    const listOf = <Item>(make: (at: number) => Item): Item[] => Array.from({ length: count }, (_, at) => make(at));
    const content = listOf((at) => ({ type: 'tool_result', tool_use_id: `t${at}`, content: 'x' }));
    const messages = listOf((at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: 'x', ts: at }));
    write('api_conversation_history.json', [{ role: 'user', content }, ...messages]);
    const requests = listOf((at) => ({ ts: at, type: 'say', say: 'api_req_started', text: '{}' }));
    write('ui_messages.json', requests);
    write('context_history.json', [[2, [0, [[0, listOf((at) => [at, 'text', ['y'], []])]]]]]);
    const used = listOf((at) => ({ ts: count + at, model_id: 'm', model_provider_id: 'p' }));
    write('task_metadata.json', { model_usage: used });
    return async () => {
      const one = await openSession(path.join(large, 'api_conversation_history.json'));
      for (const head of [...one.tree.heads].slice(0, count)) one.entry(head);
      one.close();
    };
  }, 500);
});

it('a long text in a result is shortened to 8000 characters, as Cline sends it', () => {
  const lines = Array.from({ length: 4000 }, (_, at) => `${at + 1}\n`).join('');
  const [short] = shortenMiddle([{ query: 'seq', result: lines }]) as [{ query: string; result: string }];
  expect(short.query).toBe('seq');
  expect(short.result).toMatch(/^1\n2\n3\n[^]*\n\n\.\.\.\[truncated 10927 chars\]\.\.\.\n\n[^]*\n3999\n4000\n$/);
  expect(short.result.length).toBeLessThanOrEqual(8000);
  expect(shortenMiddle('x'.repeat(8000))).toBe('x'.repeat(8000));
});

it.each([
  ['<user_input mode="act">Go on.</user_input>', 'Go on.'],
  ['<mode_notice>x</mode_notice><user_input mode="plan">Go on.</user_input>', '<mode_notice>x</mode_notice>Go on.'],
  ['<user_input mode="act">Torn', 'Torn'],
  ['<user_inputs>kept</user_inputs>', '<user_inputs>kept</user_inputs>'],
  ['<user_input '.repeat(20_000), expect.any(String)],
])('the words of the user are sent without their tags: %#', (kept, sent) => {
  expect(stripUserTags(kept)).toEqual(sent);
});
