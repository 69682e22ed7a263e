import type { PiOptions, RunningPi } from './running-pi.js';

/** A use of Pi with the extension of ctx. */
export interface Scenario {
  readonly name: string;
  readonly options?: PiOptions;
  /** The number of requests that the provider gets. */
  readonly requests: number;
  /** The requests whose differences the recorder names; none by default. */
  readonly recorded?: readonly number[];
  /** Parts that differ and that a notice names, each as `request: part`; none by default. */
  readonly differences?: readonly string[];
  /** Further flags of `ctx show`. */
  readonly flags?: readonly string[];
  /** Patterns of the notices, in order; none by default. */
  readonly notices?: readonly RegExp[];
  run(pi: RunningPi): Promise<void>;
}

const ALL: PiOptions = { settings: { record: 'all' } };
const IMAGE = {
  type: 'image',
  mimeType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
};

/** The data of a transform with one op. */
function transform(op: string, fields: object = {}): object {
  const one = { op, scope: 'cached', invalidateCacheReason: 'a test', ...fields };
  return { schemaVersion: 1, transformerName: 'test', patch: [one] };
}

/** A scenario in which an op is stored by an extension, then as a raw entry. */
function ofOp(op: string, fields: object, more: Partial<Scenario> = {}): Scenario {
  return {
    name: `the op ${op}`,
    options: ALL,
    requests: 4,
    async run(pi) {
      await pi.prompt('hello');
      await pi.prompt(`/transform ${JSON.stringify(transform(op, fields))}`);
      await pi.prompt('run echo hi');
      await pi.append({ type: 'context_transform', ...transform(op, fields) });
      await pi.prompt('and again');
    },
    ...more,
  };
}

/** An extension that changes each request. */
const CHANGES = `export default (pi) => pi.on('context_with_system', ({ messages }) => ({
  messages: [...messages.slice(0, -1), { ...messages.at(-1), content: 'changed' }],
}));`;
const IN_PLACE = `export default (pi) => pi.on('context', ({ messages }) => { messages.splice(0, messages.length - 1); });`;
const SUMMARY = `export default (pi) => pi.on('session_before_compact', ({ preparation: { firstKeptEntryId, tokensBefore } }) => ({
  compaction: { summary: 'Own summary.', firstKeptEntryId, tokensBefore },
}));`;
const FORCED = `export default (pi) => pi.on('before_agent_start', () => ({ systemPrompt: 'Forced.' }));`;
const ABORTS = `export default (pi) => pi.on('tool_call', (_event, ctx) => { ctx.abort(); });`;
const THROWS = `export default (pi) => pi.on('context_with_system', () => { throw new Error('broken extension'); });`;

export const scenarios: readonly Scenario[] = [
  {
    name: 'prompts',
    options: ALL,
    requests: 3,
    async run(pi) {
      for (const text of ['hello', 'think about it', 'and now?']) await pi.prompt(text);
    },
  },
  {
    name: 'tool calls',
    options: ALL,
    requests: 4,
    async run(pi) {
      await pi.prompt('run echo one');
      await pi.prompt('run false');
    },
  },
  {
    name: 'calls that a run was aborted before',
    options: { ...ALL, after: [ABORTS] },
    requests: 3,
    async run(pi) {
      await pi.prompt('run echo one & echo two & echo three');
      await pi.prompt('and now?');
      await pi.prompt('think about it');
    },
  },
  {
    name: 'context edits, one of which omits a message',
    options: ALL,
    requests: 4,
    async run(pi) {
      await pi.prompt('first');
      const { id } = (await pi.entries()).find(({ message }) => (message as { role?: string })?.role === 'user') ?? {};
      await pi.prompt(
        `/draft ${JSON.stringify({ type: 'context_edit', targetId: id, replacement: { content: 'edited' } })}`,
      );
      await pi.prompt('second');
      await pi.prompt(`/draft ${JSON.stringify({ type: 'context_edit', targetId: id, replacement: null })}`);
      await pi.prompt('third');
      await pi.prompt('fourth');
    },
  },
  ofOp('system_part_set', { partName: 'policy', text: '\n\nBe brief.' }),
  ofOp('system_part_remove', { partName: 'content' }),
  ofOp('system_parts_replace', { parts: [{ name: 'all', text: 'You are a test.' }] }),
  ofOp('tools_remove', { toolNames: ['edit', 'write'] }),
  ofOp(
    'tools_replace',
    {
      tools: [
        { name: 'bash', description: 'Another description', parameters: { type: 'object', properties: {} } },
        { name: 'fly', description: 'Not a tool of Pi', parameters: { type: 'object', properties: {} } },
      ],
    },
    { notices: [/"fly"/, /"fly"/] },
  ),
  ofOp('messages_cached_replace', { messages: [{ role: 'user', content: 'From a transform.', timestamp: 0 }] }),
  ofOp('compaction_apply', { summary: 'A summary.', timestamp: 0, firstKeptMessageIndex: 1 }),
  ofOp(
    'options_set',
    { reasoning: 'high', temperature: 0 },
    {
      recorded: [2, 3, 4],
      differences: ['2: reasoning', '3: reasoning', '4: reasoning'],
      notices: [/temperature/, /reasoning high/, /temperature/, /reasoning high/],
    },
  ),
  {
    name: 'an uncached tail, which may not be stored',
    options: ALL,
    requests: 2,
    flags: ['--lenient'],
    notices: [/broken.*scope/],
    async run(pi) {
      await pi.prompt('hello');
      const messages = [{ role: 'user', content: 'tail', timestamp: 0 }];
      await pi.prompt(
        `/transform ${JSON.stringify(transform('messages_uncached_append', { scope: 'uncached', messages }))}`,
      );
      await pi.prompt('again');
    },
  },
  {
    name: 'a broken transform that stops requests',
    options: { settings: { record: 'all', onBrokenTransform: 'stop' } },
    requests: 1,
    notices: [/broken.*stopped/],
    async run(pi) {
      await pi.prompt('hello');
      await pi.prompt(`/transform ${JSON.stringify({ schemaVersion: 2 })}`);
      await pi.prompt('again');
    },
  },
  {
    name: 'a compaction with an own summary',
    options: { ...ALL, after: [SUMMARY] },
    requests: 3,
    async run(pi) {
      await pi.prompt('first');
      await pi.prompt('second');
      await pi.command('compact');
      await pi.prompt('third');
    },
  },
  {
    name: 'a compaction after a transform',
    options: { ...ALL, after: [SUMMARY] },
    requests: 4,
    async run(pi) {
      await pi.prompt('first');
      await pi.prompt(`/transform ${JSON.stringify(transform('tools_remove', { toolNames: ['edit'] }))}`);
      await pi.prompt('second');
      await pi.command('compact');
      await pi.prompt('third');
      await pi.prompt('fourth');
    },
  },
  {
    name: 'branches',
    options: ALL,
    requests: 4,
    async run(pi) {
      await pi.prompt('first');
      const { id } = (await pi.entries()).at(-1) ?? {};
      await pi.prompt('second');
      await pi.prompt(`/transform ${JSON.stringify(transform('messages_cached_replace', { messages: [] }))}`);
      await pi.prompt('third');
      await pi.prompt(`/goto ${String(id)}`);
      await pi.prompt('second again');
    },
  },
  {
    name: 'a fork with a transform',
    options: ALL,
    requests: 3,
    async run(pi) {
      await pi.prompt('first');
      await pi.prompt(
        `/transform ${JSON.stringify(transform('system_part_set', { partName: 'policy', text: ' Be brief.' }))}`,
      );
      await pi.prompt('second');
      const { messages } = await pi.command('get_fork_messages');
      const last = (messages as readonly { entryId: string }[]).at(-1);
      await pi.command('fork', { entryId: last?.entryId });
      await pi.prompt('second again');
    },
  },
  {
    name: 'a session that is resumed',
    options: ALL,
    requests: 3,
    async run(pi) {
      await pi.prompt('first');
      await pi.prompt(`/transform ${JSON.stringify(transform('tools_remove', { toolNames: ['edit'] }))}`);
      await pi.prompt('second');
      await pi.restart();
      await pi.prompt('third');
    },
  },
  {
    name: 'another extension that changes requests after ours',
    options: { ...ALL, after: [CHANGES] },
    requests: 2,
    recorded: [1, 2],
    differences: ['1: messages', '2: messages'],
    async run(pi) {
      await pi.prompt('first');
      await pi.prompt('second');
    },
  },
  {
    name: 'another extension that changes requests before ours',
    options: { ...ALL, before: [IN_PLACE] },
    requests: 2,
    recorded: [2],
    differences: ['2: messages'],
    async run(pi) {
      await pi.prompt('first');
      await pi.prompt('second');
    },
  },
  {
    name: 'a forced system prompt, which no entry records',
    options: { ...ALL, after: [FORCED] },
    requests: 1,
    recorded: [1],
    differences: ['1: prompt'],
    run: (pi) => pi.prompt('first'),
  },
  {
    name: 'another extension that throws',
    options: { ...ALL, before: [THROWS] },
    requests: 1,
    notices: [/broken extension/],
    run: (pi) => pi.prompt('first'),
  },
  {
    name: 'changes of the model and the thinking level',
    options: ALL,
    requests: 4,
    async run(pi) {
      await pi.prompt('first');
      await pi.command('set_model', { provider: 'faux', modelId: 'faux-2' });
      await pi.prompt('second');
      await pi.command('set_thinking_level', { level: 'high' });
      await pi.prompt('third');
      await pi.command('set_thinking_level', { level: 'off' });
      await pi.prompt('fourth');
    },
  },
  {
    name: 'a change of the active tools',
    options: ALL,
    requests: 2,
    async run(pi) {
      await pi.prompt('first');
      await pi.prompt('/tools read,bash');
      await pi.prompt('second');
    },
  },
  {
    name: 'images',
    options: ALL,
    requests: 2,
    async run(pi) {
      await pi.prompt('look', { images: [IMAGE] });
      await pi.prompt('and now?');
    },
  },
  {
    name: 'shell commands of the user',
    options: ALL,
    requests: 2,
    async run(pi) {
      await pi.prompt('first');
      await pi.command('bash', { command: 'echo hi' });
      await pi.prompt('second');
    },
  },
  {
    name: 'a gate that prunes',
    options: {
      settings: { record: 'all', gate: 'on' },
      config: { limit: 4000, prune: { compactFrom: 'compact' } },
    },
    requests: 9,
    notices: Array.from({ length: 3 }, () => /^info: ctx: pruned \d messages in zone red/),
    async run(pi) {
      for (let turn = 1; turn <= 9; turn += 1) await pi.prompt(`Question ${turn}: ${'a word '.repeat(200)}`);
    },
  },
  {
    name: 'a session that asks for nothing',
    requests: 3,
    async run(pi) {
      await pi.prompt('first');
      await pi.prompt('run echo hi');
    },
  },
];
