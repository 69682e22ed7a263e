import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { bytesAccountedFor } from '#session/scan/scan.js';
import { nameOf } from '#session/session.js';
import { opened } from '../../support/entries.js';
import { projectFolder } from '../../support/files.js';

type Block = { readonly [key in 'text' | 'thinking' | 'name']?: string };

const fixture = readFileSync(path.join(projectFolder, 'fixtures/agents/qwen-code/session.jsonl'), 'utf8');

function textsOf(session: OpenSession, text = ''): readonly string[] {
  const at =
    text === '' ? session.tree.leaf : [...session.tree.heads].find((head) => session.entry(head)['type'] === text);
  return buildEnvelope(session, at ?? null).messages.cached.map(({ role, content }) => {
    const texts = (content as Block[]).map(({ text: said, thinking, name }) => said ?? thinking ?? name);
    return `${role}: ${texts.join(' | ')}`;
  });
}

test('a compression replaces the messages of the branch', async () => {
  const session = await opened(fixture);
  expect(session.agent).toMatchObject({
    name: 'qwen-code',
    version: '0.19.11',
    unusedLines: 2,
    parts: { messages: 'approximate' },
  });
  expect(textsOf(session)).toEqual([
    'user: Summary: 418 is the cheapest part, 417 the dearest.',
    'assistant: Understood.',
    'assistant: Part 417.',
  ]);
  expect(textsOf(session, 'session_info')).toEqual([
    'user: Which part is cheapest?',
    'assistant: Sort by price. | I will sort them. | run_shell_command',
    'toolResult: 418,3\n417,125\n',
    'assistant: Part 418.',
  ]);
  expect(nameOf(session)).toBe('Cheapest part');
  expect(bytesAccountedFor(session.scan)).toBe(session.scan.size);
});

test('a rewind is a branch, and thoughts are part of the candidates', async () => {
  const { tree, usage } = await opened(fixture);
  const [, second, third] = [...tree.heads].filter(({ role }) => role === 'user');
  expect(third!.parentId).toBe(second!.parentId);
  const answer = [...tree.heads].find(({ role }) => role === 'assistant');
  expect(usage(answer!)).toMatchObject({ input: 5200, output: 60, reasoning: 20, totalTokens: 5260 });
});
