import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildHelpText } from '#cli/help/index.js';
import { agentsTopic, type TopicPiece } from '#cli/help/topics.js';
import { projectFolder } from '../support/files.js';
import { expectGenerated } from '../support/generated.js';
import { ctx } from '../support/memory-io.js';

const WEATHER = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8');
const body = agentsTopic.text.map(markdown).join('\n\n');
/** By the convention of https://agentskills.io: agents read the description of every skill, and the rest when it fits. In YAML it is quoted, since it has a colon. */
const DESCRIPTION =
  'Answers questions about transcripts and session files of Pi, Claude Code, Codex and other coding agents: what the model saw, what a compaction lost, where the prompt cache broke, what it cost. Use it when the user asks about a session, its context, its tokens or its costs, or when you need text that is no longer in your context.';

/** With a package that npm has installed globally, or linked. */
const SKILL_COPY = `\`\`\`sh
mkdir -p ~/.claude/skills
cp -R "$(npm root --global)/pi-ctx/skills/ctx" ~/.claude/skills/
\`\`\``;

it.each([
  [
    'docs/use/agents.md',
    `# ctx for coding agents\n\nGenerated from \`ctx help agents\`. The package has it as a [skill](../../skills/ctx/SKILL.md) too. Pi loads that skill with the package; in Claude Code, copy it:\n\n${SKILL_COPY}\n\n${body}\n`,
  ],
  ['skills/ctx/SKILL.md', `---\nname: ctx\ndescription: ${JSON.stringify(DESCRIPTION)}\n---\n\n# ctx\n\n${body}\n`],
])('%s is generated from the help', (name, content) => {
  expectGenerated(name, content);
});

describe('the page for agents', () => {
  it('takes at most 1,500 tokens', async () => {
    expect((await buildHelpText(['help', 'agents'], '0.0.0')).length / 4).toBeLessThan(1500);
  });

  it.each(commandLines())('names a command line that works: %s', async (line) => {
    const argv = line
      .split(/\s+/)
      .slice(1)
      .map((word) => word.replaceAll('"', ''));
    const { exitCode, stderr } = await ctx(argv, {
      files: { [SESSION]: WEATHER },
      env: { PI_CODING_AGENT_DIR: '/pi' },
      cwd: '/home/ada/weather',
    });
    expect({
      exitCode: exitCode === 1 ? 0 : exitCode,
      stderr: stderr.replace(/^ctx: (?:cut at|no match;).*\n/, ''),
    }).toEqual({
      exitCode: 0,
      stderr: '',
    });
  });

  it('names members that the JSON has', async () => {
    for (const [command, meaning] of terms()) {
      const argv = command
        .replace('SESSION', 's.jsonl')
        .replace('PATTERN', 'UTC')
        .replace('ctx ls', 'ctx ls s.jsonl')
        .split(' ')
        .slice(1);
      const { stdout } = await ctx([...argv, '--json'], { files: { 's.jsonl': WEATHER } });
      const [first = ''] = argv[0] === 'show' || argv[0] === 'loss' ? [stdout] : stdout.split('\n');
      for (const name of membersIn(meaning))
        expect(memberOf(JSON.parse(first), name), `${command}: ${name}`).toBe(true);
    }
  });
});

const SESSION = '/pi/sessions/--home-ada-weather--/2026-01-14T20-31-07-240Z_019bbe34-73e8-770f-a255-ecb81d954856.jsonl';

function commandLines(): readonly string[] {
  return agentsTopic.text
    .flatMap((piece) => (typeof piece !== 'string' && 'lines' in piece ? piece.lines : []))
    .map((line) => line.replace(/ +#.*/, ''));
}

function terms(): readonly (readonly [string, string])[] {
  return agentsTopic.text.flatMap((piece) => (typeof piece !== 'string' && 'terms' in piece ? piece.terms : []));
}

function membersIn(meaning: string): readonly string[] {
  const list = meaning
    .replace(/^.*JSON(?: Lines)?: /, '')
    .replace(/, then a summary$/, '')
    .replace(/ \(.*\)/, '');
  return list.split(', ');
}

function memberOf(value: unknown, name: string): boolean {
  let at = value;
  for (const key of name.split('.')) {
    if (typeof at !== 'object' || at === null || !(key in at)) return false;
    at = (at as Readonly<Record<string, unknown>>)[key];
  }
  return true;
}

function markdown(piece: TopicPiece): string {
  if (typeof piece === 'string') return piece;
  if ('lines' in piece) return `\`\`\`sh\n${piece.lines.join('\n')}\n\`\`\``;
  return piece.terms.map(([term, meaning]) => `- \`${term}\`: ${meaning}`).join('\n');
}
