import { expect, test } from 'vitest';
import { ctx } from '../../support/memory-io.js';

/** Ids as Codex makes them, which begin with the milliseconds of their time. */
const idAt = (second: number): string => {
  const digits = (Date.parse('2026-07-30T10:00:00Z') + second * 1000).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000001`;
};
const [ORIGIN, FORK, LATER] = [idAt(0), idAt(100), idAt(200)];

function line(second: number, type: string, payload: object): string {
  const timestamp = new Date(Date.parse('2026-07-30T10:00:00Z') + second * 1000).toISOString();
  return `${JSON.stringify({ timestamp, type, payload })}\n`;
}

const message = (role: string, text: string): object => ({
  type: 'message',
  role,
  content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
});

/** The lines of turns in the order of Codex 0.146, written at a time. The ids of turns are those of the time when they ran. */
function turns(seconds: readonly number[], written: number | null, turnId = idAt): string {
  return seconds
    .flatMap((second) => {
      const at = written ?? second;
      const usage = { input_tokens: 1000 + second, output_tokens: 10, total_tokens: 1010 + second };
      return [
        line(at, 'event_msg', { type: 'task_started', turn_id: turnId(second) }),
        line(at, 'turn_context', { turn_id: turnId(second), model: 'gpt-5.2-codex' }),
        line(at, 'response_item', message('user', `Question ${second}`)),
        line(at, 'response_item', message('assistant', `Answer ${second}`)),
        line(at, 'event_msg', { type: 'token_count', info: { last_token_usage: usage, total_token_usage: usage } }),
      ];
    })
    .join('');
}

const meta = (second: number, id: string, more: object = {}): string =>
  line(second, 'session_meta', { id, cli_version: '0.146.0', history_mode: 'legacy', ...more });
const nameOf = (id: string): string => `/home/ada/.codex/sessions/2026/07/30/rollout-2026-07-30T10-00-00-${id}.jsonl`;

const origin = meta(0, ORIGIN) + turns([1, 2, 3], null);
const headers = meta(100, FORK, { forked_from_id: ORIGIN }) + meta(100, ORIGIN);
const fork = headers + turns([1, 2], 100) + turns([101], null);
const later = meta(200, LATER, { forked_from_id: FORK }) + headers + turns([1, 2, 101], 200) + turns([201], null);
/** A spawned agent keeps the times of the lines that it copies. */
const spawned = (more: object): string => meta(100, FORK, more) + origin + turns([101, 102], null);
const spawn = { source: { subagent: { thread_spawn: { parent_thread_id: ORIGIN, depth: 1 } } } };
const oldTimes = meta(100, FORK) + meta(0, ORIGIN) + turns([1, 2, 3], null, String) + turns([101], null, String);
const uncopied = headers + turns([101, 102], null);
const idle = headers + turns([1, 2], 100);
const oldIds = headers + turns([1, 2], 100, String) + turns([101], null, String);

test.each<[string, Readonly<Record<string, string>>, number]>([
  ['a fork', { [ORIGIN]: origin, [FORK]: fork }, 4],
  ['a fork of a fork', { [ORIGIN]: origin, [FORK]: fork, [LATER]: later }, 5],
  ['a fork without its origin', { [FORK]: fork }, 1],
  ['a fork without turns of its own', { [ORIGIN]: origin, [FORK]: idle }, 3],
  ['a subagent that has the header of its origin, and no copy', { [ORIGIN]: origin, [FORK]: uncopied }, 5],
  ['a spawned agent that names its parent', { [ORIGIN]: origin, [FORK]: spawned({ parent_thread_id: ORIGIN }) }, 5],
  ['a spawned agent whose source names its parent', { [ORIGIN]: origin, [FORK]: spawned(spawn) }, 5],
  ['a spawned agent without its parent', { [FORK]: spawned(spawn) }, 2],
  ['an agent that names no parent', { [ORIGIN]: origin, [FORK]: spawned({}) }, 5],
  ['copied turns without times in their ids, with their own times', { [ORIGIN]: origin, [FORK]: oldTimes }, 4],
  ['a fork whose turns have no times in their ids', { [ORIGIN]: origin, [FORK]: oldIds }, 6],
])('turns that a fork of Codex before 0.153 copied are counted once: %s', async (_, rollouts, calls) => {
  const files = Object.fromEntries(Object.entries(rollouts).map(([id, text]) => [nameOf(id), text]));
  const { stdout } = await ctx(['stats', '/home/ada/.codex/sessions', '--json'], { files });
  expect(JSON.parse(stdout)).toMatchObject({ usageRecorded: { calls } });
});

test.each([
  ['a fork', fork, 'Question 101', '2026-07-30T10:01:41.000Z'],
  ['a spawned agent', spawned(spawn), 'Question 101', '2026-07-30T10:01:41.000Z'],
  ['a fork without turns of its own', idle, 'Question 1', null],
])(
  'ctx ls and ctx stats of %s title it with its own first message, from its own time on',
  async (_, text, title, from) => {
    const files = { [nameOf(FORK)]: text };
    const listed = await ctx(['ls', '/home/ada/.codex/sessions', '--json'], { files });
    expect(JSON.parse(listed.stdout)).toMatchObject({ title });
    const { stdout } = await ctx(['stats', nameOf(FORK), '--json'], { files });
    const { sessions } = JSON.parse(stdout) as { readonly sessions: readonly { readonly first: string }[] };
    expect(sessions).toMatchObject([{ title, ...(from === null ? {} : { first: from }) }]);
  },
);

test.each([
  ['a fork', fork, 1],
  ['a spawned agent', spawned(spawn), 2],
])('ctx stats of %s alone counts its own turns, and names the copied ones', async (_, text, calls) => {
  const files = { [nameOf(FORK)]: text };
  const { stdout } = await ctx(['stats', nameOf(FORK), '--json'], { files });
  const { usageRecorded, shared } = JSON.parse(stdout) as Record<string, { readonly calls: number }>;
  expect(usageRecorded).toMatchObject({ calls });
  expect(shared).toMatchObject({ usageRecorded: { calls: expect.any(Number) as number } });
  const shown = await ctx(['stats', nameOf(FORK)], { files });
  expect(shown.stdout).toMatch(/^\d+ entries copied from another session: [\d,]+ recorded tokens.* left out$/m);
  const listed = await ctx(['ls', '/home/ada/.codex/sessions', '--json'], { files });
  expect(listed.stdout).toContain(`"parentSession":"${ORIGIN}"`);
});
