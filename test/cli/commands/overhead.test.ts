import { describe, expect, it } from 'vitest';
import type { Overhead, OverheadItem } from '#analysis/overhead/document.js';
import { schemas } from '#cli/schemas.js';
import { Log } from '../../fixtures/log.js';
import { ctx } from '../../support/memory-io.js';
import { claudeSession } from '../../support/overhead-sessions.js';

type Files = Readonly<Record<string, string>>;

async function overheadOf(argv: readonly string[], files: Files): Promise<Overhead> {
  const { stdout, exitCode } = await ctx(['overhead', ...argv, '--json'], { files });
  expect(exitCode).toBe(0);
  const data = JSON.parse(stdout) as unknown;
  expect(schemas.overhead.safeParse(data)).toMatchObject({ success: true });
  return data as Overhead;
}

function find({ items }: Overhead, kind: string, name: string | null): OverheadItem | undefined {
  return items.find((item) => item.kind === kind && item.name === name);
}

const SKILLS = `The following skills are there:
<available_skills>
  <skill>
    <name>pdf</name>
    <description>${'Reads PDF files. '.repeat(10)}</description>
    <location>/home/ada/.pi/agent/skills/pdf/SKILL.md</location>
  </skill>
  <skill>
    <name>charts</name>
    <description>${'Draws charts. '.repeat(10)}</description>
    <location>/home/ada/.pi/agent/skills/charts/SKILL.md</location>
  </skill>
</available_skills>`;

const TOOLS = ['read', 'grep', 'mcp__parts__find', 'ask_user'].map((name) => ({
  name,
  description: `${name} does it. `.repeat(20),
  parameters: { type: 'object' },
}));

/** A request of Pi with a prompt of 1,000 tokens, of which some were read from the cache. */
function usage(cacheRead: number): Record<string, unknown> {
  const cacheWrite = 1000 - cacheRead;
  const cost = { input: 0, output: 0, cacheRead: cacheRead * 3e-7, cacheWrite: cacheWrite * 3.75e-6 };
  const total = cost.cacheRead + cost.cacheWrite;
  return { usage: { input: 0, output: 5, cacheRead, cacheWrite, totalTokens: 1005, cost: { ...cost, total } } };
}

function piSession(id: string, header: Record<string, unknown> = {}): Log {
  const context = '<project_instructions path="/home/ada/shop/AGENTS.md">\nUse tabs.\n</project_instructions>';
  const system = {
    role: 'system',
    content: '',
    sections: { preamble: 'You help.', project_context: context, skills: SKILLS },
    toolsAdded: TOOLS,
  };
  return new Log(id, header)
    .message('s1', system)
    .user('u1', 'Read the page.')
    .assistant('a1', '', {
      ...usage(0),
      content: [
        { type: 'toolCall', id: 'c1', name: 'read', arguments: { path: '/home/ada/.pi/agent/skills/pdf/SKILL.md' } },
      ],
    })
    .message('r1', {
      role: 'toolResult',
      toolCallId: 'c1',
      toolName: 'read',
      content: [{ type: 'text', text: 'Read it.' }],
      isError: false,
    })
    .user('u2', 'And?')
    .assistant('a2', 'Done.', usage(900));
}

describe('ctx overhead', () => {
  it('says that there is no request, and nothing about its parts', async () => {
    const { stdout, exitCode } = await ctx(['overhead', 's.jsonl'], { files: { 's.jsonl': new Log('s').text() } });
    expect([exitCode, stdout]).toEqual([0, 'no request is recorded\n']);
  });

  it('lists what was never used first, by cost, with the edits that remove it', async () => {
    const overhead = await overheadOf(['s.jsonl'], { 's.jsonl': claudeSession() });
    const named = overhead.items.filter(({ requests }) => requests > 0).map(({ kind, name }) => `${kind} ${name}`);
    expect(named.slice(0, 4)).toEqual(['tool WebFetch', 'skill shop:charts', 'mcp server parts', 'agent reviewer']);
    expect(overhead.unused.map(({ kind, neverUsed, things }) => [kind, neverUsed, things])).toEqual([
      ['mcp server', 1, 2],
      ['tool', 1, 2],
      ['skill', 1, 2],
      ['agent', 1, 2],
    ]);
    expect(find(overhead, 'agent', 'reviewer')?.remove).toMatchObject([
      { file: '~/.claude/settings.json', key: 'permissions.deny', text: '"permissions": {"deny":["Agent(reviewer)"]}' },
    ]);
    const { stdout } = await ctx(['overhead', 's.jsonl'], { files: { 's.jsonl': claudeSession() } });
    expect(stdout).toContain('\n  "permissions": {"deny":["WebFetch","Agent(reviewer)"]}\n');
    expect(stdout).toContain('\n  "skillOverrides": {"shop:charts":"off"}\n');
    expect(stdout).toContain('\n  claude mcp remove parts\n');
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      '1 of 2 MCP servers, 1 of 2 tools, 1 of 2 skills, and 1 of 2 agents were never used in 1 session: 1,442 tokens a request (29%), ~$0.0058',
    );
    for (const line of stdout.split('\n').filter((one) => !one.startsWith('  "')))
      expect(line.length).toBeLessThanOrEqual(80);
  });

  it('adds up: the tokens of rows to the prompts, their parts to each row', async () => {
    const overhead = await overheadOf(['s.jsonl'], { 's.jsonl': claudeSession() });
    const { stdout } = await ctx(['show', 's.jsonl', '@{request:2}', '--json'], {
      files: { 's.jsonl': claudeSession() },
    });
    expect(JSON.parse(stdout)).toMatchObject({ meta: { size: { tokens: 5100 } } });
    expect(overhead.promptTokens).toBe(10_100);
    expect(overhead.items.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThan(overhead.promptTokens);
    for (const { tools, tokens } of overhead.items)
      if (tools.length > 0) expect(tools.reduce((sum, tool) => sum + tool.tokens, 0)).toBe(tokens);
    const cost = 10 * 3e-6 + 4990 * 3.75e-6 + 5000 * 0.3e-6 + 40 * 3e-6 + 60 * 3.75e-6;
    expect(overhead.cost).toBeCloseTo(cost, 10);
  });

  it('counts skills that Pi reads, and tools of servers, extensions and its own', async () => {
    const overhead = await overheadOf(['p.jsonl'], { 'p.jsonl': piSession('p').text() });
    expect(overhead).toMatchObject({
      sessions: 1,
      requests: 2,
      requestsRecorded: 2,
      isCostListed: false,
      notRecorded: [],
    });
    expect(find(overhead, 'skill', 'pdf')).toMatchObject({ uses: 1, requests: 2, sessionsUsing: 1 });
    expect(find(overhead, 'skill', 'charts')).toMatchObject({ uses: 0, requests: 2 });
    expect(find(overhead, 'memory file', '/home/ada/shop/AGENTS.md')).toMatchObject({ uses: null, requests: 2 });
    expect(find(overhead, 'tool', 'read')).toMatchObject({ uses: 1, remove: [] });
    expect(find(overhead, 'tool', 'grep')?.remove[0]?.text).toBe('"defaultTools": ["-grep"]');
    expect(find(overhead, 'tool', 'ask_user')?.remove[0]?.text).toBe('pi --exclude-tools ask_user');
    expect(find(overhead, 'mcp server', 'parts')?.remove.map(({ text }) => text)).toEqual([
      '"mcpServers": {"parts":{"enabled":false}}',
      'pi mcp remove parts',
    ]);
    // The preamble was read from the cache once, and written once.
    const grep = find(overhead, 'tool', 'grep');
    expect(grep?.costCached).toBeCloseTo(((grep?.tokens ?? 0) / 2) * 3e-7, 10);
    expect(grep?.costUncached).toBeCloseTo(((grep?.tokens ?? 0) / 2) * 3.75e-6, 10);
  });

  it('sums up a folder: a fork counts once, and each thing with the sessions that carried and used it', async () => {
    const one = piSession('p').text();
    const files = {
      'd/p.jsonl': one,
      'd/fork.jsonl': piSession('p', { id: 'fork', parentSession: 'p.jsonl' })
        .user('u3', 'Go on.')
        .assistant('a3', 'Yes.', usage(1000))
        .text(),
      'd/s.jsonl': claudeSession(),
    };
    const overhead = await overheadOf(['d'], files);
    expect(overhead).toMatchObject({ sessions: 3, requests: 5 });
    expect(find(overhead, 'tool', 'grep')).toMatchObject({ agent: 'pi', requests: 3, sessions: 2, uses: 0 });
    expect(find(overhead, 'tool', 'read')).toMatchObject({ requests: 3, uses: 1, sessionsUsing: 1 });
    expect(find(overhead, 'tool', 'WebFetch')).toMatchObject({ agent: 'claude-code', requests: 2, sessions: 1 });
  });

  it('counts the subagents of a session: what only they use is used', async () => {
    const calls = [{ type: 'tool_use', id: 'toolu_9', name: 'mcp__parts__find', input: {} }];
    const files = {
      'p/s.jsonl': claudeSession(),
      'p/s/subagents/agent-a1.jsonl': claudeSession({ calls, agentId: 'a1' }),
    };
    const alone = await overheadOf(['p/s.jsonl'], files);
    expect(alone).toMatchObject({ sessions: 2, subagents: 1, requests: 4 });
    expect(find(alone, 'mcp server', 'parts')).toMatchObject({ uses: 1, requests: 4 });
    expect(await overheadOf(['p'], files)).toEqual(alone);
  });

  it('counts a skill of a plugin that the user calls, with the text that it loads', async () => {
    const command = '<command-message>shop:charts</command-message>\n<command-name>/shop:charts</command-name>';
    const text = `Base directory for this skill: /home/ada/.claude/plugins/shop/skills/charts\n\n${'Draw. '.repeat(100)}`;
    const more = [
      { type: 'user', message: { role: 'user', content: command } },
      { type: 'user', isMeta: true, message: { role: 'user', content: [{ type: 'text', text }] } },
    ];
    const listed = find(await overheadOf(['s.jsonl'], { 's.jsonl': claudeSession() }), 'skill', 'shop:charts');
    const loaded = await overheadOf(['s.jsonl'], { 's.jsonl': claudeSession({ more }) });
    expect(find(loaded, 'skill', 'shop:charts')).toMatchObject({ uses: 1, requests: 2 });
    expect(find(loaded, 'skill', 'shop:charts')?.tokens).toBeGreaterThan((listed?.tokens ?? 0) + 150);
    expect(find(loaded, 'skill', 'charts')).toBeUndefined();
  });

  it('counts the requests and uses of a period', async () => {
    const files = { 'p.jsonl': piSession('p').text() };
    const all = await overheadOf(['p.jsonl'], files);
    const late = await overheadOf(['p.jsonl', '--since', '2026-03-02T09:05:30Z'], files);
    expect([all.requests, late.requests]).toEqual([2, 1]);
    expect(find(late, 'tool', 'read')).toMatchObject({ uses: 0, requests: 1 });
    const early = await overheadOf(['p.jsonl', '--until', '2026-03-02T09:05:30Z'], files);
    expect([early.requests, find(early, 'tool', 'read')?.uses]).toEqual([1, 1]);
  });

  it('says what a session lacks, and takes it from a baseline', async () => {
    const text = new Log('x')
      .user('u1', 'Go.')
      .assistant('a1', '', { ...usage(0), content: [{ type: 'toolCall', id: 'c1', name: 'grep', arguments: {} }] })
      .text();
    const files = {
      'x.jsonl': text,
      'baseline.json': JSON.stringify({ parts: [{ name: 'content', text: 'You help.' }], tools: TOOLS }),
    };
    const { stdout } = await ctx(['overhead', 'x.jsonl'], { files });
    expect(stdout).toContain('Calls of tools that no recorded list has: grep 1.');
    expect(stdout).toContain('Pi records its prompt and tools since 0.86');
    const { notRecorded, cost, promptTokens } = await overheadOf(['x.jsonl'], files);
    const [pi] = notRecorded;
    expect(pi).toMatchObject({ agent: 'pi', requests: 1, parts: ['system prompt', 'tool definitions'] });
    // All of the prompt was written to the cache, at one price for each token.
    expect(pi?.cost).toBeCloseTo(((cost ?? 0) * (pi?.tokens ?? 0)) / promptTokens, 9);
    expect(stdout).toMatch(
      new RegExp(
        `\\n {2}Pi: system prompt and tool definitions +${pi?.tokens} +1 +\\$${(pi?.cost ?? 0).toFixed(4)}\\n`,
      ),
    );
    const known = await overheadOf(['x.jsonl', '--baseline', 'baseline.json'], files);
    expect(known.notRecorded).toEqual([]);
    expect(find(known, 'tool', 'grep')).toMatchObject({ uses: 1, requests: 1 });
    expect(find(known, 'tool', 'ask_user')).toMatchObject({ uses: 0, requests: 1 });
  });

  it('masks what a hostile session writes into names', async () => {
    const tools = [{ name: 'evil\u001B[2Jname', description: 'x'.repeat(2000), parameters: {} }];
    const text = new Log('x')
      .message('s1', { role: 'system', content: '', sections: { preamble: 'Hi.' }, toolsAdded: tools })
      .user('u1', 'Go.')
      .assistant('a1', 'Yes.', usage(0))
      .text();
    const { stdout } = await ctx(['overhead', 'x.jsonl'], { files: { 'x.jsonl': text } });
    expect(stdout).toContain('evil');
    expect(stdout).not.toContain('\u001B');
  });

  it('refuses a folder without a session', async () => {
    const { stderr, exitCode } = await ctx(['overhead', 'd'], { files: { 'd/x.txt': 'x' } });
    expect(exitCode).toBe(3);
    expect(stderr).toContain('no session file in this folder');
  });
});
