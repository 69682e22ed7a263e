import { findDivergence } from '#analysis/cache/divergence.js';
import type { Prompt } from '#analysis/cache/prompt.js';
import { SentPrompts } from '#analysis/cache/sent-prompts.js';
import type { RequestFault } from '#analysis/check/request-faults.js';
import { isSameTarget, type RequestTarget } from '#context/request/wire-messages.js';
import { type Breach, CLAUSES } from '../drive/breaches/clauses.js';
import type { DriveOptions, DriveSource, MakeEngine } from '../drive/drive-options.js';
import { driveEngine, driveToEnd } from '../drive/drive.js';
import type { Driven, DriveProgress } from '../drive/driven-request.js';
import type { EngineFailure } from '../drive/failure.js';
import type { EngineBreach, EngineRefusal, Reread, Shrink, SimulatedEngine, SimulationFailure } from './document.js';
import type { RunSummaryCall } from './prices.js';
import type { RecordedExchange } from './recorded-exchanges.js';
import { ResultContents, type WholeResult } from './result-contents.js';
import { ShownTexts, type WholeText } from './shown-texts.js';

/** One request as an engine has assembled it. All tokens are estimated. */
export interface EngineRequest {
  readonly exchange: RecordedExchange;
  readonly tokens: number;
  /** The tokens of tools and system prompt. */
  readonly preamble: number;
  /** The request before this one that was not lost, to compare it with. null for the first. */
  readonly before: EarlierRequest | null;
  /** The tokens by which the number compared with the budget exceeds the sent request: see `promptAuthority`. */
  readonly unsent: number;
}

interface EarlierRequest {
  readonly tokens: number;
  /** The tokens of the beginning that both share; null where this request begins with all of the earlier one. */
  readonly prefix: number | null;
  readonly isOtherModel: boolean;
}

/** The place where an engine gave up, in the session and in its source. */
export interface RunFailure {
  readonly failure: SimulationFailure;
  readonly stack: string | null;
}

/** A request that a provider rejects, with the first rule of each that it breaks. */
export interface RejectedRequest {
  readonly request: number;
  readonly faults: readonly RequestFault[];
}

/** A sentence of the contract that the engine broke. */
export interface RunBreach extends Breach {
  /** The request before or at which it acted; null: after the last one. */
  readonly request: number | null;
}

/** The actions of an engine, request by request. */
interface RunRecord {
  readonly requests: EngineRequest[];
  readonly shrinks: Shrink[];
  readonly summaries: RunSummaryCall[];
  /** The calls of a model for recorded compactions, whatever the engine. */
  readonly recordedSummaries: RunSummaryCall[];
  /** Requests that a provider rejects. */
  readonly unsendable: RejectedRequest[];
  /** Requests that were assembled once more after an overflow. */
  retries: number;
  readonly breaches: RunBreach[];
}

/** A session with an engine in charge. */
export interface EngineRun extends Readonly<RunRecord> {
  readonly lost: SimulatedEngine['lost'];
  readonly lostTexts: SimulatedEngine['lostTexts'];
  readonly rereads: Reread[];
  /** Each tool result that was shown. */
  readonly wholes: ReadonlyMap<string, WholeResult>;
  /** Each text of user and model that was shown. */
  readonly texts: ReadonlyMap<string, WholeText>;
  readonly failure: RunFailure | null;
}

export interface EngineRunOptions {
  readonly source: DriveSource;
  /** The requests and answers of the active path. */
  readonly exchanges: readonly RecordedExchange[];
  readonly drive: DriveOptions;
  readonly wholes?: ReadonlyMap<string, WholeResult>;
  readonly texts?: ReadonlyMap<string, WholeText>;
  readonly onRequest?: (() => void) | undefined;
}

/** Drives an engine over a session to its end, or until it fails: a failure is a result too. */
export async function runEngine(make: MakeEngine, options: EngineRunOptions): Promise<EngineRun> {
  const recorder = new RunRecorder(options, options.drive.tokensPerEstimated ?? 1);
  const failure = await driveToEnd(driveEngine(options.source, make, options.drive), (step) => {
    // The last step has no request, only what happened after the newest one.
    if (!('request' in step)) return recorder.note(step, null);
    const exchange = options.exchanges[step.request - 1];
    if (exchange) recorder.take(step, exchange);
    options.onRequest?.();
  });
  const { contents, texts, run } = recorder;
  const next = options.exchanges[run.requests.length]?.number ?? null;
  return {
    ...run,
    lost: contents.lost(),
    lostTexts: texts.lost(),
    rereads: contents.rereads,
    wholes: contents.wholes(),
    texts: texts.wholes(),
    failure: failure && toRunFailure(next, failure),
  };
}

function toRunFailure(request: number | null, { kind, method, message, engineStack }: EngineFailure): RunFailure {
  return { failure: { kind, method, message, request }, stack: engineStack };
}

/** Records the requests of an engine, and what it does between them. */
class RunRecorder {
  readonly run: RunRecord = {
    requests: [],
    shrinks: [],
    summaries: [],
    recordedSummaries: [],
    unsendable: [],
    retries: 0,
    breaches: [],
  };
  readonly contents: ResultContents;
  readonly texts: ShownTexts;
  private readonly prompts = new SentPrompts();
  private before: { readonly prompt: Prompt; readonly target: RequestTarget } | null = null;

  /** `factor`: counted tokens for each estimated one. */
  constructor(
    { wholes, texts }: Pick<EngineRunOptions, 'wholes' | 'texts'>,
    private readonly factor: number,
  ) {
    this.contents = new ResultContents(wholes);
    this.texts = new ShownTexts(texts);
  }

  take(driven: Driven, exchange: RecordedExchange): void {
    const { target, isUnbilled, number } = exchange;
    this.note(driven, number);
    const prompt = this.prompts.next(driven.assembled, target);
    const { before } = this;
    this.run.requests.push({
      exchange,
      tokens: prompt.tokens,
      preamble: prompt.preamble.tokens,
      before: before && {
        tokens: before.prompt.tokens,
        prefix: findDivergence(before.prompt, prompt)?.prefixTokensEstimated ?? null,
        isOtherModel: !isSameTarget(before.target, target),
      },
      unsent: Math.max(0, driven.checkedTokens - Math.round(driven.assembled.tokens * this.factor)),
    });
    this.contents.show(prompt, number);
    this.texts.show(driven.assembled, number);
    if (isUnbilled) return;
    if (driven.retried) this.run.retries += 1;
    if (driven.faults.length > 0) this.run.unsendable.push({ request: number, faults: driven.faults });
    this.contents.ask(exchange.calls, number);
    this.before = { prompt, target };
  }

  /** `request`: the one before or at which this was done; null: after the last one. */
  note(done: DriveProgress, request: number | null): void {
    const { run } = this;
    run.summaries.push(...done.summaries.map((call) => ({ ...call, request })));
    run.recordedSummaries.push(...done.recordedSummaries.map((call) => ({ ...call, request })));
    run.breaches.push(...done.breaches.map((breach) => ({ ...breach, request })));
    run.shrinks.push(...listShrinks(done, request));
  }
}

function listShrinks({ compactions, deeds, rewrites }: DriveProgress, request: number | null): readonly Shrink[] {
  const shrinks: Shrink[] = [];
  for (const { why, result } of compactions) {
    const { tokensBefore = null, tokensAfter = null } = result.result ?? {};
    if (result.compacted) shrinks.push({ kind: 'compaction', reason: why, request, tokensBefore, tokensAfter });
  }
  for (const { kind, reason, tokensBefore, tokensAfter } of deeds) {
    shrinks.push({ kind, reason, request, tokensBefore, tokensAfter });
  }
  for (const { changed, rewrittenEntries } of rewrites) {
    const reason = `${rewrittenEntries} entries rewritten`;
    if (changed) shrinks.push({ kind: 'prune', reason, request, tokensBefore: null, tokensAfter: null });
  }
  return shrinks;
}

/** Each rule that requests break, with the first of them. */
export function listBrokenRules(unsendable: readonly RejectedRequest[]): EngineRefusal[] {
  const rules = new Map<string, EngineRefusal>();
  for (const { request, faults } of unsendable) {
    const firstFaults = new Map(faults.toReversed().map((fault) => [fault.rule, fault]));
    for (const [rule, { message }] of firstFaults) {
      const row = rules.get(rule) ?? { rule, requests: 0, first: request, message };
      rules.set(rule, { ...row, requests: row.requests + 1 });
    }
  }
  return [...rules.values()];
}

/** Each sentence of the contract that was broken, with the first time. */
export function listBrokenClauses(breaches: readonly RunBreach[]): EngineBreach[] {
  const clauses = new Map<string, EngineBreach>();
  for (const { clause, message, request } of breaches) {
    const row = clauses.get(clause) ?? { clause, sentence: CLAUSES[clause], message, times: 0, request };
    clauses.set(clause, { ...row, times: row.times + 1 });
  }
  return [...clauses.values()];
}
