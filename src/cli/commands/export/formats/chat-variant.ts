import type { Recipient } from './recipient.js';

/** A provider's variant of the Chat Completions API. */
export interface ChatVariant {
  /** Tools say whether they are strict. */
  readonly hasStrictTools: boolean;
  /** The parameter of the thinking effort; null if the provider has its own form. */
  readonly effort: 'reasoning_effort' | 'reasoning' | null;
  /** Every answer has a field for its thinking, if an empty one. */
  readonly wantsReasoning: boolean;
  /** Cache breakpoints are marked as in Anthropic's API. */
  readonly marksCache: boolean;
  /** It can be told to keep nothing. */
  readonly canStore: boolean;
  readonly limit: 'max_tokens' | 'max_completion_tokens';
}

export function findChatVariant({ provider, model }: Recipient): ChatVariant {
  const variant = { ...PLAIN, ...(VARIANTS.get(provider) ?? UNKNOWN) };
  return { ...variant, marksCache: provider === 'openrouter' && model.startsWith('anthropic/') };
}

type Features = Partial<Omit<ChatVariant, 'marksCache'>>;

/** The plainest form of the API. */
const PLAIN: Omit<ChatVariant, 'marksCache'> = {
  hasStrictTools: false,
  effort: null,
  wantsReasoning: false,
  canStore: false,
  limit: 'max_completion_tokens',
};

/** An unknown server: like OpenAI, without the features that a compatible server may lack. */
const UNKNOWN: Features = { effort: 'reasoning_effort', canStore: true };
const XIAOMI: Features = { hasStrictTools: true, wantsReasoning: true, canStore: true };
const QWEN: Features = { hasStrictTools: true };
const KIMI: Features = { limit: 'max_tokens' };

/** Pi's table of the providers that it calls through Chat Completions. */
const VARIANTS: ReadonlyMap<string, Features> = new Map<string, Features>(
  Object.entries({
    openai: { hasStrictTools: true, effort: 'reasoning_effort', canStore: true },
    'ant-ling': { hasStrictTools: true, limit: 'max_tokens' },
    azure: { hasStrictTools: true, effort: 'reasoning_effort', wantsReasoning: true, canStore: true },
    baseten: { hasStrictTools: true, effort: 'reasoning_effort', limit: 'max_tokens' },
    cerebras: { effort: 'reasoning_effort' },
    'cloudflare-ai-gateway': { limit: 'max_tokens' },
    'cloudflare-workers-ai': { hasStrictTools: true, effort: 'reasoning_effort' },
    deepseek: { hasStrictTools: true, wantsReasoning: true, limit: 'max_tokens' },
    fireworks: { hasStrictTools: true, effort: 'reasoning_effort' },
    'github-copilot': { hasStrictTools: true, effort: 'reasoning_effort' },
    groq: { hasStrictTools: true, effort: 'reasoning_effort', canStore: true },
    huggingface: { hasStrictTools: true, effort: 'reasoning_effort', canStore: true },
    'kimi-coding': KIMI,
    moonshotai: KIMI,
    'moonshotai-cn': KIMI,
    nvidia: { limit: 'max_tokens' },
    opencode: { hasStrictTools: true, effort: 'reasoning_effort', limit: 'max_tokens' },
    'opencode-go': { hasStrictTools: true, effort: 'reasoning_effort', limit: 'max_tokens' },
    openrouter: { hasStrictTools: true, canStore: true, effort: 'reasoning' },
    'qwen-token-plan': QWEN,
    'qwen-token-plan-cn': QWEN,
    'qwen-token-plan-individual': QWEN,
    'qwen-token-plan-individual-cn': QWEN,
    together: { limit: 'max_tokens' },
    xiaomi: XIAOMI,
    'xiaomi-token-plan-ams': XIAOMI,
    'xiaomi-token-plan-cn': XIAOMI,
    'xiaomi-token-plan-sgp': XIAOMI,
    zai: { hasStrictTools: true, limit: 'max_tokens' },
    'zai-coding-cn': { hasStrictTools: true, limit: 'max_tokens' },
  }),
);
