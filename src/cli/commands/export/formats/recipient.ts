import { buildWarning, CtxError, type Problem } from '#base/errors.js';
import { isObject } from '#base/json.js';
import { findModelInfo, type ModelInfo } from '#context/models/registry.js';
import type { OpenSession } from '#context/open.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { readTarget, type RequestTarget } from '#context/request/wire-messages.js';
import { isAnswer } from '#session/heads/answer.js';
import type { Head } from '#session/heads/head.js';
import type { RequestToExport } from './define.js';

/** Whom a payload is for. */
export interface Recipient {
  readonly provider: string;
  readonly api: string;
  readonly model: string;
  /** The thinking level, as Pi names it: off, minimal, low, medium, high, xhigh or max; null if it is not recorded. */
  readonly thinking: string | null;
}

/** A way to ask models. */
export interface Dialect {
  /** The company that made it. */
  readonly vendor: string;
  /** As sessions name it, and what speaks it nearly. */
  readonly apis: readonly [usual: string, ...others: string[]];
}

export interface AddressedRequest {
  readonly recipient: Recipient;
  readonly problems: readonly Problem[];
}

/**
 * The model of the request. A model that Pi calls through another API gets its name at the dialect's vendor, and
 * nothing is sent that only the recorded model accepts. Throws a CtxError (usage) if no model is known.
 */
export function addressRequest(
  request: RequestToExport,
  { vendor, apis: [usual, ...others] }: Dialect,
): AddressedRequest {
  const { envelope, model: wanted } = request;
  const asked = targetOfAnswer(request.session, request.at) ?? settingOf(request);
  const model = wanted ?? asked.model;
  if (model === null) throw new CtxError('usage', 'the session names no model', { hint: 'say --model NAME' });
  const { reasoning } = envelope.options;
  const thinking = typeof reasoning === 'string' ? reasoning : knownLevel(envelope.meta);
  const api = asked.api ?? usual;
  if (api === usual || others.includes(api)) {
    const recipient = { provider: asked.provider ?? vendor, api, model, thinking };
    return { recipient, problems: api === usual ? [] : [sibling(api, usual)] };
  }
  const recipient = { provider: vendor, api: usual, model, thinking };
  return { recipient, problems: [translation(asked, wanted === undefined)] };
}

function knownLevel({ thinkingLevel }: Pick<ContextEnvelope['meta'], 'thinkingLevel'>): string | null {
  return thinkingLevel === 'unknown' ? null : thinkingLevel;
}

/** The model of the newest answer to the request; null if none is recorded. */
function targetOfAnswer({ tree: { heads }, entry }: OpenSession, at: Head | null): RequestTarget | null {
  const parent = at?.index ?? -1;
  for (let index = heads.length - 1; index >= 0; index -= 1) {
    if (heads.parentAt(index) !== parent || !heads.isAnswerAt(index)) continue;
    const head = heads.at(index);
    const message = head && entry(head)['message'];
    const target = isObject(message) ? readTarget(message) : null;
    if (target?.model) return target;
  }
  return null;
}

/** The model that is set, and the API by which it or its provider was asked before. */
function settingOf({ envelope: { meta, messages } }: RequestToExport): RequestTarget {
  const provider = meta.model?.provider ?? null;
  const model = meta.model?.modelId ?? null;
  const answers = messages.cached.filter(isAnswer).map((message: LlmMessage) => readTarget(message));
  const ofProvider = answers.filter((one) => one.provider === provider && one.api !== null);
  const known = ofProvider.findLast((one) => one.model === model) ?? ofProvider.at(-1);
  return { provider, model, api: known?.api ?? USUAL_APIS.get(provider ?? '') ?? null };
}

/** The API of each provider that uses a single one for all of its models, as in Pi. */
const USUAL_APIS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    anthropic: 'anthropic-messages',
    'amazon-bedrock': 'bedrock-converse-stream',
    'azure-openai-responses': 'azure-openai-responses',
    google: 'google-generative-ai',
    'google-vertex': 'google-vertex',
    mistral: 'mistral-conversations',
    openai: 'openai-responses',
    'openai-codex': 'openai-codex-responses',
  }),
);

function translation({ provider, api, model }: RequestTarget, hasNoOther: boolean): Problem {
  const hint = hasNoOther ? '; --model names a model of this API' : '';
  return buildWarning(
    'translation',
    `${provider ?? '?'}/${model ?? '?'} is asked by ${api}, so this was never sent${hint}`,
  );
}

function sibling(api: string, usual: string): Problem {
  return buildWarning(
    'sibling-api',
    `the model is asked by ${api}, which has fields of its own beside those of ${usual}`,
  );
}

/** How a model thinks, as far as a request depends on it. */
export type ThinkingModes = Pick<ModelInfo, 'thinks' | 'thinksByEffort' | 'efforts'>;

/**
 * How the recipient of a request thinks. An unlisted model counts as a thinking model if the session uses a thinking level, by a number
 * of tokens, and takes every level that Pi has.
 */
export function findThinkingModes({ provider, model, thinking }: Recipient): ThinkingModes {
  const { thinks, thinksByEffort, efforts } = findModelInfo({ provider, modelId: model }) ?? {
    thinks: thinking !== null && thinking !== 'off',
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
export function effortForOff({ efforts }: ThinkingModes): string | null {
  return efforts.has('off') ? (efforts.get('off') ?? null) : 'none';
}

/** The effort for a thinking level, or for the nearest level that the model accepts; null to turn thinking off. */
export function chooseEffort(thinking: ThinkingModes, level: string): string | null {
  const nearest = nearestLevel(thinking, level);
  return nearest === 'off' ? null : (thinking.efforts.get(nearest) ?? nearest);
}

/** Anthropic's name of a thinking level, for models that accept one. */
export function chooseClaudeEffort({ efforts }: ThinkingModes, level: string): string {
  const effort = efforts.get(level);
  if (typeof effort === 'string') return effort;
  if (level === 'minimal' || level === 'low') return 'low';
  return level === 'medium' ? 'medium' : 'high';
}

/** The level that a model takes instead of one that it refuses: the next higher one, else the next lower one. */
function nearestLevel({ thinks, efforts }: ThinkingModes, level: string): string {
  if (!thinks) return 'off';
  const takes = (each: string): boolean =>
    efforts.get(each) !== null && (efforts.has(each) || (each !== 'xhigh' && each !== 'max'));
  const at = LEVELS.indexOf(level);
  if (at === -1) return LEVELS.find(takes) ?? 'off';
  return LEVELS.slice(at).find(takes) ?? LEVELS.slice(0, at).findLast(takes) ?? 'off';
}

/** From the least to the most. */
const LEVELS = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** Tokens for thinking, by level: Pi's usual ones, or what an answer leaves of the limit; null for a limit that allows none. */
export function chooseThinkingBudget(level: string, maxTokens: number): number | null {
  if (maxTokens <= LEAST_THINKING) return null;
  return Math.min(BUDGETS.get(level) ?? MOST_THINKING, Math.max(LEAST_THINKING, maxTokens - LEFT_FOR_ANSWER));
}

const LEFT_FOR_ANSWER = 1024;
/** The API refuses fewer, and a limit that is not higher. */
const LEAST_THINKING = 1024;
const MOST_THINKING = 16_384;
const BUDGETS: ReadonlyMap<string, number> = new Map([
  ['minimal', LEAST_THINKING],
  ['low', 2048],
  ['medium', 8192],
]);

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
  const words = new Set((HABITS.get(provider) ?? UNKNOWN).split(' '));
  const isRouter = provider === 'openrouter';
  return {
    hasStrictTools: words.has('strict'),
    effort: isRouter ? 'reasoning' : words.has('effort') ? 'reasoning_effort' : null,
    wantsReasoning: words.has('thoughts'),
    marksCache: isRouter && model.startsWith('anthropic/'),
    canStore: words.has('store'),
    limit: words.has('max_tokens') ? 'max_tokens' : 'max_completion_tokens',
  };
}

/** An unknown server: like OpenAI, without the features that a compatible server may lack. */
const UNKNOWN = 'effort store';
const XIAOMI = 'strict thoughts store';
const QWEN = 'strict';
const KIMI = 'max_tokens';

/** Pi's table of the providers that it calls through Chat Completions. */
const HABITS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    openai: 'strict effort store',
    'ant-ling': 'strict max_tokens',
    azure: 'strict effort thoughts store',
    baseten: 'strict effort max_tokens',
    cerebras: 'effort',
    'cloudflare-ai-gateway': 'max_tokens',
    'cloudflare-workers-ai': 'strict effort',
    deepseek: 'strict thoughts max_tokens',
    fireworks: 'strict effort',
    'github-copilot': 'strict effort',
    groq: 'strict effort store',
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
