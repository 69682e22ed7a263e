import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import type { Head } from '#session/heads/head.js';
import { bytesAccountedFor } from '#session/scan/scan.js';
import { opened } from '../../support/entries.js';
import { projectFolder } from '../../support/files.js';

type Block = { readonly [key in 'type' | 'text' | 'thinking' | 'name']?: string };

const document = readFileSync(path.join(projectFolder, 'fixtures/agents/opencode/export.json'), 'utf8');

function textsAt(session: OpenSession, at: Head | null): readonly string[] {
  return buildEnvelope(session, at).messages.cached.map(({ role, content }) => {
    const texts = (content as Block[]).map(({ type, text, thinking, name }) => text ?? thinking ?? `${type} ${name}`);
    return `${role}: ${texts.join(' | ')}`;
  });
}

test('a compaction keeps the tail after the summary, and a revert moves the leaf', async () => {
  const session = await opened(document);
  expect(textsAt(session, session.tree.leaf)).toEqual([
    'user: What did we do so far?',
    'assistant: ## Goal\nKeep the stock table. Bolts and nuts were there; washers were added.',
    'user: Add a row for washers.',
    'assistant: toolCall edit',
    'toolResult: Edit applied.',
    'user: Continue if you have next steps.',
    'assistant: Nothing is left to do.',
  ]);
  expect(session.tree.heads.length).toBeGreaterThan(14);
  expect(bytesAccountedFor(session.scan)).toBe(session.scan.size);
});

test('a pruned result is an edit at the time of the prune', async () => {
  const session = await opened(document);
  const heads = [...session.tree.heads];
  const edit = heads.findIndex(({ type }) => type === 'context_edit');
  expect(heads[edit + 1]).toMatchObject({ role: 'user' });
  expect(textsAt(session, heads[edit - 1]!)).toContain('toolResult: 417,bolt\n418,nut\n');
  expect(textsAt(session, heads[edit]!)).toContain('toolResult: [Old tool result content cleared]');
});

test('each step of an answer is a request with its own tokens and cost', async () => {
  const session = await opened(document);
  const usages = [...session.tree.heads].filter(({ role }) => role === 'assistant').map((head) => session.usage(head));
  expect(usages).toHaveLength(6);
  expect(usages[0]).toEqual({
    input: 12,
    output: 80,
    cacheRead: 0,
    cacheWrite: 9000,
    reasoning: 0,
    totalTokens: 9092,
    cost: { total: 0.01 },
  });
  expect(session.header).toMatchObject({ id: 'ses_1', cwd: '/home/ada/shop' });
});
