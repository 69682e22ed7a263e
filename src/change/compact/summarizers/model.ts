import { toOneLine, truncateText } from '#analysis/facts/text.js';
import { CtxError } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import { defineSummarizer, type SummarizerIo, type SummarizerValues } from './define.js';
import type { ModelAccess, ModelAnswer } from './model-client.js';
import { buildPrompts, joinSummary, SYSTEM_PROMPT } from './prompts.js';

const APIS = ['anthropic', 'openai'] as const;

const MODEL_FLAGS = {
  model: { placeholder: 'NAME', help: "model, by its provider's name for it", parse: (raw: string) => raw },
  api: {
    placeholder: 'PROTOCOL',
    help: 'protocol of the server: anthropic or openai (default: anthropic for Claude models, else openai)',
    choices: APIS,
    parse(raw: string): (typeof APIS)[number] {
      const found = APIS.find((api) => api === raw);
      if (found !== undefined) return found;
      throw new CtxError('usage', `"${raw}" is not a PROTOCOL`, { hint: `choose one of ${APIS.join(', ')}` });
    },
  },
  'base-url': {
    placeholder: 'URL',
    help: "base URL of the server (default: $ANTHROPIC_BASE_URL or $OPENAI_BASE_URL, else the provider's)",
    parse: parseWebAddress,
  },
  'key-from': {
    placeholder: 'VARIABLE',
    help: 'environment variable with the API key (default: ANTHROPIC_API_KEY or OPENAI_API_KEY)',
    parse: (raw: string) => raw,
  },
} as const;

function parseWebAddress(raw: string): string {
  if (/^https?:\/\//.test(raw) && URL.canParse(raw)) return raw.replace(/\/+$/, '');
  throw new CtxError('usage', `"${raw}" is not a URL`, { hint: 'write it as https://api.anthropic.com/v1' });
}

type Env = SummarizerIo['env'];

/** Which model to ask, and how. Throws a CtxError (usage) for what is missing. */
function readAccess(
  { env, fetch }: Pick<SummarizerIo, 'env' | 'fetch'>,
  given: SummarizerValues<typeof MODEL_FLAGS>,
): ModelAccess {
  const { model, api: namedApi, 'base-url': namedUrl, 'key-from': variable } = given;
  if (model === undefined) throw new CtxError('usage', 'the summariser needs a model', { hint: 'pass --model NAME' });
  const api = namedApi ?? (/^claude/i.test(model) ? 'anthropic' : 'openai');
  const baseUrl = namedUrl ?? findAddress(api, env);
  const key = findKey(api, env, variable);
  // A server of one's own often asks for no key.
  if (key === null && (variable !== undefined || namedUrl === undefined)) {
    throw new CtxError('usage', 'the API key is not set', {
      where: `$${variable ?? KEYS[api]}`,
      hint: 'set that environment variable, or choose another with --key-from VARIABLE',
    });
  }
  return { api, baseUrl, key, model, fetch };
}

const KEYS = { anthropic: 'ANTHROPIC_API_KEY', openai: 'OPENAI_API_KEY' } as const;

function findAddress(api: ModelAccess['api'], env: Env): string {
  if (api === 'openai') return parseWebAddress(env.OPENAI_BASE_URL || 'https://api.openai.com/v1');
  const root = parseWebAddress(env.ANTHROPIC_BASE_URL || 'https://api.anthropic.com');
  // Anthropic's own tools append `/v1` to that variable too.
  return root.endsWith('/v1') ? root : `${root}/v1`;
}

function findKey(api: ModelAccess['api'], env: Env, variable: string | undefined): ModelAccess['key'] {
  const key = env[variable ?? KEYS[api]];
  if (key) return { kind: 'key', value: key };
  const token = api === 'anthropic' && variable === undefined ? env.ANTHROPIC_AUTH_TOKEN : undefined;
  return token ? { kind: 'token', value: token } : null;
}

export default defineSummarizer({
  name: 'model',
  summary: 'Ask a model, through the Anthropic Messages API or an OpenAI-compatible one',
  origin: 'written by a model',
  flags: MODEL_FLAGS,
  async summarize(task, world, given) {
    const access = readAccess(world, given);
    const { history, prefix } = buildPrompts(task);
    const first = history === null ? null : await ask(access, world, history);
    const second = prefix === null ? null : await ask(access, world, prefix);
    const usages = [first, second].flatMap((answer) => (answer === null ? [] : [answer.usage]));
    return {
      text: joinSummary(task, { history: first?.text ?? null, prefix: second?.text ?? null }),
      usage: sumUsage(usages),
    };
  },
});

/** Returns an answer that is a valid summary. Throws a CtxError for any other, as Pi does. */
async function ask(access: ModelAccess, world: SummarizerIo, prompt: string): Promise<ModelAnswer> {
  const { askModel } = await import('./model-client.js');
  const answer = await askModel(access, {
    system: SYSTEM_PROMPT,
    prompt,
    signal: world.signal,
    onText: (characters) => world.progress(`${access.model}: ${characters} characters …`),
  });
  if ('failure' in answer) {
    const status = answer.status === null ? '' : ` (HTTP ${answer.status})`;
    throw toRefusal(
      access,
      `the model returned no summary${status}: ${truncateText(toOneLine(answer.failure), LONGEST_FAILURE)}`,
    );
  }
  if (answer.calledTool || answer.finish === 'tool-calls') throw toRefusal(access, 'the model called a tool');
  if (answer.finish === 'length') throw toRefusal(access, 'the length limit truncated the summary');
  if (answer.finish !== 'stop')
    throw toRefusal(access, `the answer ended before the model was done (${answer.finish})`);
  if (answer.text === '') throw toRefusal(access, 'the summary is empty');
  return answer;
}

const LONGEST_FAILURE = 300;

function toRefusal({ baseUrl, model }: ModelAccess, what: string): CtxError {
  return new CtxError('input', what, { where: `${model} at ${baseUrl}`, hint: 'nothing was written; try again' });
}

/** The usage that the provider counted, in Pi's form and key order. There is no list of prices here, so it costs 0. */
function sumUsage(usages: readonly ModelAnswer['usage'][]): JsonObject {
  const sum = (pick: (usage: ModelAnswer['usage']) => number | undefined): number =>
    usages.reduce((total, usage) => total + (pick(usage) ?? 0), 0);
  const cacheRead = sum(({ inputTokenDetails }) => inputTokenDetails.cacheReadTokens);
  const cacheWrite = sum(({ inputTokenDetails }) => inputTokenDetails.cacheWriteTokens);
  const input = Math.max(0, sum(({ inputTokens }) => inputTokens) - cacheRead - cacheWrite);
  const output = sum(({ outputTokens }) => outputTokens);
  const knowsReasoning = usages.some(({ outputTokenDetails }) => outputTokenDetails.reasoningTokens !== undefined);
  const reasoning = knowsReasoning ? { reasoning: sum((usage) => usage.outputTokenDetails.reasoningTokens) } : {};
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    ...reasoning,
    totalTokens: input + output + cacheRead + cacheWrite,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
}
