import { HEADER } from '../../../support/entries.js';
import { Random } from '../../../support/random.js';

type Json = Record<string, unknown>;

const TEXTS = [
  '',
  ' ',
  'hello',
  'two\nlines',
  'naïve 日本語 🙂',
  'half \ud83d of a pair',
  '<b>&amp;</b> ```js\n```',
  '\u0000\u001b[31m',
];
const IMAGE = { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' };
const REASONING = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'gAAAA+/=' };

/** Models of all APIs, with what is special in how their calls and thoughts are stored. */
const MODELS = [
  { provider: 'anthropic', api: 'anthropic-messages', model: 'claude-sonnet-4-5', signature: 'EqoBCk+/=' },
  { provider: 'anthropic', api: 'anthropic-messages', model: 'claude-opus-4-6', signature: 'EqoBCk+/=' },
  { provider: 'openai', api: 'openai-responses', model: 'gpt-5.1', signature: JSON.stringify(REASONING) },
  { provider: 'openai', api: 'openai-responses', model: 'o3', signature: JSON.stringify(REASONING) },
  { provider: 'groq', api: 'openai-completions', model: 'openai/gpt-oss-120b', signature: 'reasoning' },
  { provider: 'deepseek', api: 'openai-completions', model: 'deepseek-v4-pro', signature: 'reasoning_content' },
  {
    provider: 'openrouter',
    api: 'openai-completions',
    model: 'anthropic/claude-sonnet-4.5:batch',
    signature: JSON.stringify([{ type: 'reasoning.text', text: 'why', signature: null, index: 0 }]),
  },
  { provider: 'github-copilot', api: 'anthropic-messages', model: 'claude-sonnet-4.6', signature: 'EqoBCk+/=' },
  { provider: 'github-copilot', api: 'openai-responses', model: 'gpt-6-sol', signature: JSON.stringify(REASONING) },
  { provider: 'github-copilot', api: 'openai-completions', model: 'gemini-4-argon', signature: '' },
  { provider: 'local/lab', api: 'openai-completions', model: 'llama-3.3', signature: '' },
  { provider: 'google', api: 'google-generative-ai', model: 'gemini-3-pro', signature: 'CAES' },
] as const;

const TOOLS = [
  {
    name: 'read',
    description: 'Read',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
  {
    name: 'bash',
    description: 'Run',
    parameters: {
      type: 'object',
      properties: {
        command: { type: 'string' },
        timeout: { type: 'number', description: 'seconds' },
        env: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        all: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
      },
      required: ['command'],
    },
    constrainedSampling: { type: 'json_schema', strict: 'prefer' },
  },
  {
    name: 'pick',
    description: 'Pick one',
    parameters: { type: 'object', properties: { at: { type: 'integer', minimum: 0, maximum: 9 } }, required: ['at'] },
    constrainedSampling: { type: 'json_schema', strict: 'prefer' },
  },
  {
    name: 'refers',
    description: 'With definitions',
    parameters: {
      type: 'object',
      properties: { a: { $ref: '#/$defs/A' } },
      $defs: { A: { type: 'string' } },
      additionalProperties: true,
    },
    constrainedSampling: { type: 'json_schema', strict: 'prefer' },
  },
  {
    name: 'takes',
    description: 'Anything',
    parameters: { type: 'object', properties: { list: { type: 'array', items: {} } }, additionalProperties: false },
    constrainedSampling: { type: 'json_schema', strict: 'prefer' },
  },
  { name: 'none', description: '', parameters: { type: 'object' } },
];

/** A session of one path that several models answer in turn, with all that they do differently. */
export function talk(seed: number): string {
  const random = new Random(seed);
  const entries: Json[] = [];
  const add = (entry: Json): void => {
    const at = entries.length;
    const [id, parentId] = [at, at - 1].map((number) => (number < 0 ? null : `e${String(number).padStart(7, '0')}`));
    entries.push({ ...entry, id, parentId, timestamp: new Date(1_767_600_000_000 + at * 1000).toISOString() });
  };
  const say = (message: Json): void => add({ type: 'message', message: { ...message, timestamp: 1_767_600_000_000 } });
  const blocks = (): Json[] =>
    Array.from({ length: random.int(0, 3) }, () =>
      random.chance(0.2) ? IMAGE : { type: 'text', text: random.pick(TEXTS) },
    );
  if (random.chance(0.8))
    say({
      role: 'system',
      content: random.pick(TEXTS),
      sections: { rules: random.pick(TEXTS) },
      toolsAdded: TOOLS.filter(() => random.chance(0.6)),
    });
  if (random.chance(0.5))
    add({ type: 'thinking_level_change', thinkingLevel: random.pick(['minimal', 'low', 'medium', 'high']) });
  let home = random.pick(MODELS);
  for (let turn = 0; turn < 6; turn += 1) {
    say({ role: 'user', content: random.chance(0.3) ? random.pick(TEXTS) : blocks() });
    if (random.chance(0.3)) home = random.pick(MODELS);
    const { signature, ...by } = home;
    const calls = Array.from({ length: random.chance(0.6) ? random.int(1, 3) : 0 }, (_, at) => ({
      type: 'toolCall',
      id: random.pick([
        `toolu_${turn}_${at}`,
        `call_${turn}${at}|fc_${'x'.repeat(at * 60)}${turn}`,
        `call_${turn}${at}|rs+/${at}=`,
        `call/${'long'.repeat(at * 12)}.${turn}${at}`,
      ]),
      name: random.pick(TOOLS).name,
      arguments: { path: random.pick(TEXTS), n: 1.5 },
      ...(random.chance(0.2) ? { thoughtSignature: 'c2ln' } : {}),
    }));
    const thinking = random.chance(0.5)
      ? [
          {
            type: 'thinking',
            thinking: random.pick(TEXTS),
            ...(random.chance(0.7) ? { thinkingSignature: signature } : {}),
            ...(random.chance(0.2) && by.provider === 'anthropic'
              ? { redacted: true, thinkingSignature: signature }
              : {}),
          },
        ]
      : [];
    const texts = Array.from({ length: random.int(0, 2) }, () => ({
      type: 'text',
      text: random.pick(TEXTS),
      ...(random.chance(0.4)
        ? {
            textSignature: random.pick([
              'msg_1',
              `msg_${'y'.repeat(80)}`,
              '{"v":1,"id":"msg_2","phase":"commentary"}',
              '{"v":2}',
            ]),
          }
        : {}),
    }));
    const stopReason = random.chance(0.1) ? random.pick(['error', 'aborted']) : calls.length > 0 ? 'toolUse' : 'stop';
    const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 };
    say({ role: 'assistant', content: [...thinking, ...texts, ...calls], ...by, usage, stopReason });
    for (const { id, name } of calls) {
      if (random.chance(0.1)) continue;
      say({ role: 'toolResult', toolCallId: id, toolName: name, content: blocks(), isError: random.chance(0.2) });
    }
    if (random.chance(0.05))
      say({ role: 'toolResult', toolCallId: 'nobody', toolName: 'read', content: blocks(), isError: false });
  }
  return `${[HEADER, ...entries].map((entry) => JSON.stringify(entry)).join('\n')}\n`;
}
