import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { writeTrajectory } from '#change/convert/trajectory.js';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { activePath } from '#session/tree/tree.js';
import { calling, HEADER, lines, opened, toolResult, user } from '../../support/entries.js';
import { projectFolder } from '../../support/files.js';

/** ATIF 1.7 by the RFC, with no other field than its own. */
const extra = z.optional(z.record(z.string(), z.unknown()));
const image = z.strictObject({
  media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
  path: z.string(),
});
const content = z.union([
  z.string(),
  z.array(
    z.union([
      z.strictObject({ type: z.literal('text'), text: z.string() }),
      z.strictObject({ type: z.literal('image'), source: image }),
    ]),
  ),
]);
const call = z.strictObject({
  tool_call_id: z.string().min(1),
  function_name: z.string().min(1),
  arguments: z.record(z.string(), z.unknown()),
  extra,
});
const result = z.strictObject({ source_call_id: z.optional(z.string()), content: z.optional(content), extra });
const metrics = z.strictObject({
  prompt_tokens: z.optional(z.int()),
  completion_tokens: z.optional(z.int()),
  cached_tokens: z.optional(z.int()),
  cost_usd: z.optional(z.number()),
  extra,
});
const shared = {
  step_id: z.int().min(1),
  timestamp: z.optional(z.iso.datetime({ offset: true })),
  message: content,
  observation: z.optional(z.strictObject({ results: z.array(result) })),
  extra,
};
const step = z.union([
  z.strictObject({ ...shared, source: z.enum(['system', 'user']) }),
  z.strictObject({
    ...shared,
    source: z.literal('agent'),
    model_name: z.optional(z.string()),
    reasoning_content: z.optional(z.string()),
    tool_calls: z.optional(z.array(call)),
    metrics: z.optional(metrics),
  }),
]);
const trajectory = z
  .strictObject({
    schema_version: z.literal('ATIF-v1.7'),
    session_id: z.string(),
    agent: z.strictObject({
      name: z.string().min(1),
      version: z.string().min(1),
      tool_definitions: z.optional(z.array(z.record(z.string(), z.unknown()))),
    }),
    extra,
    steps: z.array(step),
    final_metrics: z.strictObject({
      total_prompt_tokens: z.int(),
      total_completion_tokens: z.int(),
      total_cached_tokens: z.int(),
      total_cost_usd: z.optional(z.number()),
      total_steps: z.int(),
    }),
  })
  .check(({ value, issues }) => {
    for (const [at, one] of value.steps.entries()) {
      const ids = 'tool_calls' in one ? (one.tool_calls ?? []).map(({ tool_call_id: id }) => id) : [];
      const named = (one.observation?.results ?? []).flatMap(({ source_call_id: id }) => id ?? []);
      if (one.step_id !== at + 1 || named.some((id) => !ids.includes(id)))
        issues.push({ code: 'custom', message: `step ${at + 1}`, input: one });
    }
  });

const fixtures = path.join(projectFolder, 'fixtures');
// A session of Cline is several files, which only a folder makes one.
const NAMES = readdirSync(fixtures, { recursive: true, encoding: 'utf8' }).filter(
  (name) => /^[^/\\]+\.jsonl$|^agents[/\\].*\.jsonl?$/.test(name) && !/database\.sql|sent\.json|cline/.test(name),
);

const write = (session: OpenSession): string => [...writeTrajectory(session, activePath(session.tree))].join('');

function contentOf(session: OpenSession): unknown {
  const { system, tools, messages, options } = buildEnvelope(session, session.tree.leaf);
  return { parts: system.parts, tools, messages: messages.cached, options };
}

/** A time that is not known is null in JSON. */
function withJsonTimes(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

describe('a session as a trajectory', () => {
  it.each(NAMES)('is valid, and read back as it was: %s', async (name) => {
    const session = await opened(readFileSync(path.join(fixtures, name)));
    const text = write(session);
    expect(trajectory.safeParse(JSON.parse(text)).error?.issues ?? []).toEqual([]);
    const again = await opened(text);
    expect(contentOf(again)).toEqual(withJsonTimes(contentOf(session)));
    const entries = (of: OpenSession) => activePath(of.tree).map((head) => ({ ...of.entry(head), parentId: null }));
    expect(entries(again)).toEqual(withJsonTimes(entries(session)));
  });

  it('has the text of a result whose content is no list of blocks', async () => {
    const stored = toolResult('c', 'b', 'c1', { content: 'README.md' });
    const session = await opened(lines(HEADER, user('a', null), calling('b', 'a', ['c1']), stored));
    const { steps } = trajectory.parse(JSON.parse(write(session)));
    const results = [{ source_call_id: 'c1', content: 'README.md' }];
    expect(steps.at(-1)).toMatchObject({ observation: { results } });
  });

  it('has the sums of its answers', async () => {
    const session = await opened(readFileSync(path.join(fixtures, 'weather.jsonl')));
    const { final_metrics: sums, steps } = trajectory.parse(JSON.parse(write(session)));
    const usages = activePath(session.tree).flatMap((head) => (head.role === 'assistant' ? [session.usage(head)] : []));
    const sum = (key: string): number => usages.reduce((all, usage) => all + Number(usage?.[key] ?? 0), 0);
    expect(sums.total_prompt_tokens).toBe(sum('input') + sum('cacheRead') + sum('cacheWrite'));
    expect(sums.total_completion_tokens).toBe(sum('output'));
    expect(sums.total_steps).toBe(steps.length);
    expect(sums.total_prompt_tokens).toBeGreaterThan(0);
  });
});
