import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { bytesAccountedFor } from '#session/scan/scan.js';
import { opened } from '../../support/entries.js';
import { projectFolder } from '../../support/files.js';

const text = readFileSync(path.join(projectFolder, 'fixtures/agents/atif/trajectory.json'), 'utf8');
type Trajectory = { steps: Record<string, unknown>[]; [key: string]: unknown };

async function envelopeAt(document: string, role?: string, number = 0) {
  const session = await opened(document);
  const heads = [...session.tree.heads].filter((head) => head.role === role);
  return buildEnvelope(session, role === undefined ? session.tree.leaf : (heads[number] ?? null));
}

const textsOf = (messages: readonly { readonly role: string; readonly content?: unknown }[]): readonly string[] =>
  messages.map(({ role, content }) => {
    const blocks = content as { text?: string; thinking?: string; name?: string }[];
    return `${role}: ${blocks.map((block) => block.text ?? block.thinking ?? block.name).join(' | ')}`;
  });

it('a trajectory has the prompt, the tools and the messages of its steps, with results after their calls', async () => {
  const { system, tools, messages } = await envelopeAt(text, 'assistant', 1);
  expect(system.parts.map((part) => part.text)).toEqual(['You know every harbour.']);
  expect(tools.map(({ name }) => name)).toEqual(['run']);
  expect(textsOf(messages.cached)).toEqual([
    'user: How many ships are there?',
    'assistant: A list helps. | I will count them. | run | run',
    'toolResult: Anna\nBerta',
    'toolResult: none',
    'assistant: Two ships.',
  ]);
});

it('a compaction takes the place of the messages before it, and a result of no call is a text for the model', async () => {
  const { messages } = await envelopeAt(text);
  expect(textsOf(messages.cached)).toEqual([
    'user: There are two ships, Anna and Berta.',
    'user: Which is older?',
    'assistant: Anna.',
    'user: The user has left the terminal.',
    'assistant: Anna, from 1901.',
  ]);
});

it('the tokens of each step count once: the prompt includes those of the cache, and a copied step has none', async () => {
  const session = await opened(text);
  const usages = [...session.tree.heads].flatMap((head) => (head.usageLength > 0 ? [session.usage(head)] : []));
  expect(usages).toEqual([
    { input: 100, output: 40, cacheRead: 600, cacheWrite: 200, totalTokens: 940, cost: { total: 0.0021 } },
    { input: 60, output: 5, cacheRead: 900, cacheWrite: 0, totalTokens: 965, cost: { total: 0.0005 } },
    { input: 300, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 302, cost: {} },
  ]);
  expect(bytesAccountedFor(session.scan)).toBe(session.scan.size);
});

it('the parts of a step that names no model are those of the agent, and each names its own', async () => {
  const session = await opened(text);
  const models = [...session.tree.heads]
    .filter(({ type }) => type === 'model_change')
    .map((head) => session.entry(head));
  expect(models.map(({ modelId }) => modelId)).toEqual(['claude-sonnet-4-5', 'gpt-5.5', 'claude-sonnet-4-5']);
});

it.each([
  ['subagents in the file', { subagent_trajectories: [{}] }, 'embedded-trajectories'],
  ['a trajectory that continues it', { continued_trajectory_ref: 'next.json' }, 'continued'],
  ['tokens that are recorded as a sum only', { steps: [{ step_id: 1, source: 'user', message: 'Hi' }] }, 'sums-only'],
])('a note tells of %s', async (_name, change, code) => {
  const { problems } = await opened(JSON.stringify({ ...(JSON.parse(text) as Trajectory), ...change }));
  expect(problems.map((problem) => problem.code)).toEqual([code]);
});

it('the messages of a version after the known ones are approximate', async () => {
  const known = await opened(text);
  const newer = await opened(text.replace('ATIF-v1.7', 'ATIF-v1.8'));
  expect([known.agent?.parts.messages, newer.agent?.parts.messages]).toEqual(['recorded', 'approximate']);
});
