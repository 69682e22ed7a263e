import { formatDay } from '#base/local-time.js';
import { incrementCount } from '#base/maps.js';
import { computeShortHash } from '#base/short-hash.js';
import type { PriceList } from '#context/models/prices.js';
import { readRecordedTokens } from '#context/size/recorded-usage.js';
import type { ClientTotals } from '#session/agents/define.js';
import type { RunningAnswer, RunningEvent, RunningTurn } from '#session/agents/running-events.js';
import { countMissedTokens, type EarlierPrompt, toEarlierPrompt } from '../cache/pi-misses.js';
import { readPromptUsage } from '../cache/recorded-answer.js';
import { addClientTotals } from '../stats/client-totals.js';
import { listAnswerUsages } from '../stats/usage-records.js';
import type { UsageCounts } from '../stats/usage-sums.js';
import { UsageTally } from '../stats/usage-tally.js';

/** The newest context of a session, as the provider counted it. Tokens are whole numbers. */
interface RunningContext {
  /** The prompt and the answer of the last request; null after a compaction, until the next request. */
  readonly tokens: number | null;
  /** As the agent records it; null if it does not. */
  readonly window: number | null;
  /** The size at which the agent compacted last by itself; null if it has not. */
  readonly compactedAt: number | null;
}

/** A cache miss: recorded tokens of the previous prompt that were not read from the cache. */
interface RunningMiss {
  readonly tokens: number;
  /** Milliseconds since 1970; NaN if it is not recorded. */
  readonly time: number;
}

/** The use of a session so far, from its lines in the order of the file. Plain data, which can be stored. */
export interface RunningFigures {
  readonly context: RunningContext;
  /** Tokens of all prompts, and those of them that were read from the cache. */
  readonly cache: { readonly read: number; readonly sent: number; readonly lastMiss: RunningMiss | null };
  /** The usage of the file as `ctx stats` counts it, without what was copied from another session. */
  readonly usage: UsageCounts;
  /** The client's own sums, and the usage before them. */
  readonly client: { readonly totals: ClientTotals; readonly covered: UsageCounts } | null;
  /** The calls by the name of the tool. */
  readonly calls: ReadonlyMap<string, number>;
  /** The equal calls since the last prompt of the user, by name and input. */
  readonly repeats: ReadonlyMap<string, number>;
  /** The keys of the newest calls among them, by their ids. */
  readonly recentCalls: ReadonlyMap<string, string>;
}

/** The state of a tally between two readings. */
export interface RunningState extends Omit<RunningFigures, 'usage'> {
  readonly settled: UsageCounts;
  readonly pending: readonly RunningAnswer[];
  readonly recentIds: readonly string[];
  readonly earlier: EarlierPrompt | null;
  readonly turn: RunningTurn | null;
  readonly hasExact: boolean;
}

/** The lines of an answer are at most this many answers apart: those of subagents come between them. */
const MOST_PENDING = 16;
/** The ids that are remembered, since agents repeat records. */
const MOST_RECENT = 256;
/** The different calls of one turn that are compared. */
const MOST_DIFFERENT = 4096;

/** Adds up the events of a session while it runs. Each line is taken once. */
export class RunningTally {
  private readonly settled: UsageTally;
  private pending: RunningAnswer[];
  private recentIds: string[];
  private context: RunningContext;
  private cache: RunningFigures['cache'];
  private client: RunningFigures['client'];
  private readonly calls: CallTally;
  private earlier: EarlierPrompt | null;
  private turn: RunningTurn | null;
  private hasExact: boolean;

  /** `before`: the state after the lines so far; null at the beginning of a file. `timezone`: that of days, null for UTC. */
  constructor(
    private readonly priceList: PriceList,
    private readonly timezone: string | null,
    before: RunningState | null = null,
  ) {
    this.settled = new UsageTally(priceList, { timezone }, before?.settled);
    this.pending = [...(before?.pending ?? [])];
    this.recentIds = [...(before?.recentIds ?? [])];
    this.context = before?.context ?? { tokens: null, window: null, compactedAt: null };
    this.cache = before?.cache ?? { read: 0, sent: 0, lastMiss: null };
    this.client = before?.client ?? null;
    this.calls = new CallTally(before);
    this.earlier = before?.earlier ?? null;
    this.turn = before?.turn ?? null;
    this.hasExact = before?.hasExact ?? false;
  }

  take(event: RunningEvent): void {
    switch (event.kind) {
      case 'answer':
        this.takeAnswer(event);
        break;
      case 'call':
        this.calls.take(event);
        break;
      case 'prompt':
        this.calls.startTurn();
        break;
      case 'compaction':
        this.takeCompaction(event);
        break;
      case 'turn':
        this.takeTurn(event);
        break;
      case 'totals':
        this.client = { totals: event.totals, covered: this.figures().usage };
    }
  }

  figures(): RunningFigures {
    const { context, client, timezone, priceList } = this;
    const usage = new UsageTally(priceList, { timezone }, this.settled.sums());
    for (const answer of this.pending) addAnswer(answer, usage);
    const { cache } = this.foldCache(this.pending);
    return { context, cache, client, ...this.calls.figures(), usage: usage.sums() };
  }

  state(): RunningState {
    const { context, cache, client, pending, recentIds, earlier, turn, hasExact } = this;
    const used = { settled: this.settled.sums(), pending, recentIds, earlier, turn, hasExact };
    return { context, cache, client, ...this.calls.figures(), ...used };
  }

  private takeAnswer(given: RunningAnswer): void {
    const { id, isExact } = given;
    if (isExact) this.hasExact = true;
    else if (this.hasExact) return;
    if (id !== null && this.recentIds.includes(id)) return;
    const answer = this.turn ? placeInTurn(given, this.turn) : given;
    const at = id === null ? -1 : this.pending.findIndex((one) => one.id === id);
    if (at < 0) this.pending.push(answer);
    // The answer keeps the time of its first line, and has the usage of its last one.
    else this.pending[at] = { ...answer, time: this.pending[at]?.time ?? answer.time };
    if (!given.isSide) {
      const tokens = readRecordedTokens({ content: [], ...answer.message } as never) ?? this.context.tokens;
      this.context = { ...this.context, tokens, window: given.window ?? this.context.window };
    }
    if (this.pending.length > MOST_PENDING) this.settle(this.pending.length - MOST_PENDING);
  }

  /** A copy of another thread begins with its header, whose beginning counts. */
  private takeTurn(event: Extract<RunningEvent, { readonly kind: 'turn' }>): void {
    const begun = this.turn?.begun ?? event.begun;
    this.turn = { ...this.turn, ...event, ...(begun !== undefined && { begun }) };
  }

  /** Later prompts have nothing in common with earlier ones. */
  private takeCompaction({ isAutomatic, tokensBefore }: Extract<RunningEvent, { readonly kind: 'compaction' }>): void {
    this.settle(this.pending.length);
    this.earlier = null;
    const compactedAt = isAutomatic && tokensBefore !== null ? tokensBefore : this.context.compactedAt;
    this.context = { ...this.context, tokens: null, compactedAt };
  }

  /** Counts the oldest answers for good. */
  private settle(count: number): void {
    const answers = this.pending.splice(0, count);
    for (const answer of answers) addAnswer(answer, this.settled);
    const { cache, earlier } = this.foldCache(answers);
    this.cache = cache;
    this.earlier = earlier;
    const ids = answers.flatMap(({ id }) => id ?? []);
    this.recentIds = [...this.recentIds, ...ids].slice(-MOST_RECENT);
  }

  /** The cache figures with some answers more. Subagents within a file have a cache of their own. */
  private foldCache(answers: readonly RunningAnswer[]): Pick<RunningState, 'cache' | 'earlier'> {
    let { cache, earlier } = this;
    for (const { message, time, isSide } of answers) {
      const usage = isSide ? null : readPromptUsage((message.usage ?? null) as never);
      if (usage === null) continue;
      const tokens = countMissedTokens(earlier, usage);
      const lastMiss = tokens === null ? cache.lastMiss : { tokens, time };
      cache = { read: cache.read + usage.cacheRead, sent: cache.sent + usage.promptTokens, lastMiss };
      earlier = toEarlierPrompt(usage, earlier);
    }
    return { cache, earlier };
  }
}

type CallFigures = Pick<RunningFigures, 'calls' | 'repeats' | 'recentCalls'>;

/** Counts the calls of tools: all of them, and the equal ones since the last prompt of the user. */
class CallTally {
  private readonly calls: Map<string, number>;
  private repeats: Map<string, number>;
  private readonly recentCalls: Map<string, string>;

  constructor(before: CallFigures | null) {
    this.calls = new Map(before?.calls);
    this.repeats = new Map(before?.repeats);
    this.recentCalls = new Map(before?.recentCalls);
  }

  startTurn(): void {
    this.repeats = new Map();
  }

  take({ id, name, input }: Extract<RunningEvent, { readonly kind: 'call' }>): void {
    const key = toRepeatKey(name, input);
    if (id !== null && !this.isNew(id, key)) return;
    incrementCount(this.calls, name);
    if (this.repeats.size < MOST_DIFFERENT || this.repeats.has(key)) incrementCount(this.repeats, key);
  }

  figures(): CallFigures {
    const { calls, repeats, recentCalls } = this;
    return { calls, repeats, recentCalls };
  }

  /** Whether a call was not taken yet, and remembers it: agents repeat records. */
  private isNew(id: string, key: string): boolean {
    if (this.recentCalls.has(id)) return false;
    this.recentCalls.set(id, key);
    const [oldest] = this.recentCalls.keys();
    if (this.recentCalls.size > MOST_RECENT && oldest !== undefined) this.recentCalls.delete(oldest);
    return true;
  }
}

/** Identifies equal calls. Others are taken for equal improbably, and without harm. */
function toRepeatKey(name: string, input: unknown): string {
  const text = typeof input === 'string' ? input : JSON.stringify(input ?? null);
  return `${name} ${text.length} ${computeShortHash(text)}`;
}

function placeInTurn(answer: RunningAnswer, turn: RunningTurn): RunningAnswer {
  const { provider = 'openai', model = 'unknown', begun = Number.NaN, start = Number.NaN } = turn;
  const isCopied = (Number.isNaN(start) ? answer.time : start) < begun;
  return { ...answer, isCopied, message: { provider, model, ...answer.message } };
}

function addAnswer({ message, time, isCopied }: RunningAnswer, usage: UsageTally): void {
  if (!isCopied) for (const record of listAnswerUsages(message)) usage.add(record, { time, line: 0 });
}

/** The usage of a session as `ctx stats` counts it: with the sums of its client, which include those of its subagents. */
export function completeUsage(
  { usage, client }: Pick<RunningFigures, 'usage' | 'client'>,
  subagents: readonly UsageCounts[],
  priceList: PriceList,
): UsageCounts {
  if (client === null) return usage;
  const { totals, covered } = client;
  const how = { covered, elsewhere: subagents, day: formatDay(Number.NaN, null), findGroup: null, priceList };
  return addClientTotals(usage, totals, how).counts;
}
