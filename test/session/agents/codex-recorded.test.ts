import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { eachEnvelope } from '#context/envelope-at.js';
import { openSession } from '#context/open.js';
import type { EnvelopeContent, LlmMessage } from '#context/replay/content.js';
import { readSentRole } from '#context/replay/convert.js';
import { projectFolder } from '../../support/files.js';
import { ctx } from '../../support/memory-io.js';

type Row = { readonly [key: string]: unknown };

/** Rollouts that Codex 0.169.0 wrote, and what it sent to the model: see test/studies/record-codex.mjs. */
const folder = path.join(projectFolder, 'fixtures/agents/codex/continued');
const { items, requests } = JSON.parse(readFileSync(path.join(folder, 'sent.json'), 'utf8')) as {
  readonly items: readonly Row[];
  readonly requests: readonly (readonly number[])[];
};

/** An item of a request in words that both sides can be put into. */
function sentWords({ type, role, content, ...item }: Row): readonly string[] {
  if (type === 'function_call') return [`calls ${String(item['call_id'])} ${String(item['arguments'])}`];
  if (type === 'function_call_output') return [`result ${String(item['call_id'])} ${String(item['output'])}`];
  if (type === 'reasoning') return (item['summary'] as Row[]).map(({ text }) => `thinks ${String(text)}`);
  return (content as Row[]).map(({ text }) => `${String(role)} ${String(text)}`);
}

function ownWords(message: LlmMessage): readonly string[] {
  const { role, content, toolCallId } = message;
  return (content as Row[]).map(({ type, text, thinking, id, arguments: given }) => {
    if (role === 'toolResult') return `result ${String(toolCallId)} ${String(text)}`;
    if (type === 'toolCall') return `calls ${String(id)} ${JSON.stringify(given)}`;
    if (type === 'thinking') return `thinks ${String(thinking)}`;
    return `${readSentRole(message)} ${String(text)}`;
  });
}

/** What the model was sent, with the system prompt as the first message. */
function wordsOf({ system, messages }: EnvelopeContent): readonly string[] {
  return [`developer ${system.parts.map(({ text }) => text).join('\n')}`, ...messages.cached.flatMap(ownWords)];
}

const rollouts = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));

test('ctx show names messages that Codex sent as developer, and an import has only roles of Pi', async () => {
  const name = 'rollout-2026-11-24T03-38-01-01a20ba1-c690-7760-a0ca-2f9830e5231b.jsonl';
  const world = { files: { 's.jsonl': readFileSync(path.join(folder, name), 'utf8') } };
  const { stdout } = await ctx(['show', 's.jsonl', '@{request:1}', '--role', 'developer'], world);
  expect(stdout).toMatch(/^#1 developer {2}4b8307b8 /);
  expect(stdout.match(/^#/gm)).toHaveLength(1);
  const imported = await ctx(['import', 's.jsonl', '-o', 'pi.jsonl'], world);
  expect(imported.exitCode).toBe(0);
  const { stdout: data } = await ctx(['show', 'pi.jsonl', '--json'], { files: imported.files });
  expect(data).toContain('<skills_instructions>');
  expect(data).not.toContain('sentRole');
});

test.each(rollouts)('%s has the contexts that Codex sent', async (name) => {
  const session = await openSession(path.join(folder, name));
  expect(session.problems).toEqual([]);
  const found: number[] = [];
  let before: EnvelopeContent | null = null;
  for (const { head, content } of eachEnvelope(session)) {
    if (head.role === 'assistant' && before) {
      const number = Number(/Answer (\d+)|call_(\d+)/.exec(JSON.stringify(session.entry(head)))?.findLast(Boolean));
      const sent = (requests[number - 1] ?? []).flatMap((item) => sentWords(items[item] ?? {}));
      // The question for a summary is not recorded.
      const isSummary = sent.at(-1)?.includes('CONTEXT CHECKPOINT COMPACTION');
      expect(wordsOf(before)).toEqual(isSummary ? sent.slice(0, -1) : sent);
      found.push(number);
    }
    before = content;
  }
  expect(found.length).toBeGreaterThan(2);
});
