import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { envelopeAt } from '#context/envelope-at.js';
import { openSession } from '#context/open.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { projectFolder } from '../support/files.js';
import { expectLinearTime } from '../support/growth.js';

const CHARACTERS_PER_TOKEN = 4;

async function metaOf(text: string): Promise<ContextEnvelope['meta']> {
  return envelopeAt(await openSession(new TextEncoder().encode(text)), 'HEAD', { lenient: true }).meta;
}

/** The estimated tokens of each kind, and of each name of it. */
async function contentsOf(text: string): Promise<Readonly<Record<string, number>>> {
  const { composition } = await metaOf(text);
  return Object.fromEntries(
    composition.contents.map(({ kind, name, tokensEstimated }) => [
      name === null ? kind : `${kind}: ${name}`,
      tokensEstimated,
    ]),
  );
}

type Raw = Readonly<Record<string, unknown>>;
const toText = (records: readonly Raw[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');
const isNear = (tokens: number | undefined, characters: number): boolean =>
  Math.abs((tokens ?? 0) - characters / CHARACTERS_PER_TOKEN) <= 2;

const words = (length: number): string => 'word '.repeat(length / 5);

/** What an agent added to a request, with the content that it is. */
const ADDED: readonly (readonly [type: string, words: string, content: string])[] = [
  [
    'instructions',
    `Contents of /home/ada/shop/CLAUDE.md (project):\n\n${words(400)}`,
    'memory files: /home/ada/shop/CLAUDE.md',
  ],
  [
    'nested_memory',
    `Contents of /home/ada/shop/src/CLAUDE.md:\n\n${words(200)}`,
    'memory files: /home/ada/shop/src/CLAUDE.md',
  ],
  ['skill_listing', `The following skills are there:\n${words(300)}`, 'skills'],
  ['agent_listing_delta', `Available agent types:\n${words(240)}`, 'agents'],
  ['hook_success', `SessionStart:startup hook success: ${words(160)}`, 'hooks: SessionStart'],
  ['hook_additional_context', `PostToolUse:Bash hook additional context: ${words(120)}`, 'hooks: PostToolUse'],
  ['environment', `# Environment\n${words(140)}`, 'reminders: environment'],
  ['todo_reminder', `Some other words. ${words(100)}`, 'reminders: todo reminder'],
];

const SESSION = { sessionId: '0b1c2d3e-0000-4000-8000-00000000abcd', version: '2.1.332', cwd: '/home/ada/shop' };

function recordsOf(added: typeof ADDED): readonly Raw[] {
  const uuidAt = (at: number): string => `${String(at).padStart(8, '0')}-0000-4000-8000-000000000000`;
  const bodies: readonly Raw[] = [
    { type: 'user', message: { role: 'user', content: 'Which total is right?' } },
    ...added.map(([type, text]) => ({
      type: 'attachment',
      attachment: { type },
      rendered: [{ content: `<system-reminder>\n${text}\n</system-reminder>` }],
      renderedRole: 'user',
    })),
  ];
  return bodies.map((body, at) => ({
    parentUuid: at === 0 ? null : uuidAt(at - 1),
    uuid: uuidAt(at),
    isSidechain: false,
    timestamp: `2026-09-01T00:00:${String(at).padStart(2, '0')}.000Z`,
    ...SESSION,
    ...body,
  }));
}

describe('what a context holds, against a count over the raw file', () => {
  it('of Claude Code: memory files, listings, hooks and reminders', async () => {
    const found = await contentsOf(toText(recordsOf(ADDED)));
    for (const [, text, content] of ADDED) {
      const tagged = text.length + '<system-reminder>\n\n</system-reminder>'.length;
      expect([content, isNear(found[content], tagged)]).toEqual([content, true]);
    }
    expect(Object.keys(found).toSorted()).toEqual([...ADDED.map(([, , content]) => content), 'user'].toSorted());
  });

  it('of Claude Code where one message has all of them', async () => {
    const blocks = ADDED.map(([, text]) => ({ type: 'text', text: `<system-reminder>\n${text}\n</system-reminder>` }));
    const [record = {}] = recordsOf([]);
    const content = [...blocks, { type: 'text', text: 'Which total is right?' }];
    const found = await contentsOf(toText([{ ...record, message: { role: 'user', content } }]));
    for (const [type, text, name] of ADDED) {
      const shown = type === 'todo_reminder' ? 'reminders: other' : name;
      expect([shown, isNear(found[shown], text.length + 37)]).toEqual([shown, true]);
    }
    expect(isNear(found['user'], 'Which total is right?'.length)).toBe(true);
  });

  it('of the tools that are listed by name, by their server', async () => {
    const names = ['Read', 'mcp__parts__find', 'mcp__parts__list', 'mcp__weather__ask'];
    const list = `The following deferred tools are there:\n${names.join('\n')}`;
    const said = `# MCP Server Instructions\n\n## parts\n${words(200)}\n\n## Usage\n${words(100)}`;
    const found = await contentsOf(
      toText(
        recordsOf([
          ['deferred_tools_delta', list, ''],
          ['mcp_instructions_delta', said, ''],
        ]),
      ),
    );
    expect(Object.keys(found).toSorted()).toEqual(['tools', 'tools: parts', 'tools: weather', 'user']);
    expect(isNear(found['tools: parts'], said.length + 37 + 'mcp__parts__find\nmcp__parts__list\n'.length)).toBe(true);
  });

  it('of Codex: instructions, files of the user and of the project, what it adds', async () => {
    const text = readFileSync(path.join(projectFolder, 'fixtures/agents/codex/rollout.jsonl'), 'utf8');
    const lines = text.split('\n').slice(0, 8);
    const found = await contentsOf(`${lines.join('\n')}\n`);
    const agents = '# AGENTS.md instructions for /home/ada/shop\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>';
    const base = 'You are a careful engineer. Read before you write, and run the tests.';
    expect(isNear(found['memory files: /home/ada/shop/AGENTS.md'], agents.length)).toBe(true);
    expect(isNear(found['prompt: base_instructions'], base.length)).toBe(true);
    expect(found['reminders: environment']).toBeGreaterThan(0);
    expect(found['reminders: permissions']).toBeGreaterThan(0);
    expect(isNear(found['user'], 'Why is the price of part 417 wrong?'.length)).toBe(true);
  });

  it('of Pi: the files and skills in its prompt, and a skill that was loaded', async () => {
    const file = `<project_instructions path="/home/ada/shop/AGENTS.md">\n${words(200)}\n</project_instructions>\n`;
    const other = `<project_instructions path="/home/ada/.pi/agent/AGENTS.md">\n${words(100)}\n</project_instructions>\n`;
    const skill = `<skill name="tidy" location="/s">\n${words(160)}\n</skill>`;
    const sections = {
      preamble: words(80),
      project_context: `<project_context>\n${other}${file}</project_context>`,
      skills: `<skills>\n${words(120)}\n</skills>`,
    };
    const found = await contentsOf(
      toText([
        { type: 'session', version: 3, id: 's', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/home/ada/shop' },
        {
          type: 'message',
          id: 's1',
          parentId: null,
          message: { role: 'system', content: '', sections, timestamp: 1 },
        },
        {
          type: 'message',
          id: 'u1',
          parentId: 's1',
          message: { role: 'user', content: `${skill}\n\nGo on.`, timestamp: 2 },
        },
      ]),
    );
    expect(Object.keys(found).toSorted()).toEqual([
      'memory files: /home/ada/.pi/agent/AGENTS.md',
      'memory files: /home/ada/shop/AGENTS.md',
      'prompt: preamble',
      'skills',
      'skills: tidy',
      'user',
    ]);
    expect(isNear(found['memory files: /home/ada/shop/AGENTS.md'], file.length + '</project_context>'.length)).toBe(
      true,
    );
    expect(isNear(found['skills: tidy'], skill.length)).toBe(true);
    expect(isNear(found['skills'], sections.skills.length)).toBe(true);
  });

  it('leaves tags alone that are read or written, and not added', async () => {
    const [record = {}] = recordsOf([]);
    const text = 'What does <system-reminder>be brief</system-reminder> mean here?';
    const found = await contentsOf(toText([{ ...record, message: { role: 'user', content: text } }]));
    expect(Object.keys(found)).toEqual(['user']);
  });

  it('in linear time, whatever a text repeats', async () => {
    const [record = {}] = recordsOf([]);
    const texts = ['<system-reminder>', '</system-reminder>', '<skill name="a" '];
    for (const repeated of texts)
      await expectLinearTime((count) => {
        const text = toText([{ ...record, message: { role: 'user', content: repeated.repeat(count) } }]);
        return () => contentsOf(text);
      }, 2000);
  });
});
