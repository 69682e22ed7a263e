import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { splitShellWords, unquoteShellWord } from '#base/shell.js';
import { agentsTopic, type TopicPiece } from '#cli/help/topics.js';
import { BY_CHARACTERS } from '#context/size/tokens.js';
import { projectFolder } from '../support/files.js';
import { expectGenerated } from '../support/generated.js';
import { ctx } from '../support/memory-io.js';

const WEATHER = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8');
const body = agentsTopic.text.map(markdown).join('\n\n');
/** By the convention of https://agentskills.io: agents read the description of every skill, and the rest when it fits. In YAML it is quoted, since it has a colon. */
const DESCRIPTION =
  'Reads transcripts and session files of Claude Code, Codex, Pi and other coding agents: what the model saw, each entry, tokens and cost. Use it for questions about a session that no other skill of ctx answers.';
const SKILL = `---\nname: ctx\ndescription: ${JSON.stringify(DESCRIPTION)}\n---\n\n# ctx\n\n${body}\n`;

const INTRODUCTION = `# ctx for coding agents

Generated from \`ctx help agents\`. [The plugin](plugin.md) gives this page to Claude Code, Codex and Pi as a [skill](../../plugin/skills/ctx/SKILL.md). For an agent without plugins, add it to the file of instructions that the agent reads:

\`\`\`sh
ctx help agents >> AGENTS.md
\`\`\``;

it.each([
  ['docs/use/agents.md', `${INTRODUCTION}\n\n${body}\n`],
  ['plugin/skills/ctx/SKILL.md', SKILL],
])('%s is generated from the help', (name, content) => {
  expectGenerated(name, content);
});

describe('the page for agents', () => {
  it('takes at most 600 tokens as ctx estimates them, with its frontmatter', () => {
    expect(BY_CHARACTERS.count(SKILL)).toBeLessThanOrEqual(600);
  });

  it.each(commandLines())('names a command line that works: %s', async (line) => {
    const argv = splitShellWords(line).slice(1).map(unquoteShellWord);
    const world = { files: { [SESSION]: WEATHER }, env: { PI_CODING_AGENT_DIR: '/pi' }, cwd: '/home/ada/weather' };
    const { exitCode, stderr } = await ctx(argv, world);
    expect(stderr.replace(/^ctx: cut at .*\n/, '')).toBe('');
    expect(exitCode).toBe(0);
  });

  it.each(terms())('names members that the JSON of %s has', async (command, meaning) => {
    const typed = command
      .replace('SESSION', 's.jsonl')
      .replace('REV', 'HEAD')
      .replace('PATTERN', 'UTC')
      .replace('ctx find WORDS', 'ctx find UTC --in s.jsonl')
      .replace('WORDS', 'UTC')
      .replace(/^ctx ls$/, 'ctx ls s.jsonl');
    const argv = splitShellWords(typed).slice(1);
    const { exitCode, stdout } = await ctx([...argv, '--json'], { files: { 's.jsonl': WEATHER } });
    expect(exitCode).toBe(0);
    // One document, or a line for each item.
    const [first = ''] = stdout.startsWith('{\n') ? [stdout] : stdout.split('\n');
    for (const name of membersIn(meaning)) expect(memberOf(JSON.parse(first), name), `${command}: ${name}`).toBe(true);
  });
});

const SESSION = '/pi/sessions/--home-ada-weather--/2026-01-14T20-31-07-240Z_019bbe34-73e8-770f-a255-ecb81d954856.jsonl';

function commandLines(): readonly string[] {
  return agentsTopic.text.flatMap((piece) => (typeof piece !== 'string' && 'lines' in piece ? piece.lines : []));
}

function terms(): readonly (readonly [string, string])[] {
  return agentsTopic.text.flatMap((piece) => (typeof piece !== 'string' && 'terms' in piece ? piece.terms : []));
}

/** The list of names at the end of a meaning. */
function membersIn(meaning: string): readonly string[] {
  const [, list = ''] = /: ((?:[\w.]+, )*[\w.]+)$/.exec(meaning) ?? [];
  return list === '' ? [] : list.split(', ');
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
