import { type ModelFacts, modelFacts } from '#context/models/registry.js';
import type { Recipient } from './recipient.js';

/** How a model thinks, as far as a request depends on it. */
export type Thinking = Pick<ModelFacts, 'thinks' | 'thinksByEffort' | 'efforts'>;

/**
 * How the recipient of a request thinks. An unlisted model counts as a thinking model if the session uses a thinking level, by a number
 * of tokens, and takes every level that Pi has.
 */
export function thinkingOf({ provider, model, thinking }: Recipient): Thinking {
  const { thinks, thinksByEffort, efforts } = modelFacts({ provider, modelId: model }) ?? {
    thinks: thinking !== 'off',
    thinksByEffort: false,
    efforts: ANY_LEVEL,
  };
  return { thinks, thinksByEffort, efforts };
}

const ANY_LEVEL: ReadonlyMap<string, string | null> = new Map([
  ['off', null],
  ['xhigh', 'xhigh'],
  ['max', 'max'],
]);

/** The word of the provider for not thinking; null for a model that cannot be told so. */
export function offEffort({ efforts }: Thinking): string | null {
  return efforts.has('off') ? (efforts.get('off') ?? null) : 'none';
}

/** The effort for a thinking level, or for the nearest level that the model accepts; null to turn thinking off. */
export function effortFor(thinking: Thinking, level: string): string | null {
  const nearest = nearestLevel(thinking, level);
  return nearest === 'off' ? null : (thinking.efforts.get(nearest) ?? nearest);
}

/** Anthropic's name of a thinking level, for models that accept one. */
export function claudeEffort({ efforts }: Thinking, level: string): string {
  const effort = efforts.get(level);
  if (typeof effort === 'string') return effort;
  if (level === 'minimal' || level === 'low') return 'low';
  return level === 'medium' ? 'medium' : 'high';
}

/** The level that a model takes instead of one that it refuses: the next higher one, else the next lower one. */
function nearestLevel({ thinks, efforts }: Thinking, level: string): string {
  if (!thinks) return 'off';
  const takes = (each: string): boolean =>
    efforts.get(each) !== null && (efforts.has(each) || (each !== 'xhigh' && each !== 'max'));
  const at = LEVELS.indexOf(level);
  if (at === -1) return LEVELS.find(takes) ?? 'off';
  return LEVELS.slice(at).find(takes) ?? LEVELS.slice(0, at).findLast(takes) ?? 'off';
}

/** From the least to the most. */
const LEVELS = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** Tokens for thinking, by level: Pi's usual ones. */
export function thinkingBudget(level: string): number {
  return BUDGETS.get(level) ?? MOST_THINKING;
}

const MOST_THINKING = 16_384;
const BUDGETS: ReadonlyMap<string, number> = new Map([
  ['minimal', 1024],
  ['low', 2048],
  ['medium', 8192],
]);

/** A provider's variant of the Chat Completions API. */
export interface ChatHabits {
  /** Tools say whether they are strict. */
  readonly hasStrictTools: boolean;
  /** The system prompt of a model that thinks is that of a developer. */
  readonly hasDeveloper: boolean;
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

/** An unknown server: like OpenAI, without the features that a compatible server may lack. */
const UNKNOWN = 'developer effort store';
const XIAOMI = 'strict developer thoughts store';
const QWEN = 'strict';
const KIMI = 'max_tokens';

/** Pi's table of the providers that it calls through Chat Completions. */
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
