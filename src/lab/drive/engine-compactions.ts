import type { SummaryTask } from '#change/compact/summarizers/define.js';
import { extractSummary } from '#change/compact/summarizers/extract.js';
import { countValueTokens } from '#context/size/tokens.js';
import { formatId, quoteId } from '#session/heads/head.js';
import type { AgentMessage, Compacted, CompactResult } from '../contract.js';
import { findSizeFault } from './breaches/claimed-numbers.js';
import { CompactionClaims, listCompactionBreaches } from './breaches/compaction-claims.js';
import type { EngineCompaction } from './driven-request.js';
import { EngineFailure } from './failure.js';
import type { ProgressLog } from './progress-log.js';
import type { Recording } from './recording.js';
import type { BuiltRequest, RequestBuilder } from './request-builder.js';
import { toSentMessage } from './sent-messages.js';
import { estimateSummaryCall, estimateTaskCall } from './summary-calls.js';
import type { Transcript } from './transcript/transcript.js';

/** Applies the compactions of an engine to the transcript, and checks what it claims about them. */
export class EngineCompactions {
  /** The summary of the newest compaction since the last query. */
  private newestSummary: string | undefined;
  /** Summaries that this host made for the engine. */
  private readonly hostSummaries = new Set<string>();
  private readonly claims = new CompactionClaims();
  /** The estimated tokens of the newest request. */
  private requestTokens: number | null = null;

  constructor(
    private readonly recording: Recording,
    private readonly transcript: Transcript,
    private readonly requests: RequestBuilder,
    private readonly progress: ProgressLog,
  ) {}

  /**
   * `told`: the tokens of the context as the engine was told. Throws an EngineFailure for a compaction that is not
   * possible.
   */
  take(why: EngineCompaction['why'], result: CompactResult, told: number): void {
    const at = formatId(this.transcript.last?.id);
    if (result.compacted) this.compact(result.result, told);
    this.progress.sinceRequest.compactions.push({ why, result, at });
  }

  /** Writes a summary for the engine. */
  summarize(task: SummaryTask): string {
    const summary = extractSummary(task);
    this.progress.sinceRequest.summaries.push(estimateTaskCall(task, summary));
    this.hostSummaries.add(summary);
    return summary;
  }

  /** A recorded message was added to the transcript. */
  noteMessage(message: AgentMessage): void {
    this.claims.add(toSentMessage(message).tokens);
  }

  /** A request was built: it shows whether compactions that left the transcript as it is made it smaller. */
  noteRequest({ given, messageTokens, content }: BuiltRequest): void {
    this.progress.sinceRequest.breaches.push(...this.claims.takeRequest(given, messageTokens, content.tokens));
    this.requestTokens = content.tokens;
  }

  takeSummary(): string | undefined {
    const { newestSummary } = this;
    this.newestSummary = undefined;
    return newestSummary;
  }

  private compact(result: Compacted | undefined, told: number): void {
    if (result === undefined) return this.claims.claim(result);
    const before = this.countTranscript();
    this.checkTokensBefore(result, told, before);
    const hasChanged = this.apply(result);
    const after = this.countTranscript();
    this.noteSummary(result, hasChanged ? before - after : null, before);
    if (!hasChanged) return this.claims.claim(result);
    const sizes = [after, this.requests.countPlainTokens(), Math.max(0, told + after - before)];
    const found = { sizes, messages: this.transcript.messages() };
    const claim = { before, tokensAfter: result.tokensAfter };
    this.progress.sinceRequest.breaches.push(...listCompactionBreaches(claim, after, found));
  }

  private countTranscript(): number {
    return this.requests.countTokens(this.transcript.messages());
  }

  private checkTokensBefore({ tokensBefore }: Compacted, told: number, before: number): void {
    const sizes = [told, before, this.requests.countPlainTokens(), this.requestTokens ?? told];
    const fault = findSizeFault('tokensBefore', tokensBefore, { sizes, messages: this.transcript.messages() });
    this.progress.noteBreach('compact', 'compact-tokens', fault);
  }

  /** Replaces messages of the transcript by the summary. Returns whether the compaction asks for that. */
  private apply(compacted: Compacted): boolean {
    const { summary, firstKeptEntryId } = compacted;
    if (summary === undefined || firstKeptEntryId === undefined) return false;
    const kept = this.transcript.find(firstKeptEntryId);
    const field = `firstKeptEntryId ${quoteId(firstKeptEntryId)}`;
    if (!kept) throw new EngineFailure('result', 'compact', `${field} is not on the active branch`, null, 'kept-entry');
    const isResult = kept.role === 'toolResult';
    this.progress.noteBreach('compact', 'kept-result', isResult ? `${field} is a tool result` : null);
    this.transcript.compact(compacted, this.recording.time);
    this.newestSummary = summary;
    return true;
  }

  /**
   * Notes the call of a model that a summary takes, unless this host made it. `removed`: tokens that left the
   * transcript.
   */
  private noteSummary({ summary }: Compacted, removed: number | null, before: number): void {
    if (summary === undefined || this.hostSummaries.has(summary)) return;
    const summarised = removed === null ? before : removed + countValueTokens(summary);
    this.progress.sinceRequest.summaries.push(estimateSummaryCall(summarised, summary));
  }
}
