import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandNames } from '../../../src/cli/commands/index.js';
import { ClaudeCodeLog, textBlock } from '../../support/claude-code.js';
import { projectFolder } from '../../support/files.js';
import { ctx } from '../../support/memory-io.js';

const ID = '258c7280-ae70-4798-800f-63464d01a85d';

/** A session of each agent where the agent has it, and the fixture with its content. */
const SESSIONS = [
  ['Claude Code', `/home/ada/.claude/projects/-work-app/${ID}.jsonl`, 'claude-code/session.jsonl'],
  ['Codex', `/home/ada/.codex/sessions/2026/03/02/rollout-2026-03-02T09-00-00-${ID}.jsonl`, 'codex/rollout.jsonl'],
  ['Gemini CLI', '/home/ada/.gemini/tmp/a/chats/session-1.jsonl', 'gemini-cli/session.jsonl'],
  ['opencode', '/home/ada/export.json', 'opencode/export.json'],
  ['Qwen Code', `/home/ada/.qwen/projects/a/chats/${ID}.jsonl`, 'qwen-code/session.jsonl'],
] as const;

const subagent = new ClaudeCodeLog('7');
subagent.user('A task', { isSidechain: true, agentId: 'a1' }, null);
subagent.answer('msg_side', textBlock('Done.'));
const BESIDE = { [`/home/ada/.claude/projects/-work-app/${ID}/subagents/agent-a1.jsonl`]: subagent.text };

/** What follows the name of the session: with each of these, a command may write. */
const FLAGS = [
  [],
  ['--yes'],
  ['--dry-run'],
  ['--install'],
  ['--strategy', 'trim', '--install'],
  ['-o', 'new.jsonl', '--yes'],
  ['-o', 'SESSION', '--force', '--yes'],
  ['@{compaction}', '--install'],
  ['@{compaction}', '-o', 'new.jsonl'],
  ['--summary', 's.md', '--keep-recent', '1', '--install'],
  ['--summary', 's.md', '--keep-recent', '1', '-o', 'SESSION', '--force'],
  ['--in-place', '--yes'],
  ['--plan', 'plan.json'],
];

describe.each(SESSIONS)('a session of %s', (_agent, file, fixture) => {
  it('is never opened for writing, whatever the command and its flags', async () => {
    const files: Readonly<Record<string, string | Uint8Array>> = {
      [file]: readFileSync(path.join(projectFolder, 'fixtures/agents', fixture)),
      ...BESIDE,
      's.md': 'S.',
    };
    const originals = Object.keys(files).filter((name) => name !== 's.md');
    const written: string[] = [];
    for (const command of commandNames) {
      for (const flags of FLAGS) {
        const argv = [...command.split(' '), file, ...flags.map((word) => (word === 'SESSION' ? file : word))];
        const ran = await ctx(argv, { files, env: { HOME: '/home/ada' }, onWrite: (name) => written.push(name) });
        for (const name of originals) expect([argv, ran.files[name]]).toEqual([argv, files[name]]);
      }
    }
    expect(written.filter((name) => originals.includes(name))).toEqual([]);
    expect(new Set(written)).toContain('new.jsonl');
  });
});
