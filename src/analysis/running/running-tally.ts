import { isObject } from '#base/json.js';
import type { PriceList } from '#context/models/prices.js';
import { readRecordedTokens } from '#context/size/recorded-usage.js';
import type { RunningAnswer, RunningEvent, RunningTurn } from '#session/agents/running-events.js';
import { countMissedTokens, type EarlierPrompt, toEarlierPrompt } from '../cache/earlier-prompt.js';
import { readPromptUsage } from '../cache/recorded-answer.js';
import { listAnswerUsages } from '../stats/usage-records.js';
import { UsageTally } from '../stats/usage-tally.js';
import { CallTally } from './call-tally.js';
import type { RunningContext, RunningFigures, RunningState } from './running-figures.js';

/** The lines of an answer are at most this many answers apart: those of subagents come between them. */
const MOST_PENDING = 16;
/** The ids that are remembered, since agents repeat records. */
const MOST_RECENT = 256;

/** Adds up the events of a session while it runs. Each line is taken once. */
export class RunningTally {
  private readonly settled: UsageTally;
  private pending: RunningAnswer[];
  private recentIds: readonly string[];
  private context: RunningContext;
  private cache: RunningFigures['cache'];
  private client: RunningFigures['client'];
  private readonly calls: CallTally;
  private earlier: EarlierPrompt | null;
  private turn: RunningTurn | null;
  private hasExact: boolean;

  /**
   * `before`: the state after the lines so far; null at the beginning of a file. `timezone`: that of days, null for
   * UTC.
   */
  constructor(
    private readonly priceList: PriceList,
    private readonly timezone: string | null,
    before: RunningState | null = null,
  ) {
    this.settled = new UsageTally(priceList, { timezone }, before?.settled);
    this.pending = before ? [...before.pending] : [];
    this.recentIds = before?.recentIds ?? [];
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
      const tokens = readRecordedTokens(answer.message) ?? this.context.tokens;
      this.context = { ...this.context, tokens, window: given.window ?? this.context.window };
    }
    if (this.pending.length > MOST_PENDING) this.settle(this.pending.length - MOST_PENDING);
  }

  /** A copy of another thread begins with its header, whose beginning counts. */
  private takeTurn(event: Extract<RunningEvent, { readonly kind: 'turn' }>): void {
    const begun = this.turn?.begun;
    const turn = { ...this.turn, ...event };
    this.turn = begun === undefined ? turn : { ...turn, begun };
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
      const usage = isSide ? null : readPromptUsage(isObject(message.usage) ? message.usage : null);
      if (usage === null) continue;
      const tokens = countMissedTokens(earlier, usage);
      const lastMiss = tokens === null ? cache.lastMiss : { tokens, time };
      cache = { read: cache.read + usage.cacheRead, sent: cache.sent + usage.promptTokens, lastMiss };
      earlier = toEarlierPrompt(usage, earlier);
    }
    return { cache, earlier };
  }
}

function placeInTurn(answer: RunningAnswer, turn: RunningTurn): RunningAnswer {
  const { provider = 'openai', model = 'unknown', begun = Number.NaN, start = Number.NaN } = turn;
  const isCopied = (Number.isNaN(start) ? answer.time : start) < begun;
  return { ...answer, isCopied, message: { provider, model, ...answer.message } };
}

function addAnswer({ message, time, isCopied }: RunningAnswer, usage: UsageTally): void {
  if (isCopied) return;
  for (const record of listAnswerUsages(message)) usage.add(record, { time, line: 0 });
}
