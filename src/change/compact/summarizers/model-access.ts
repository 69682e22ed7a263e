import { CtxError } from '#base/errors.js';
import type { SummarizerValues, SummaryWorld } from './define.js';
import type { ModelAccess } from './model-client.js';

const APIS = ['anthropic', 'openai'] as const;

export const MODEL_FLAGS = {
  model: { placeholder: 'NAME', help: 'the model to ask, as its provider calls it', parse: (raw: string) => raw },
  api: {
    placeholder: 'PROTOCOL',
    help: 'the protocol of its server: anthropic (the default for claude models) or openai',
    choices: APIS,
    parse(raw: string): (typeof APIS)[number] {
      const found = APIS.find((api) => api === raw);
      if (found !== undefined) return found;
      throw new CtxError('usage', `"${raw}" is not a PROTOCOL`, { hint: `choose one of ${APIS.join(', ')}` });
    },
  },
  'base-url': {
    placeholder: 'URL',
    help: 'where its server is; $ANTHROPIC_BASE_URL or $OPENAI_BASE_URL, and the providers themselves otherwise',
    parse: webAddress,
  },
  'key-from': {
    placeholder: 'VARIABLE',
    help: 'the environment variable with the key; ANTHROPIC_API_KEY or OPENAI_API_KEY otherwise',
    parse: (raw: string) => raw,
  },
} as const;

function webAddress(raw: string): string {
  if (/^https?:\/\//.test(raw) && URL.canParse(raw)) return raw.replace(/\/+$/, '');
  throw new CtxError('usage', `"${raw}" is not a URL`, { hint: 'write it as https://api.anthropic.com/v1' });
}

type Env = SummaryWorld['env'];

/** Which model to ask, and how. Throws a CtxError (usage) for what is missing. */
export function accessOf(
  { env, fetch }: Pick<SummaryWorld, 'env' | 'fetch'>,
  given: SummarizerValues<typeof MODEL_FLAGS>,
): ModelAccess {
  const { model, api: saidApi, 'base-url': saidUrl, 'key-from': variable } = given;
  if (model === undefined) throw new CtxError('usage', 'no model to ask', { hint: 'name it with --model NAME' });
  const api = saidApi ?? (/^claude/i.test(model) ? 'anthropic' : 'openai');
  const baseUrl = saidUrl ?? addressOf(api, env);
  const key = keyOf(api, env, variable);
  // A server of one's own often asks for no key.
  if (key === null && (variable !== undefined || saidUrl === undefined)) {
    throw new CtxError('usage', 'there is no key for the model', {
      where: `$${variable ?? KEYS[api]}`,
      hint: 'set that environment variable, or name another one with --key-from VARIABLE',
    });
  }
  return { api, baseUrl, key, model, fetch };
}

const KEYS = { anthropic: 'ANTHROPIC_API_KEY', openai: 'OPENAI_API_KEY' } as const;

function addressOf(api: ModelAccess['api'], env: Env): string {
  if (api === 'openai') return webAddress(env['OPENAI_BASE_URL'] || 'https://api.openai.com/v1');
  const root = webAddress(env['ANTHROPIC_BASE_URL'] || 'https://api.anthropic.com');
  // As Anthropic's own tools read that variable.
  return root.endsWith('/v1') ? root : `${root}/v1`;
}

function keyOf(api: ModelAccess['api'], env: Env, variable: string | undefined): ModelAccess['key'] {
  const key = env[variable ?? KEYS[api]];
  if (key) return { kind: 'key', value: key };
  const token = api === 'anthropic' && variable === undefined ? env['ANTHROPIC_AUTH_TOKEN'] : undefined;
  return token ? { kind: 'token', value: token } : null;
}
