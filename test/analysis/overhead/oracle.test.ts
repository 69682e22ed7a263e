import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Overhead, OverheadItem } from '#analysis/overhead/document.js';
import { projectFolder } from '../../support/files.js';
import { ctx } from '../../support/memory-io.js';
import {
  AGENT_LINES,
  CLAUDE_ADDED,
  CLAUDE_PROMPT,
  CLAUDE_QUESTION,
  CLAUDE_TOOLS,
  CLAUDE_USAGES,
  claudeSession,
  SKILL_LINES,
} from '../../support/overhead-sessions.js';

// The numbers are computed from the lines of the file alone: characters in proportion to the prompt that the provider counted.

const CHARACTERS_PER_TOKEN = 4;

async function overheadOf(text: string): Promise<Overhead> {
  const { stdout, stderr } = await ctx(['overhead', 's.jsonl', '--json'], { files: { 's.jsonl': text } });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

function find({ items }: Overhead, kind: string, name: string): OverheadItem {
  const found = items.find((item) => item.kind === kind && item.name === name);
  if (!found) throw new Error(`no ${kind} ${name}`);
  return found;
}

/** Whether a number is another one up to the tokens that rounding moves. */
function expectNear(actual: number | null, expected: number, tolerance: number): void {
  expect(Math.abs((actual ?? NaN) - expected)).toBeLessThanOrEqual(tolerance);
}

interface RawEntry {
  readonly type: string;
  readonly id: string;
  readonly parentId: string | null;
  readonly message?: {
    readonly role: string;
    readonly sections?: Readonly<Record<string, string>>;
    readonly toolsAdded?: readonly { readonly name: string }[];
    readonly content: string | readonly { readonly type: string; readonly text?: string; readonly name?: string }[];
    readonly usage?: {
      readonly input: number;
      readonly cacheRead: number;
      readonly cacheWrite: number;
      readonly cost: { readonly input: number; readonly cacheRead: number; readonly cacheWrite: number };
    };
  };
}

const readFixture = (name: string): string => readFileSync(path.join(projectFolder, 'fixtures', name), 'utf8');

function readLines(text: string): readonly unknown[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line));
}

/** The entries from the root to the last one of the file. */
function readPath(text: string): readonly RawEntry[] {
  const entries = readLines(text).slice(1) as readonly RawEntry[];
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const found: RawEntry[] = [];
  for (let at = entries.at(-1); at; at = byId.get(at.parentId ?? '')) found.unshift(at);
  return found;
}

describe('the overhead of a session, against a count over the raw file', () => {
  it('of Pi: tools by their definitions, calls and the recorded dollars', async () => {
    const text = readFixture('weather.jsonl');
    const messages = readPath(text).flatMap(({ message }) => message ?? []);
    const [system, user] = messages;
    const tools = system?.toolsAdded ?? [];
    expect(tools.length).toBeGreaterThan(2);
    const charactersOf = (value: unknown): number => (typeof value === 'string' ? value : JSON.stringify(value)).length;
    const inPrompt = Object.values(system?.sections ?? {}).reduce((sum, section) => sum + section.length, 0);
    const [asked] = (user?.content ?? []) as readonly { readonly text: string }[];
    const question = charactersOf(asked?.text);
    const answers = messages.filter(({ role, usage }) => role === 'assistant' && usage);
    const promptOf = ({ usage }: (typeof answers)[number]): number =>
      (usage?.input ?? 0) + (usage?.cacheRead ?? 0) + (usage?.cacheWrite ?? 0);
    const first = answers[0] && promptOf(answers[0]);
    // Prompt and tools keep the price of the first request.
    const factor = (first ?? 0) / (inPrompt + charactersOf(tools) + question);
    const overhead = await overheadOf(text);
    expect(overhead).toMatchObject({ requests: answers.length, requestsRecorded: answers.length, sessions: 1 });
    expect(overhead.promptTokens).toBe(answers.reduce((sum, answer) => sum + promptOf(answer), 0));
    const preamble = factor * (inPrompt + charactersOf(tools));
    for (const tool of tools) {
      const found = find(overhead, 'tool', tool.name);
      const tokens = factor * charactersOf(tool);
      expect(found.requests).toBe(answers.length);
      expectNear(found.tokensPerRequest, tokens, 2);
      const calls = answers.flatMap(({ content }) =>
        typeof content === 'string'
          ? []
          : content.filter(({ type, name }) => type === 'toolCall' && name === tool.name),
      );
      expect(found.uses).toBe(calls.length);
      const read = answers.filter(({ usage }) => (usage?.cacheRead ?? 0) >= preamble);
      const cached = read.reduce(
        (sum, { usage }) => sum + ((usage?.cost.cacheRead ?? 0) * tokens) / (usage?.cacheRead ?? 1),
        0,
      );
      const uncached = answers
        .filter((answer) => !read.includes(answer))
        .reduce((sum, { usage }) => {
          const paid = (usage?.input ?? 0) + (usage?.cacheWrite ?? 0);
          return sum + (((usage?.cost.input ?? 0) + (usage?.cost.cacheWrite ?? 0)) * tokens) / paid;
        }, 0);
      expectNear((found.costCached ?? 0) / cached, 1, 0.05);
      expectNear((found.costUncached ?? 0) / uncached, 1, 0.05);
    }
  });

  it('of Claude Code: each skill, agent, server, tool, hook and memory file', async () => {
    const overhead = await overheadOf(claudeSession());
    const definitions = JSON.stringify(
      CLAUDE_TOOLS.map(({ schema, ...tool }) => ({ ...tool, parameters: schema })),
    ).length;
    const declared = CLAUDE_PROMPT.length + definitions;
    const added = CLAUDE_ADDED.reduce((sum, [, text]) => sum + text.length, 0);
    const prompts = CLAUDE_USAGES.map(
      (usage) => usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens,
    );
    const factor = (prompts[0] ?? 0) / (declared + added + CLAUDE_QUESTION.length);
    expect(overhead).toMatchObject({ requests: 2, promptTokens: prompts[0]! + prompts[1]!, cacheRead: 5000 });
    const listed: readonly (readonly [kind: string, name: string, text: string])[] = [
      ...Object.entries(SKILL_LINES).map(([name, line]) => ['skill', name, line] as const),
      ...Object.entries(AGENT_LINES).map(([name, line]) => ['agent', name, line] as const),
      ...CLAUDE_ADDED.flatMap(([type, text]) =>
        type === 'hook_success' ? [['hook', 'UserPromptSubmit', text] as const] : [],
      ),
      ...CLAUDE_ADDED.flatMap(([type, text]) =>
        type === 'instructions' ? [['memory file', '/home/ada/shop/CLAUDE.md', text] as const] : [],
      ),
    ];
    for (const [kind, name, line] of listed) {
      const found = find(overhead, kind, name);
      expect([name, found.requests]).toEqual([name, 2]);
      // Rounding of each message moves a token; the last line of a list has the end of its reminder.
      expectNear(found.tokensPerRequest, factor * line.length, 0.03 * factor * line.length + factor * 20);
    }
    for (const tool of CLAUDE_TOOLS) {
      const name = String(tool['name']);
      const tokens = factor * JSON.stringify(tool).length;
      const server = /^mcp__(\w+?)__/.exec(name)?.[1];
      const found =
        server === undefined
          ? find(overhead, 'tool', name)
          : find(overhead, 'mcp server', server).tools.find((one) => one.name === name);
      expectNear(found?.tokensPerRequest ?? null, tokens, 0.05 * tokens);
    }
    const uses = overhead.items
      .filter((item) => (item.uses ?? 0) > 0)
      .map(({ kind, name, uses: times }) => `${kind} ${name} ${times}`);
    expect(uses.toSorted()).toEqual([
      'agent Explore 1',
      'hook UserPromptSubmit 1',
      'mcp server weather 1',
      'skill pdf 1',
      'tool Agent 1',
      'tool Bash 1',
      'tool Skill 1',
    ]);
    // The second request read all of the first from the cache: at the listed price of 0.30 dollars a million.
    const fetch = find(overhead, 'tool', 'WebFetch');
    expectNear(fetch.costCached, (0.3e-6 * fetch.tokens) / 2, 1e-9);
    const rate = (10 * 3e-6 + 4990 * 3.75e-6) / 5000;
    expectNear(fetch.costUncached, (rate * fetch.tokens) / 2, 1e-9);
    expect(fetch.isCostListed).toBe(true);
  });

  it('of Codex: each skill of its list', async () => {
    const name = 'agents/codex/continued/rollout-2026-11-24T03-38-01-01a20ba1-c690-7760-a0ca-2f9830e5231b.jsonl';
    interface Line {
      readonly type: string;
      readonly payload: { readonly type?: string; readonly content?: readonly { readonly text?: string }[] };
    }
    const lines = readLines(readFixture(name)) as readonly Line[];
    const list = lines
      .flatMap(({ payload }) => payload.content ?? [])
      .find(({ text }) => text?.startsWith('<skills_instructions>'))?.text;
    const skills = (list ?? '').split('\n').filter((line) => line.startsWith('- ') && line.includes('SKILL.md'));
    expect(skills).toHaveLength(4);
    const overhead = await overheadOf(readFixture(name));
    const counted = lines.filter(({ type }) => type === 'token_usage_record').length;
    expect([overhead.requests, counted > 0]).toEqual([counted, true]);
    const carried = skills.map((line) => ({
      line,
      found: find(overhead, 'skill', /^- ([\w-]+)/.exec(line)?.[1] ?? ''),
    }));
    // Codex records no tools, so nothing tells the tokens of a character but that they are the same for all of the list.
    const [one] = carried;
    const factor = (one?.found.tokens ?? 0) / (one?.line.length ?? 1);
    expect(factor * CHARACTERS_PER_TOKEN).toBeGreaterThan(0.5 * overhead.requests);
    for (const { line, found } of carried) {
      expect(found).toMatchObject({ requests: overhead.requests, uses: 0, sessionsUsing: 0 });
      expectNear(found.tokens / (factor * line.length), 1, 0.15);
    }
    expect(overhead.notRecorded).toMatchObject([{ agent: 'codex', parts: ['tool definitions'] }]);
  });
});
