import { asCount, asObject, asString, asText, isObject, type JsonObject, listObjects } from '#base/json.js';
import { type PriceModifiers, readPriceModifiers } from '#context/models/modifiers.js';
import { isFailedAnswer } from '#context/replay/convert.js';
import { readTarget, type RequestTarget } from '#context/request/wire-messages.js';
import { readHourCacheWrite, readPromptUsage } from '#context/size/tokens.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import type { CacheRequest, Divergence } from './document.js';
import type { Preamble, Prompt } from './prompt.js';

export interface CacheOptions {
  /** The cache granularity of the provider in tokens. */
  readonly block: number;
  /** The minimum length of a cached prompt in tokens. */
  readonly minimum: number;
  /** The TTL of the cache in minutes; null for that of what each request wrote. */
  readonly retention: number | null;
}

export const DEFAULT_CACHE_OPTIONS: CacheOptions = { block: 1, minimum: 1024, retention: null };

type RecordedTokens = NonNullable<CacheRequest['recorded']>;

/** The provider's report of the prompt of one request, with its prices. */
export interface PromptUsage extends RecordedTokens {
  /** The modifiers of the listed price of its tokens; absent for none. */
  readonly modifiers?: PriceModifiers;
  /** Dollars per uncached token; null if not recorded. */
  readonly paidRate: number | null;
  /** Dollars per cached token; null if not recorded. */
  readonly readRate: number | null;
}

/** The record of one answer: its model and its usage. */
export interface RecordedAnswer {
  readonly entryId: string | null;
  readonly target: RequestTarget;
  /** As `provider/id`. */
  readonly model: string;
  /** Milliseconds since 1970; NaN if unknown. */
  readonly time: number;
  readonly usage: PromptUsage | null;
  /** Whether it failed before anything was billed. */
  readonly isUnbilled: boolean;
}

export function readAnswer({ id, time }: Head, { message }: JsonObject): RecordedAnswer {
  const answer = asObject(message);
  const { timestamp } = answer;
  const target = readTarget(answer);
  const usage = readUsageOfPrompt(isObject(answer['usage']) ? answer['usage'] : null);
  return {
    entryId: formatId(id),
    target,
    model: `${target.provider ?? '?'}/${target.model ?? '?'}`,
    time: typeof timestamp === 'number' ? timestamp : time,
    usage,
    isUnbilled: usage === null && isFailedAnswer(answer),
  };
}

export function toRecordedTokens({ paidRate: _paid, readRate: _read, ...tokens }: PromptUsage): RecordedTokens {
  return tokens;
}

/** The request that a later one is compared with, as in Pi. */
export interface EarlierPrompt {
  readonly prompt: number;
  /** Whether any request so far has reported a use of the cache. */
  readonly reportedCache: boolean;
}

/** Pi ignores smaller misses, since caches work in blocks. */
export const NOISE_TOKENS = 1024;

/** null for a request without usage, or with an empty one. */
export function readUsageOfPrompt(usage: JsonObject | null): PromptUsage | null {
  if (usage === null) return null;
  const prompt = readPromptUsage(usage);
  const [input, cacheRead, cacheWrite] = [
    countIn(prompt['input']),
    countIn(prompt['cacheRead']),
    countIn(prompt['cacheWrite']),
  ];
  const promptTokens = input + cacheRead + cacheWrite;
  if (promptTokens <= 0) return null;
  const cost = asObject(usage['cost']);
  const paid = input + cacheWrite;
  const cacheWrite1h = readHourCacheWrite(prompt);
  const paidCost = dollars(cost['input'], cost['cacheWrite']);
  const readCost = dollars(cost['cacheRead']);
  const modifiers = readPriceModifiers(usage);
  return {
    promptTokens,
    input,
    cacheRead,
    cacheWrite,
    ...(cacheWrite1h !== null && { cacheWrite1h }),
    ...(modifiers && { modifiers }),
    paidRate: paid > 0 && paidCost !== null ? paidCost / paid : null,
    readRate: cacheRead > 0 && readCost !== null ? readCost / cacheRead : null,
  };
}

function countIn(value: unknown): number {
  return asCount(value) ?? 0;
}

/** The sum; null if one of them is not recorded. */
function dollars(...costs: readonly unknown[]): number | null {
  let sum = 0;
  for (const cost of costs) {
    const one = asCount(cost);
    if (one === null) return null;
    sum += one;
  }
  return sum;
}

/** The tokens of the previous request that were not read from the cache, even if few. */
export function countUnreadTokens(
  before: Pick<EarlierPrompt, 'prompt'>,
  { promptTokens, cacheRead }: PromptUsage,
): number {
  return Math.max(0, Math.min(before.prompt, promptTokens) - cacheRead);
}

/** The tokens of a cache miss by Pi's own rule; null if it counts none. */
export function countMissedTokens(before: EarlierPrompt | null, usage: PromptUsage): number | null {
  if (before === null || (usage.cacheRead + usage.cacheWrite === 0 && !before.reportedCache)) return null;
  const missed = Math.min(before.prompt, usage.promptTokens) - usage.cacheRead;
  return missed > NOISE_TOKENS ? missed : null;
}

export function toEarlierPrompt(usage: PromptUsage, before: EarlierPrompt | null): EarlierPrompt {
  const reportedCache = (before?.reportedCache ?? false) || usage.cacheRead + usage.cacheWrite > 0;
  return { prompt: usage.promptTokens, reportedCache };
}

/**
 * The misses of a session as Pi counts them: entries of all branches in file order, starting over after a compaction or a
 * branch summary. If Pi would encounter a message without usage, and fail or count NaN, nothing is counted.
 */
export class PiMisses {
  private readonly tokens = new Map<number, number>();
  private readonly earlier = new Map<number, number>();
  private before: EarlierPrompt | null = null;
  /** The index of the newest answer with tokens; null after a compaction. */
  private answer: number | null = null;
  private next = 0;

  constructor(private readonly session: Session) {}

  /** The missed tokens at the answer with an index; null for none. Reads the usage of the entries up to it. */
  at(index: number): number | null {
    for (; this.next <= index; this.next += 1) this.read(this.next);
    return this.tokens.get(index) ?? null;
  }

  /** The index of the answer with whose request Pi compares that of an answer; null for none. Answers without tokens are no such. */
  comparedWith(index: number): number | null {
    this.at(index);
    return this.earlier.get(index) ?? null;
  }

  private read(index: number): void {
    const { session, before } = this;
    const { heads } = session.tree;
    const type = heads.typeAt(index);
    if (type === 'compaction' || type === 'branch_summary') [this.before, this.answer] = [null, null];
    const isAnswer = type === 'message' && heads.isAnswerAt(index);
    if (!isAnswer && type !== 'usage') return;
    const head = heads.at(index);
    const usage = head ? readUsageOfPrompt(session.usage(head)) : null;
    if (!head || usage === null) return;
    if (!isAnswer) {
      if (asString(session.entry(head)['kind']) === 'cache_warm')
        this.before = { ...toEarlierPrompt(usage, before), reportedCache: true };
      return;
    }
    const missed = countMissedTokens(before, usage);
    if (missed !== null) this.tokens.set(index, missed);
    if (this.answer !== null) this.earlier.set(index, this.answer);
    this.answer = index;
    this.before = toEarlierPrompt(usage, before);
  }
}

/** A previous request, as sent and as billed. */
interface EarlierRequest {
  readonly before: Pick<Prompt, 'tokens'>;
  readonly divergence: Pick<Divergence, 'prefixTokensEstimated'> | null;
  readonly recorded: { readonly prompt: number };
  /** Tokens of tools and system prompt that the session does not record. */
  readonly hidden: number;
  /** Recorded tokens of the request itself, Infinity if there are none: an upper limit of cache reads. */
  readonly most: number;
}

/**
 * The tokens of the previous prompt that a provider could read if it caches every prompt whole. An unchanged prompt
 * counts with its recorded number, a changed one with the share in the estimate.
 */
export function countExpectedRead(
  { before, divergence, recorded, hidden, most }: EarlierRequest,
  { block, minimum }: CacheOptions,
): number {
  const known = Math.max(0, recorded.prompt - hidden);
  const share = divergence === null || before.tokens === 0 ? 1 : divergence.prefixTokensEstimated / before.tokens;
  const common = divergence === null ? recorded.prompt : Math.min(hidden, recorded.prompt) + known * share;
  const whole = Math.floor(Math.min(common, most) / block) * block;
  return whole < minimum ? 0 : whole;
}

/** The tokens of the first recorded prompt in excess of its messages, if the session records neither tools nor prompt. */
export function countHiddenTokens(
  { preamble, tokens }: { readonly preamble: Pick<Preamble, 'tokens'>; readonly tokens: number },
  usage: PromptUsage,
): number {
  return preamble.tokens > 0 ? 0 : Math.max(0, usage.promptTokens - tokens);
}

type Reported = Pick<CacheRequest, 'providerReason' | 'providerEdits' | 'providerDrops'>;

/**
 * The provider's own reason for a cache miss, and the edits of the request before the model saw it, where the provider
 * reports them. Importers keep them in the `diagnostics` of the answer.
 */
export function readProviderReport({ message }: JsonObject): Reported {
  const reports = listObjects(asObject(message)['diagnostics']);
  const [reason, edits, drops] = [reasonIn(reports), editsIn(reports), dropsIn(reports)];
  return {
    ...(reason && { providerReason: reason }),
    ...(edits && { providerEdits: edits }),
    ...(drops && { providerDrops: drops }),
  };
}

function reasonIn(reports: readonly JsonObject[]): NonNullable<Reported['providerReason']> | null {
  for (const { cache_miss_reason: reason } of reports) {
    const type = isObject(reason) ? asString(reason['type']) : null;
    if (isObject(reason) && type !== null) return { type, missedTokens: asCount(reason['cache_missed_input_tokens']) };
  }
  return null;
}

/** Anthropic clears results of tools and thinking on request, and reports the number of each. */
function editsIn(reports: readonly JsonObject[]): NonNullable<Reported['providerEdits']> | null {
  const edits = reports.flatMap(({ applied_edits: applied }) => listObjects(applied));
  const sum = (field: string): number => edits.reduce((all, edit) => all + (asCount(edit[field]) ?? 0), 0);
  const [toolUses, thinkingTurns] = [sum('cleared_tool_uses'), sum('cleared_thinking_turns')];
  return toolUses + thinkingTurns === 0 ? null : { toolUses, thinkingTurns, tokens: sum('cleared_input_tokens') };
}

/** The records of Pi about what a provider removed from a request, each with the type for thinking of earlier answers. */
const DROPPED: ReadonlySet<string> = new Set([
  'anthropic_input_transformations thinking_dropped',
  'openai_input_transformations reasoning',
]);

function dropsIn(reports: readonly JsonObject[]): NonNullable<Reported['providerDrops']> | null {
  const drops = reports.flatMap(({ type: record, details }) =>
    listObjects(asObject(details)['transformations']).filter(({ type }) =>
      DROPPED.has(`${asText(record)} ${asText(type)}`),
    ),
  );
  const reasons = new Set(drops.flatMap(({ reason }) => asString(reason) ?? []));
  return drops.length === 0 ? null : { thinkingBlocks: drops.length, reasons: [...reasons] };
}
