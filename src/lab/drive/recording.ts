import { readPromptUsage } from '#analysis/cache/recorded-answer.js';
import { deepFreeze } from '#base/freeze.js';
import { asObject, asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import { memoizeLast } from '#base/memoize.js';
import { parseTimestamp } from '#base/time.js';
import { toLenient } from '#context/lenient.js';
import type { Baseline, EnvelopeContent, LlmMessage } from '#context/replay/content.js';
import { readLoggedMessages } from '#context/replay/convert.js';
import { readLiveExtensions } from '#context/replay/ctx-entries.js';
import { MESSAGE_TYPES } from '#context/replay/entry-kinds.js';
import type { Replay } from '#context/replay/replay.js';
import { readModelChange } from '#context/replay/settings.js';
import { readUsageNumbers } from '#context/size/recorded-usage.js';
import { countDeclaredTokens, countValueTokens, sumMessageTokens } from '#context/size/tokens.js';
import { type ContextWalk, walk, type WalkStep } from '#context/walk.js';
import { readTransformerName } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import { answersRequest } from '#session/tree/turns.js';
import type { DeclaredContent } from '../define.js';
import type { PromptCacheInfo } from '../runtime-context.js';
import { CacheTelemetry } from './cache-telemetry.js';
import type { DriveSource } from './drive-options.js';
import type { ProgressLog } from './progress-log.js';
import { estimateSummaryCall, type SummaryCall } from './summary-calls.js';

/** A path as it was recorded, entry by entry. */
export class Recording {
  /** The place of the newest entry on the path; -1: none yet. */
  at = -1;
  /** The model that is asked next. */
  model: string | null = null;
  /** The engine that was in charge while the agent ran. */
  engine: string | null = null;
  /** Milliseconds since 1970. */
  time: number;
  private readonly replay: Replay;
  private readonly steps: ContextWalk['steps'];
  private readonly countDeclared = memoizeLast((declared: EnvelopeContent) => countDeclaredTokens(declared));
  private readonly telemetry = new CacheTelemetry();
  /** Messages for the next request alone. */
  private logged: readonly LlmMessage[] = [];
  private readonly progress: ProgressLog;
  /** The summary of the newest compaction. */
  private summary: string | null = null;

  constructor(
    private readonly source: DriveSource,
    readonly path: readonly Head[],
    { baseline, progress }: { readonly baseline: Baseline; readonly progress: ProgressLog },
  ) {
    this.progress = progress;
    const { replay, steps } = walk(toLenient(source), path, { baseline });
    this.replay = replay;
    this.steps = steps;
    const begun = parseTimestamp(source.header.timestamp);
    this.time = Number.isFinite(begun) ? begun : 0;
  }

  /** Goes on with the next entry of the path, and returns it. */
  next(): JsonObject {
    const { done, value: step } = this.steps.next();
    if (done) return {};
    const { head } = step;
    const entry = deepFreeze(step.entry);
    const message = asObject(entry.message);
    // The prompt that an answer is about is the one before it.
    if (answersRequest(head)) this.telemetry.take(message, this.declared(), head.time);
    this.at = step.index;
    this.replayStep(step, entry);

    if (head.type === 'model_change') this.model = readModelChange(entry).modelId ?? null;
    if (answersRequest(head)) this.model = asString(message.model) ?? this.model;
    const inCharge = head.type === 'custom' ? readLiveExtensions(entry) : null;
    if (inCharge) this.engine = inCharge.engine;
    if (head.type === 'ephemeral') this.logged = readLoggedMessages(entry).map(deepFreeze);
    else if (MESSAGE_TYPES.has(head.type)) this.logged = [];
    for (const time of [head.time, message.timestamp]) {
      if (typeof time === 'number' && !Number.isNaN(parseTimestamp(time))) this.time = Math.max(this.time, time);
    }
    return entry;
  }

  /** Replays an entry, and notes the call of a model that a compaction took. */
  private replayStep(step: WalkStep, entry: JsonObject): void {
    const summary = readCompactionSummary(entry);
    // A compaction may be recorded in two forms.
    if (summary === null || summary === this.summary) {
      step.take();
      return;
    }
    const before = this.replay.messages.countSent().tokens;
    step.take();
    const summarised = before - this.replay.messages.countSent().tokens;
    this.progress.sinceRequest.recordedSummaries.push(readSummaryCall(entry, summary, summarised));
    this.summary = summary;
  }

  /** The next request, as it is recorded. */
  content(): EnvelopeContent {
    const content = this.replay.content();
    for (const message of content.messages.cached) deepFreeze(message);
    return { ...content, messages: { cached: content.messages.cached, uncached: this.logged } };
  }

  declared(): DeclaredContent {
    const { system, tools, options } = this.replay.declared();
    return { system, tools, options };
  }

  /** Estimated: of all that the next request sends, as it is recorded. */
  countTokens(): number {
    const logged = sumMessageTokens(this.logged);
    return this.countDeclaredTokens() + this.replay.messages.countSent().tokens + logged;
  }

  /** Estimated: of prompt and tools. */
  countDeclaredTokens(): number {
    return this.countDeclared(this.replay.declared());
  }

  promptCache(): PromptCacheInfo | null {
    return this.telemetry.now;
  }

  /** Labels that were in force at the newest entry. */
  labels(): ReadonlyMap<unknown, string> {
    const labels = new Map<unknown, string>();
    for (const head of this.path.slice(0, this.at + 1)) {
      if (head.type !== 'label') continue;
      const label = asString(this.source.entry(head).label);
      if (label) labels.set(head.target, label);
      else labels.delete(head.target);
    }
    return labels;
  }
}

/** The summary that an entry holds; null: it is no compaction. */
function readCompactionSummary(entry: JsonObject): string | null {
  if (entry.type === 'compaction') return asString(entry.summary);
  if (entry.type !== 'context_transform' || readTransformerName(entry) !== 'compaction') return null;
  return asString(listObjects(entry.patch).find(({ op }) => op === 'compaction_apply')?.summary);
}

/** The call that wrote a recorded summary: as it was billed, or an estimate by how many tokens it took away. */
function readSummaryCall(entry: JsonObject, summary: string, taken: number): SummaryCall {
  const { usage } = entry;
  if (!isObject(usage)) return estimateSummaryCall(taken + countValueTokens(summary), summary);
  const { input, cacheRead, cacheWrite, output, cost } = readUsageNumbers(usage);
  return { inputTokens: input + cacheRead + cacheWrite, outputTokens: output, cost, isRecorded: true };
}

/**
 * The usage of an answer whose request is `tokens` tokens longer than the recorded one: the recorded numbers plus an
 * estimate of the difference. null: the recorded usage is valid.
 */
export function adjustUsage(entry: JsonObject, tokens: number): JsonObject | null {
  const message = asObject(entry.message);
  const usage = isObject(message.usage) ? message.usage : null;
  if (tokens === 0 || usage === null || readPromptUsage(usage) === null) return null;
  const { input, output, cacheRead, cacheWrite, total } = readUsageNumbers(usage);
  const prompt = Math.max(0, input + cacheRead + cacheWrite + tokens);
  return { input: prompt, output, cacheRead: 0, cacheWrite: 0, totalTokens: Math.max(prompt + output, total + tokens) };
}

/** Types of entries with which the recorded engine changed the context or added to single requests. */
export const RECORDED_ENGINE_TYPES: ReadonlySet<string | null> = new Set([
  'compaction',
  'context_transform',
  'ephemeral',
]);
