import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { convertSession } from '#change/convert/convert-session.js';
import { buildUuid } from '#change/copy/build-copy.js';
import { openSession } from '#context/open.js';
import { claudeWriter } from '#session/agents/claude-code/conversation-writer.js';
import { codexWriter } from '#session/agents/codex/conversation-writer.js';
import { generateClaudeCode } from '../../support/claude-code.js';
import { generateRollout } from '../../support/codex-rollouts.js';
import { projectFolder } from '../../support/files.js';
import { generateSession } from '../../support/generate.js';

const readFixture = (name: string): string => readFileSync(path.join(projectFolder, 'fixtures', name), 'utf8');

function createStamps() {
  let count = 0;
  const newId = (): string => (count += 1).toString(16).padStart(8, '0');
  return {
    sessionId: 'aaaaaaaa-0000-4000-8000-000000000000',
    timestamp: '2026-03-01T10:00:00.000Z',
    newId: () => buildUuid(newId),
  };
}

const WRITERS = [
  ['Claude Code', claudeWriter],
  ['Codex', codexWriter],
] as const;

const FIXTURES = [
  'agents/claude-code/session.jsonl',
  'agents/claude-code/requests.jsonl',
  'agents/codex/rollout.jsonl',
  'agents/codex/version-0.50.jsonl',
  'agents/gemini-cli/session.jsonl',
  'agents/gemini-cli/session.json',
  'agents/opencode/export.json',
  'agents/qwen-code/session.jsonl',
];

describe.each(WRITERS)('a conversion to %s', (_title, writer) => {
  it.each(FIXTURES)('of %s shows the carried messages', async (name) => {
    const session = await openSession(Buffer.from(readFixture(name)));
    const { messages, losses } = await convertSession(session, writer, createStamps(), '/w');
    console.log(name, messages.length, JSON.stringify(losses));
  });

  it.each([
    ['Claude Code', generateClaudeCode],
    ['Codex', generateRollout],
    ['Pi', (seed: number) => generateSession({ seed, odd: seed % 2 === 0 ? 0.05 : 0, transforms: 0.05 })],
  ] as const)('of generated sessions of %s shows the carried messages', async (_from, generate) => {
    const failed: string[] = [];
    for (let seed = 0; seed < 100; seed += 1) {
      const session = await openSession(Buffer.from(generate(seed)));
      try {
        await convertSession(session, writer, createStamps(), '/w');
      } catch (e) {
        failed.push(`${seed} ${String(e)}`);
      }
    }
    expect(failed).toEqual([]);
  });
});
