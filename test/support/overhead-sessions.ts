/** A session of Claude Code with all that it adds to a request, and two requests, of which the second reads the cache. */

type Raw = Readonly<Record<string, unknown>>;

const CLAUDE_FOLDER = '/home/ada/shop';

export const CLAUDE_TOOLS: readonly Raw[] = [
  { name: 'Bash', description: 'Runs a command. '.repeat(40), schema: { type: 'object' } },
  { name: 'WebFetch', description: 'Reads a page. '.repeat(60), schema: { type: 'object' } },
  { name: 'mcp__weather__ask', description: 'Asks for the weather. '.repeat(30), schema: { type: 'object' } },
  { name: 'mcp__weather__list', description: 'Lists cities. '.repeat(20), schema: { type: 'object' } },
  { name: 'mcp__parts__find', description: 'Finds a part. '.repeat(20), schema: { type: 'object' } },
];

export const CLAUDE_PROMPT = 'You help with the shop. '.repeat(50);

const remind = (text: string): string => `<system-reminder>\n${text}\n</system-reminder>`;

export const SKILL_LINES = {
  pdf: `- pdf: Reads PDF files. ${'Use it for pages. '.repeat(20)}`,
  'shop:charts': `- shop:charts: Draws charts. ${'Use it for sums. '.repeat(30)}`,
};

export const AGENT_LINES = {
  Explore: `- Explore: Searches files. ${'Fast. '.repeat(30)}`,
  reviewer: `- reviewer: Reviews code. ${'Careful. '.repeat(20)}`,
};

/** The texts of attachments, in order. */
export const CLAUDE_ADDED: readonly (readonly [type: string, text: string])[] = [
  [
    'agent_listing_delta',
    remind(`Available agent types for the Agent tool:\n${Object.values(AGENT_LINES).join('\n')}`),
  ],
  ['skill_listing', remind(`The following skills are available:\n\n${Object.values(SKILL_LINES).join('\n')}`)],
  ['hook_success', remind(`UserPromptSubmit hook success: ${'Remember the tabs. '.repeat(12)}`)],
  ['instructions', remind(`Contents of ${CLAUDE_FOLDER}/CLAUDE.md (project):\n\n${'Use tabs. '.repeat(80)}`)],
];

export const CLAUDE_QUESTION = 'Which total is right?';

/** What the provider counted for each request. */
export const CLAUDE_USAGES = [
  { input_tokens: 10, cache_creation_input_tokens: 4990, cache_read_input_tokens: 0, output_tokens: 20 },
  { input_tokens: 40, cache_creation_input_tokens: 60, cache_read_input_tokens: 5000, output_tokens: 8 },
] as const;

const CALLS = [
  { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'npm test' } },
  { type: 'tool_use', id: 'toolu_2', name: 'Skill', input: { skill: 'pdf' } },
  { type: 'tool_use', id: 'toolu_3', name: 'Agent', input: { subagent_type: 'Explore', prompt: 'Look.' } },
  { type: 'tool_use', id: 'toolu_4', name: 'mcp__weather__ask', input: { city: 'Graz' } },
];

/** `calls`: of the first answer. `agentId`: that of the subagent whose session it is. `more`: lines before that answer. */
export function claudeSession({
  calls = CALLS,
  agentId,
  more = [],
}: { readonly calls?: readonly Raw[]; readonly agentId?: string; readonly more?: readonly Raw[] } = {}): string {
  const answer = (at: number, content: readonly Raw[]): Raw => ({
    type: 'assistant',
    requestId: `req_${at}${agentId ?? ''}`,
    message: {
      id: `msg_${at}${agentId ?? ''}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content,
      stop_reason: at === 0 ? 'tool_use' : 'end_turn',
      usage: CLAUDE_USAGES[at],
    },
  });
  const bodies: readonly Raw[] = [
    { type: 'user', message: { role: 'user', content: CLAUDE_QUESTION } },
    ...CLAUDE_ADDED.map(([type, text]) => ({
      type: 'attachment',
      attachment: { type },
      rendered: [{ content: text }],
      renderedRole: 'user',
    })),
    { type: 'attachment', attachment: { type: 'prompt_snapshot', systemPrompt: [CLAUDE_PROMPT], tools: CLAUDE_TOOLS } },
    ...more,
    ...calls.map((call) => answer(0, [call])),
    {
      type: 'user',
      message: {
        role: 'user',
        content: calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'Done.' })),
      },
    },
    answer(1, [{ type: 'text', text: 'The second one.' }]),
  ];
  const uuidAt = (at: number): string =>
    `${String(agentId === undefined ? at : at + 100).padStart(8, '0')}-0000-4000-8000-000000000000`;
  return bodies
    .map((body, at) => ({
      parentUuid: at === 0 ? null : uuidAt(at - 1),
      uuid: uuidAt(at),
      isSidechain: agentId !== undefined,
      ...(agentId !== undefined && { agentId }),
      timestamp: `2026-09-01T00:00:${String(at).padStart(2, '0')}.000Z`,
      sessionId: '0b1c2d3e-0000-4000-8000-00000000abcd',
      version: '2.1.332',
      cwd: CLAUDE_FOLDER,
      ...body,
    }))
    .map((record) => `${JSON.stringify(record)}\n`)
    .join('');
}
