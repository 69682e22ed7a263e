import type { Recipient } from './recipient.js';

/** What a provider makes of the Chat Completions API. */
export interface ChatHabits {
  /** Tools say whether they are strict. */
  readonly hasStrictTools: boolean;
  /** The system prompt of a model that thinks is that of a developer. */
  readonly hasDeveloper: boolean;
  /** How it is told how much to think; null where that is a form of its own. */
  readonly effort: 'reasoning_effort' | 'reasoning' | null;
  /** Every answer has a field for its thinking, if an empty one. */
  readonly wantsReasoning: boolean;
  /** What is cached is marked as at Anthropic. */
  readonly marksCache: boolean;
  /** It can be told to keep nothing. */
  readonly canStore: boolean;
  readonly limit: 'max_tokens' | 'max_completion_tokens';
}

export function chatHabits({ provider, model }: Recipient): ChatHabits {
  const words = new Set((HABITS.get(provider) ?? UNKNOWN).split(' '));
  const isRouter = provider === 'openrouter';
  return {
    hasStrictTools: words.has('strict'),
    hasDeveloper: words.has('developer') || (isRouter && /^(?:anthropic|openai)\//.test(model)),
    effort: isRouter ? 'reasoning' : words.has('effort') ? 'reasoning_effort' : null,
    wantsReasoning: words.has('thoughts'),
    marksCache: isRouter && model.startsWith('anthropic/'),
    canStore: words.has('store'),
    limit: words.has('max_tokens') ? 'max_tokens' : 'max_completion_tokens',
  };
}

/** A server that nobody here knows, which is as OpenAI but for what it need not have. */
const UNKNOWN = 'developer effort store';
const XIAOMI = 'strict developer thoughts store';
const QWEN = 'strict';
const KIMI = 'max_tokens';

/** What Pi knows of the providers that it asks so. */
const HABITS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    openai: 'strict developer effort store',
    'ant-ling': 'strict max_tokens',
    azure: 'strict effort thoughts store',
    baseten: 'strict effort max_tokens',
    cerebras: 'effort',
    'cloudflare-ai-gateway': 'max_tokens',
    'cloudflare-workers-ai': 'strict effort',
    deepseek: 'strict thoughts max_tokens',
    fireworks: 'strict effort',
    'github-copilot': 'strict',
    groq: 'strict developer effort store',
    huggingface: 'strict effort store',
    'kimi-coding': KIMI,
    moonshotai: KIMI,
    'moonshotai-cn': KIMI,
    nvidia: 'max_tokens',
    opencode: 'strict effort max_tokens',
    'opencode-go': 'strict effort max_tokens',
    openrouter: 'strict store',
    'qwen-token-plan': QWEN,
    'qwen-token-plan-cn': QWEN,
    'qwen-token-plan-individual': QWEN,
    'qwen-token-plan-individual-cn': QWEN,
    together: 'max_tokens',
    xiaomi: XIAOMI,
    'xiaomi-token-plan-ams': XIAOMI,
    'xiaomi-token-plan-cn': XIAOMI,
    'xiaomi-token-plan-sgp': XIAOMI,
    zai: 'strict max_tokens',
    'zai-coding-cn': 'strict max_tokens',
  }),
);
