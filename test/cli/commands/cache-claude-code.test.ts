import { describe, expect, it } from 'vitest';
import type { CacheBreak, CacheRequest, CacheSummary } from '#analysis/cache/document.js';
import { ClaudeCodeLog, textBlock } from '../../support/claude-code.js';
import { ctx } from '../../support/memory-io.js';

type Json = Readonly<Record<string, unknown>>;

const FILE = '/home/ada/.claude/projects/-work-app/c0ffee00.jsonl';
/** The tokens of tools and prompt. */
const FLOOR = 17_300;

/** A session whose requests read all of the one before, unless they are told otherwise. */
class Talk {
  readonly log = new ClaudeCodeLog();
  private prompt = 0;
  private answers = 0;

  /** The version of the client that wrote all records without one of their own. */
  constructor(private readonly version = '2.1.144') {}

  get text(): string {
    return this.log.text.replaceAll('"version":"2.1.144"', `"version":"${this.version}"`);
  }

  /** An answer to a request that read this number of tokens; by default all of the previous prompt. */
  answer(read: number | null = null, more: Json = {}): this {
    const before = this.prompt;
    this.prompt = before === 0 ? 24_000 : before + 2000;
    const cacheRead = read ?? (before === 0 ? FLOOR : before - 3);
    const written = this.prompt - cacheRead - 3;
    this.answers += 1;
    this.log.answer(`msg_${this.answers}`, textBlock(`Answer ${this.answers}.`), this.log.leaf, {
      usage: {
        input_tokens: 3,
        cache_read_input_tokens: cacheRead,
        cache_creation_input_tokens: written,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: written },
        output_tokens: 5,
      },
      ...more,
    });
    return this;
  }

  user(content: unknown, fields: Json = {}): this {
    this.log.user(content, fields);
    return this;
  }

  /** A record that is not of the conversation. */
  other(type: string, fields: Json): this {
    this.log.record(type, fields);
    return this;
  }

  /** Two requests that hit. */
  begin(): this {
    return this.user('Look at the parser').answer().user('Go on').answer();
  }
}

interface Read {
  readonly breaks: readonly (CacheBreak | null)[];
  readonly summary: CacheSummary;
  readonly text: string;
}

async function cacheOf(talk: Talk): Promise<Read> {
  const files = { [FILE]: talk.text };
  const { stdout } = await ctx(['cache', FILE, '--each', '--json'], { files });
  const lines = stdout.trimEnd().split('\n');
  const summary = JSON.parse(lines.pop() ?? '') as CacheSummary;
  const text = (await ctx(['cache', FILE], { files, columns: 200 })).stdout;
  return { breaks: lines.map((line) => (JSON.parse(line) as CacheRequest).break), summary, text };
}

async function lastBreak(talk: Talk): Promise<CacheBreak | null> {
  return (await cacheOf(talk)).breaks.at(-1) ?? null;
}

const TASK =
  '<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n<summary>Background command "npm test" completed</summary>\n</task-notification>';
const RECONNECTED = '<local-command-stdout>Reconnected to weather.</local-command-stdout>';
const MCP = '<command-name>/mcp</command-name>\n<command-message>mcp</command-message>';

describe('the cause of a break in a session of Claude Code', () => {
  it('is the floor where tools and prompt were read as by other requests, and nothing tells why', async () => {
    const { breaks, text } = await cacheOf(
      new Talk()
        .begin()
        .user('And now?')
        .answer(FLOOR + 40),
    );
    expect(breaks.at(-1)).toMatchObject({ class: 'floor', isFloor: true, evidence: 'none', also: [] });
    expect(text).toMatch(/floor .* only tools and prompt were read \(17,340 tokens, as by other requests\)/);
    expect(text).toMatch(/between: \w{8} user/);
  });

  it('is unexplained where no other request read so little, and where more was read than tools and prompt', async () => {
    expect(await lastBreak(new Talk().begin().user('And now?').answer(9000))).toMatchObject({
      class: 'unexplained',
      isFloor: false,
    });
    expect(await lastBreak(new Talk().begin().user('And now?').answer(0))).toMatchObject({ class: 'unexplained' });
    // Twice as much was read, but in the middle of the conversation.
    const long = new Talk().begin();
    for (let turn = 0; turn < 20; turn += 1) long.user(`Go on ${turn}`).answer();
    const middle = long.user('x').answer(45_000).user('y').answer().user('z').answer(45_000);
    expect((await cacheOf(middle)).breaks.map((each) => each?.class).filter(Boolean)).toEqual([
      'unexplained',
      'unexplained',
    ]);
  });

  it('is the task notification that began the turn, and no break where all was read', async () => {
    const { breaks, text } = await cacheOf(new Talk().begin().user(TASK).answer(FLOOR));
    expect(breaks.at(-1)).toMatchObject({
      class: 'task notification',
      evidence: 'likely',
      isFloor: true,
      detail: 'Background command "npm test" completed',
    });
    expect(breaks.at(-1)?.between).toEqual([
      { entryId: breaks.at(-1)?.entryId, line: breaks.at(-1)?.line, type: 'user' },
    ]);
    expect(text).toContain('a task notification began the turn (Background command "npm test" completed); only tools');
    expect(await lastBreak(new Talk().begin().user(TASK).answer())).toBeNull();
    const queued = new Talk().begin();
    queued.other('attachment', {
      attachment: { type: 'queued_command', prompt: TASK, commandMode: 'task-notification' },
    });
    expect(await lastBreak(queued.answer(FLOOR))).toMatchObject({ class: 'task notification' });
    // The user's own words about it are none.
    expect(await lastBreak(new Talk().begin().user('What is <task-notification>?').answer(FLOOR))).toMatchObject({
      class: 'floor',
    });
  });

  it('is a tool server that was connected again', async () => {
    const after = (...texts: readonly string[]): Talk =>
      texts
        .reduce((talk, text) => talk.user(text), new Talk().begin())
        .user('And now?')
        .answer(FLOOR);
    const { breaks, text } = await cacheOf(after(MCP, RECONNECTED));
    expect(breaks.at(-1)).toMatchObject({ class: 'tool server', detail: 'Reconnected to weather', evidence: 'likely' });
    expect(text).toContain(': Reconnected to weather; only tools and prompt were read');
    const dismissed = RECONNECTED.replace('Reconnected to weather.', 'MCP dialog dismissed');
    expect(await lastBreak(after(MCP, dismissed))).toMatchObject({ class: 'floor' });
    expect(await lastBreak(after(RECONNECTED))).toMatchObject({ class: 'floor' });
    const asSystem = new Talk().begin();
    for (const content of [MCP, RECONNECTED]) asSystem.other('system', { subtype: 'local_command', content });
    expect(await lastBreak(asSystem.user('And now?').answer(FLOOR))).toMatchObject({ class: 'tool server' });
    expect(await lastBreak(new Talk().begin().user(MCP).user(RECONNECTED).user('And now?').answer())).toBeNull();
  });

  it.each<readonly [sign: string, detail: string, resume: (talk: Talk) => Talk]>([
    [
      'a hook of its start',
      'hook SessionStart:resume',
      (talk) =>
        talk.other('attachment', {
          attachment: { type: 'hook_success', hookEvent: 'SessionStart', hookName: 'SessionStart:resume' },
        }),
    ],
    [
      'a hook of its start, in an old version',
      'hook SessionStart:resume',
      (talk) =>
        talk.other('progress', {
          data: { type: 'hook_progress', hookEvent: 'SessionStart', hookName: 'SessionStart:resume' },
        }),
    ],
    ['another version', 'version 2.1.144, then 2.1.150', (talk) => talk.user('Again', { version: '2.1.150' })],
    ['a run of its own for each prompt', 'a run of claude -p', (talk) => talk.user('Again', { entrypoint: 'sdk-cli' })],
    ['the command that ends it', '/exit', (talk) => talk.user('<command-name>/exit</command-name>')],
    [
      'the totals that the client writes at its end',
      'the client had ended',
      (talk) => {
        talk.log.other({ type: 'cost-state', totalCostUSD: 0.1 });
        return talk;
      },
    ],
    [
      'the prompt that the client writes at its end',
      'the client had ended',
      (talk) => {
        talk.log.other({ type: 'last-prompt', lastPrompt: 'Go on', leafUuid: talk.log.leaf });
        return talk;
      },
    ],
    [
      'the answer that the client writes when it resumes',
      'No response requested',
      (talk) => {
        talk
          .user('Hm')
          .log.answer('synthetic', textBlock('No response requested.'), talk.log.leaf, { model: '<synthetic>' });
        return talk;
      },
    ],
  ])('is a resume, by %s', async (_sign, detail, resume) => {
    const { breaks, text } = await cacheOf(resume(new Talk().begin()).user('And now?').answer(FLOOR));
    expect(breaks.at(-1)).toMatchObject({ class: 'resume', detail, evidence: 'likely' });
    expect(text).toContain(`the session was resumed (${detail})`);
    expect(await lastBreak(resume(new Talk().begin()).user('And now?').answer())).toBeNull();
  });

  it('is no resume by a start before the previous answer, by hooks of a compaction, or by what newer versions write', async () => {
    const hook = (talk: Talk, name: string): Talk =>
      talk.other('attachment', { attachment: { type: 'hook_success', hookEvent: 'SessionStart', hookName: name } });
    const before = hook(new Talk(), 'SessionStart:startup').begin().user('And now?').answer(FLOOR);
    expect(await lastBreak(before)).toMatchObject({ class: 'floor' });
    const compact = hook(new Talk().begin(), 'SessionStart:compact').user('And now?').answer(FLOOR);
    expect(await lastBreak(compact)).toMatchObject({ class: 'floor' });
    const newer = new Talk('2.1.332').user('Look').answer().user('Go on').answer();
    newer.other('system', { subtype: 'turn_duration' });
    newer.log.other({ type: 'last-prompt', lastPrompt: 'Go on', leafUuid: newer.log.leaf });
    expect(await lastBreak(newer.user('And now?').answer(FLOOR))).toMatchObject({ class: 'floor' });
  });

  it('is the context of a hook that is not sent again, in versions that leave it out', async () => {
    const hooked = (version: string, prompt: string | null): Talk => {
      const talk = new Talk(version).user('Format it').answer();
      const { log } = talk;
      const call = log.leaf;
      const attachment = {
        type: 'hook_additional_context',
        content: ['House rule 7.'],
        hookEvent: 'PreToolUse',
        hookName: 'PreToolUse:Bash',
      };
      log.record('attachment', { attachment }, call);
      log.leaf = call;
      talk.user('Done?').answer();
      if (prompt !== null) talk.user(prompt);
      return talk.answer(FLOOR);
    };
    const { breaks, text } = await cacheOf(hooked('2.1.223', 'And the tests?'));
    expect(breaks.at(-1)).toMatchObject({ class: 'hook context', line: 3, detail: 'PreToolUse:Bash' });
    expect(text).toContain('a resume leaves out what PreToolUse:Bash added');
    expect(await lastBreak(hooked('2.1.290', 'And the tests?'))).toMatchObject({ class: 'floor' });
    // Nothing resumes within a turn.
    expect(await lastBreak(hooked('2.1.223', null))).toMatchObject({ class: 'floor' });
  });

  it('is what the provider reports, where the session shows nothing', async () => {
    const reporting = (type: string): Json => ({
      diagnostics: { cache_miss_reason: { type, cache_missed_input_tokens: 8700 } },
    });
    const reported = async (type: string): Promise<CacheBreak | null> =>
      lastBreak(new Talk().begin().user('And now?').answer(FLOOR, reporting(type)));
    expect(await reported('tools_changed')).toMatchObject({ class: 'tools', evidence: 'reported', entryId: null });
    expect(await reported('system_changed')).toMatchObject({ class: 'system', evidence: 'reported' });
    expect(await reported('messages_changed')).toMatchObject({ class: 'messages', evidence: 'reported' });
    expect(await reported('unavailable')).toMatchObject({ class: 'floor', evidence: 'none' });
    const server = new Talk().begin().user(MCP).user(RECONNECTED).user('And now?');
    expect(await lastBreak(server.answer(FLOOR, reporting('tools_changed')))).toMatchObject({
      class: 'tool server',
      also: [],
    });
    const task = await cacheOf(new Talk().begin().user(TASK).answer(FLOOR, reporting('system_changed')));
    expect(task.breaks.at(-1)).toMatchObject({ class: 'system', also: ['task notification'] });
    expect(task.summary.providerReasons).toEqual({
      reported: 1,
      compared: 1,
      agreed: 0,
      misses: [
        { request: 3, entryId: expect.any(String), type: 'system_changed', missedTokens: 8700, class: 'system' },
      ],
    });
    expect(task.text).toContain('reports 1 miss; the session shows the same cause for 0 of 1\n');
  });

  it('lists the misses that the provider reports beside no break', async () => {
    const diagnostics = (type: string): Json => ({
      diagnostics: { cache_miss_reason: { type, cache_missed_input_tokens: 2100 } },
    });
    const talk = new Talk().user('One').answer(null, diagnostics('system_changed')).user('Two');
    const { summary, text } = await cacheOf(talk.answer(null, diagnostics('tools_changed')));
    expect(summary.breaks).toBe(0);
    expect(summary.providerReasons?.misses.map((each) => [each.type, each.missedTokens, each.class])).toEqual([
      ['system_changed', 2100, null],
      ['tools_changed', 2100, null],
    ]);
    expect(text).toContain(
      [
        'provider   reports 2 misses; the session shows the same cause for 0 of 2',
        '           #1 system_changed (2,100 tokens): its numbers show no break',
        '           #2 tools_changed (2,100 tokens): its numbers show no break',
      ].join('\n'),
    );
  });

  it('is no change of the tools that the client records after it has sent them, but a later one is', async () => {
    const tool = (name: string): Json => ({ name, description: `Runs ${name}`, schema: { type: 'object' } });
    const snapshot = (...names: readonly string[]): Json => ({
      attachment: {
        type: 'prompt_snapshot',
        systemPrompt: ['Be brief.'],
        ...(names.length > 0 && { tools: names.map(tool) }),
      },
    });
    const talk = new Talk('2.1.290').user('Look').other('attachment', snapshot()).answer();
    talk.user('Go on').other('attachment', snapshot('Read', 'Write')).answer();
    expect((await cacheOf(talk)).breaks).toEqual([null, null]);
    const later = talk
      .user('And now?')
      .other('attachment', snapshot('Read', 'Write', 'Fetch'))
      .answer(0);
    expect(await lastBreak(later)).toMatchObject({
      class: 'transform',
      divergence: { section: 'tools', name: 'Fetch' },
    });
  });

  it('is the age of the cache before all of them, after the hour that it was written for', async () => {
    const late = new Talk().begin();
    const lines = late.user(TASK).answer(FLOOR).log.lines;
    for (const [at, line] of lines.entries()) if (at >= 4) lines[at] = line.replace('2026-09-01T00:', '2026-09-01T01:');
    expect(await lastBreak(late)).toMatchObject({ class: 'ttl', also: ['task notification'] });
  });
});
