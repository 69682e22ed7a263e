import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { commandNames } from '../../src/cli/commands/index.js';
import { TESTED_AGENTS } from '../session/agents/kit/agents.js';
import { ClaudeCodeLog, textBlock } from './claude-code.js';
import { projectFolder } from './files.js';

const ID = '258c7280-ae70-4798-800f-63464d01a85d';

/** The original session of an agent. */
export interface OriginalSession {
  readonly agent: string;
  readonly file: string;
  /** The session, and what is beside it, by the name of the file. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
}

export function listOriginalSessions(home: string): readonly OriginalSession[] {
  const subagent = new ClaudeCodeLog('7');
  subagent.user('A task', { isSidechain: true, agentId: 'a1' }, null);
  subagent.answer('msg_side', textBlock('Done.'));
  const beside = `${home}/.claude/projects/-home-ada-shop/${ID}/subagents/agent-a1.jsonl`;
  return TESTED_AGENTS.map(({ name: agent, place, fixtures: [fixture = ''] }) => {
    const file = `${home}/${place(ID) ?? `${agent}.json`}`;
    const content = readFileSync(path.join(projectFolder, 'fixtures/agents', fixture));
    return { agent, file, files: { [file]: content, ...(agent === 'claude-code' && { [beside]: subagent.text }) } };
  });
}

/** A plan for `ctx apply` that no command saved: it appends an entry of Pi to a file. */
export function forgePlan(file: string, content: string | Uint8Array): string {
  const hash = createHash('sha256').update(content).digest('hex');
  const entry = {
    type: 'session_info',
    id: 'f0000001',
    parentId: null,
    timestamp: '2026-01-01T00:00:00.000Z',
    name: 'x',
  };
  const tokens = { system: 0, tools: 0, cached: 0, uncached: 0, total: 0, method: 'chars/4' };
  const session = {
    file,
    id: 's',
    size: Buffer.from(content).length,
    sha256: hash,
    leafId: null,
    endsWithNewline: true,
  };
  return JSON.stringify({
    schema: 'ctx/plan',
    schemaVersion: 1,
    command: 'apply',
    session,
    entries: [entry],
    ignoredByStock: [],
    predicted: { sha256: hash, stockSha256: hash },
    tokens: { before: tokens, after: tokens },
  });
}

/** What follows the name of the session: with each of these, a command may write. The first summary is `s.md`. */
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

/** The command lines of every command, with all that lets one write. */
export function listWritingLines(file: string): readonly (readonly string[])[] {
  return commandNames.flatMap((command) =>
    FLAGS.map((flags) => [...command.split(' '), file, ...flags.map((word) => (word === 'SESSION' ? file : word))]),
  );
}
