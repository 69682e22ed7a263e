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
  /** Whether the provider can be told to keep nothing. */
  readonly canStore: boolean;
  readonly limit: 'max_tokens' | 'max_completion_tokens';
}

type ChatFeature = 'strict tools' | 'effort' | 'reasoning field' | 'store' | 'max_tokens';

export function findChatVariant({ provider, model }: Recipient): ChatVariant {
  const features = CHAT_FEATURES.get(provider) ?? UNKNOWN;
  const isRouter = provider === 'openrouter';
  const effortOfServer = features.includes('effort') ? 'reasoning_effort' : null;
  return {
    hasStrictTools: features.includes('strict tools'),
    effort: isRouter ? 'reasoning' : effortOfServer,
    wantsReasoning: features.includes('reasoning field'),
    marksCache: isRouter && model.startsWith('anthropic/'),
    canStore: features.includes('store'),
    limit: features.includes('max_tokens') ? 'max_tokens' : 'max_completion_tokens',
  };
}

/** An unknown server: like OpenAI, without the features that a compatible server may lack. */
const UNKNOWN: readonly ChatFeature[] = ['effort', 'store'];

const XIAOMI: readonly ChatFeature[] = ['strict tools', 'reasoning field', 'store'];

/** Pi's table of the providers that it calls through Chat Completions. */
const CHAT_FEATURES: ReadonlyMap<string, readonly ChatFeature[]> = new Map<string, readonly ChatFeature[]>([
  ['openai', ['strict tools', 'effort', 'store']],
  ['ant-ling', ['strict tools', 'max_tokens']],
  ['azure', ['strict tools', 'effort', 'reasoning field', 'store']],
  ['baseten', ['strict tools', 'effort', 'max_tokens']],
  ['cerebras', ['effort']],
  ['cloudflare-ai-gateway', ['max_tokens']],
  ['cloudflare-workers-ai', ['strict tools', 'effort']],
  ['deepseek', ['strict tools', 'reasoning field', 'max_tokens']],
  ['fireworks', ['strict tools', 'effort']],
  ['github-copilot', ['strict tools', 'effort']],
  ['groq', ['strict tools', 'effort', 'store']],
  ['huggingface', ['strict tools', 'effort', 'store']],
  ['kimi-coding', ['max_tokens']],
  ['moonshotai', ['max_tokens']],
  ['moonshotai-cn', ['max_tokens']],
  ['nvidia', ['max_tokens']],
  ['opencode', ['strict tools', 'effort', 'max_tokens']],
  ['opencode-go', ['strict tools', 'effort', 'max_tokens']],
  ['openrouter', ['strict tools', 'store']],
  ['qwen-token-plan', ['strict tools']],
  ['qwen-token-plan-cn', ['strict tools']],
  ['qwen-token-plan-individual', ['strict tools']],
  ['qwen-token-plan-individual-cn', ['strict tools']],
  ['together', ['max_tokens']],
  ['xiaomi', XIAOMI],
  ['xiaomi-token-plan-ams', XIAOMI],
  ['xiaomi-token-plan-cn', XIAOMI],
  ['xiaomi-token-plan-sgp', XIAOMI],
  ['zai', ['strict tools', 'max_tokens']],
  ['zai-coding-cn', ['strict tools', 'max_tokens']],
]);
