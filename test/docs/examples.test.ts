import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { loadCommands } from '#cli/commands/index.js';
import { ClaudeCodeLog } from '../support/claude-code.js';
import { engine } from '../support/engines.js';
import { projectFolder } from '../support/files.js';
import { ctx, type World } from '../support/memory-io.js';
import { pluginsHere } from '../support/plugins.js';

const fixture = (name: string): string => readFileSync(path.join(projectFolder, 'fixtures', name), 'utf8');
const session = fixture('weather.jsonl');
const claudeCode = new ClaudeCodeLog();
claudeCode.user('Which files are there?');
const SESSIONS = '/home/ada/.pi/agent/sessions';

/** The session of the examples, which is also the latest one, and the other files that they name. */
const FILES: Readonly<Record<string, string>> = {
  'session.jsonl': session,
  [`${SESSIONS}/--home-ada-weather--/2026-03-02T09-00-00-000Z_weather.jsonl`]: session,
  'sessions/a.jsonl': session,
  'backup/sessions/a.jsonl': session,
  'monday.jsonl': session,
  'tuesday.jsonl': session,
  '/home/ada/.claude/projects/-work-app/0b1c2d3e.jsonl': claudeCode.text,
  '/home/ada/.codex/sessions/2026/03/02/rollout-2026-03-02T09-00-00-0b1c2d3e-0000-7000-8000-000000000001.jsonl':
    fixture('agents/codex/rollout.jsonl'),
  'rollout.jsonl': fixture('agents/codex/rollout.jsonl'),
  'old.jsonl': fixture('version-1.jsonl'),
  'patch.json': JSON.stringify([
    { op: 'options_set', scope: 'cached', invalidateCacheReason: 'x', options: { maxTokens: 5 } },
  ]),
  'reminder.json': JSON.stringify([{ role: 'user', content: 'Be brief.', timestamp: 0 }]),
  './engine.ts': '',
  'summary.md': 'A summary.',
  'secrets.txt': 'weather\n',
};

const { files: withPlan } = await ctx('compact session.jsonl --keep-recent 100 --plan plan.json'.split(' '), {
  files: FILES,
});

/**
 * Examples that need a terminal, files on the disk, a configuration, the command or the input of an agent, threads, or a
 * plan for a session of Claude Code.
 */
const NOT_RUN: ReadonlySet<string> = new Set([
  'ctx explore',
  'ctx explore session.jsonl',
  'ctx explore latest @{compaction}',
  'ctx explore latest --limit 200k',
  'ctx apply plan.json --install',
  'ctx archive',
  'ctx archive --to /mnt/backup/sessions',
  'ctx archive latest:codex project/sessions',
  'ctx guard budget --context 150k --cost 5',
  'ctx guard budget --calls bash=200 --repeat 5 --action stop',
  'ctx guard compaction',
  'ctx guard compaction --restore 500',
  "ctx loss session.jsonl --questions questions.jsonl --model-command 'llm -m gpt-5-mini'",
  'ctx mcp --allow-content --root ~/backup/sessions',
  'ctx mcp install claude',
  'ctx mcp install codex --allow-content --dry-run',
  'ctx trust',
  'ctx trust --remove',
  "ctx query 'SELECT * FROM sessions' tables/ --format csv",
]);

const examples = (await loadCommands()).flatMap((command) => command.examples);

it('runs all examples but those that are declared', () => {
  expect([...NOT_RUN].filter((line) => !examples.includes(line))).toEqual([]);
});

it.each(examples.filter((line) => !NOT_RUN.has(line)))('exits with 0 as the help has it: %s', async (example) => {
  let files: NonNullable<World['files']> = example.includes('--plan plan.json &&') ? FILES : withPlan;
  for (const pipeline of example.replace(/#.*/, '').split('&&')) {
    let input = '';
    for (const stage of stagesOf(pipeline)) {
      const argv = wordsOf(stage);
      if (argv === null) break;
      const ran = await ctx(argv, {
        files: { ...files, '-': input },
        env: { HOME: '/home/ada', SHELL: '/bin/bash' },
        answer: 'y',
        startPlugin: pluginsHere({ './engine.ts': engine(), './hook.ts': () => {}, './policy.ts': () => {} }),
      });
      // Warnings, and the effects that a question is about, go to standard error too.
      expect([ran.exitCode, ran.stderr.match(/^ctx: (?!warning|for details).*/gm)]).toEqual([0, null]);
      files = ran.files;
      input = ran.stdout;
    }
  }
});

/** The commands of a pipeline; a bar in quotes is a part of a word. */
function stagesOf(pipeline: string): readonly string[] {
  return (pipeline.match(/(?:'[^']*'|"[^"]*"|[^|'"])+/g) ?? []).map((stage) => stage.trim());
}

/** The words that a shell makes of a call of ctx, without the name of the program; null for another program. */
function wordsOf(stage: string): readonly string[] | null {
  const [, call] = /\bctx (.*?)(?:\)"?)?(?: > .*)?$/s.exec(stage) ?? [];
  if (call === undefined) return null;
  const words = call.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  return words.map((word) => word.replace(/^(['"])(.*)\1$/s, '$2').replace(/^~/, '/home/ada'));
}
