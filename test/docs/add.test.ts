import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { checkSession } from '#analysis/check/check-session.js';
import type { Rule } from '#analysis/check/define.js';
import { buildExampleFile } from '#analysis/check/example.js';
import type { Strategy } from '#change/prune/define.js';
import { openSession } from '#context/open.js';
import type { AgentFormat } from '#session/agents/define.js';
import { AGENTS } from '#session/agents/index.js';
import { nodeFiles } from '../../src/platform/files/node-files.js';
import { buildConversation } from '../session/agents/kit/conversations.js';
import type { TestedAgent } from '../session/agents/kit/define.js';
import { listExpected, readMessages } from '../session/agents/kit/read.js';
import { bytes } from '../support/entries.js';
import { projectFolder } from '../support/files.js';
import { expectGeneratedPart } from '../support/generated.js';
import { answered, asked, call, historyFrom, later, prunedBy, result, SAID, talk } from '../support/history.js';
import { ctx } from '../support/memory-io.js';

const source = path.join(projectFolder, 'src');

/** The code block of a page after the comment that names it. */
function blockOf(page: string, name: string): string {
  const text = readFileSync(path.join(projectFolder, 'docs/contributing', page), 'utf8');
  const [, code] = new RegExp(`^<!-- ${name} -->\\n\`\`\`\\w+\\n(.*?)^\`\`\``, 'ms').exec(text) ?? [];
  if (code === undefined) throw new Error(`${page} has no block ${name}`);
  return code;
}

/** The module in a page, as if it were in the folder of src in which the page puts it. */
async function moduleOf<Module>(page: string, name: string, folder: string): Promise<Module> {
  const here = path.join(source, folder);
  const fileOf = (file: string): string =>
    file.startsWith('#') ? path.join(source, file.slice(1)) : path.join(here, file);
  const code = blockOf(page, name).replaceAll(/from '([.#][^']+)'/g, (_all, file: string) => `from '${fileOf(file)}'`);
  const temporary = mkdtempSync(path.join(tmpdir(), 'ctx-add-'));
  try {
    const file = path.join(temporary, `${name}.ts`);
    writeFileSync(file, code);
    return (await import(pathToFileURL(file).href)) as Module;
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

it('the rule of docs/contributing/add-a-rule.md finds its example, and nothing in a sound session', async () => {
  const { default: rule } = await moduleOf<{ default: Rule }>('add-a-rule.md', 'rule', 'analysis/check/policy');
  const { fires, silent, options } = rule.example;
  const found = async (lines: typeof silent): Promise<readonly string[]> => {
    const messages: string[] = [];
    checkSession({
      session: await openSession(buildExampleFile(lines), nodeFiles),
      rules: [{ rule, severity: 'error', options: rule.options?.parse(options) as never }],
      requests: 'leaf',
      envelope: {},
      report: ({ message }) => void messages.push(message),
    });
    return messages;
  };
  expect(await found(silent)).toEqual([]);
  expect(await found(fires ?? [])).toEqual(['anthropic/claude-opus-4-5 answered, which is not allowed']);
});

it('the strategy of docs/contributing/add-a-strategy.md replaces old listings, and spares what is new or failed', async () => {
  const folder = 'change/prune/strategies';
  const { default: strategy } = await moduleOf<{ default: Strategy }>('add-a-strategy.md', 'strategy', folder);
  const LISTING = 'README.md\n'.repeat(40);
  const turn = (at: number, isError = false): ReturnType<typeof result>[] => [
    asked(`u${at}`, 'Which files are there?'),
    answered(`a${at}`, call(`c${at}`, 'ls', { path: '.' })),
    result(`r${at}`, `c${at}`, LISTING, { toolName: 'ls', isError }),
    answered(`d${at}`, SAID),
  ];
  const history = historyFrom(talk(...turn(1), ...turn(2, true), ...turn(3), ...later(1)));
  const { items } = prunedBy(history, [strategy]).history;
  const texts = items
    .filter(({ kind }) => kind === 'toolResult')
    .map(({ message }) => JSON.stringify(message['content']));
  const listing = JSON.stringify([{ type: 'text', text: LISTING }]);
  expect(texts).toEqual(['[{"type":"text","text":"[old listing: ctx cat the-session r1]"}]', listing, listing]);
});

it('the agent of docs/contributing/add-an-agent.md is read by ctx log', async () => {
  const { acme } = await moduleOf<{ acme: AgentFormat }>('add-an-agent.md', 'agent', 'session/agents');
  const agents = AGENTS as AgentFormat[];
  agents.push(acme);
  try {
    const files = { 'acme.jsonl': blockOf('add-an-agent.md', 'session') };
    const { stdout } = await ctx(['log', 'acme.jsonl'], { files });
    expect(stdout).toContain('Which files are there?');
    expectGeneratedPart('docs/contributing/add-an-agent.md', 'log', `\`\`\`text\n${stdout}\`\`\``);
    expect(await ctx(['check', 'acme.jsonl'], { files })).toMatchObject({ exitCode: 0 });
    const folder = '../test/session/agents/kit/writers';
    const { acme: tested } = await moduleOf<{ acme: TestedAgent }>('add-an-agent.md', 'kit', folder);
    const conversation = buildConversation(1, 5);
    const session = await openSession(bytes(tested.write(conversation)));
    expect(session.agent?.name).toBe(tested.name);
    expect(readMessages(session)).toEqual(listExpected(conversation, tested));
  } finally {
    agents.pop();
  }
});
