import { ALL_FACTS } from '#analysis/facts/facts.js';
import { GrowingFacts } from '#analysis/facts/growing-facts.js';
import { isFrozen } from '#base/freeze.js';
import { memoizeByObject } from '#base/memoize.js';
import { type Preparation, prepareCompaction } from '#change/compact/prepare.js';
import type { SummaryTask } from '#change/compact/summarizers/define.js';
import { extractSummary } from '#change/compact/summarizers/extract.js';
import { ignorePatches } from '#context/open.js';
import type { SystemPart } from '#context/replay/content.js';
import { EMPTY_ENVELOPE } from '#context/replay/overview.js';
import { setParts } from '#context/replay/system-messages.js';
import { countDeclaredTokens, countValueTokens } from '#context/size/tokens.js';
import { formatId, quoteId } from '#session/heads/head.js';
import type { AgentMessage, AssembleResult, Compacted, CompactResult } from '../contract.js';
import type { DeclaredContent, EngineDeed, EngineSetup, WholeAssembleResult } from '../define.js';
import type { TranscriptRewriteResult } from '../runtime-context.js';
import { findEstimateFault, findSizeFault } from './claimed-numbers.js';
import type { Breach, Clause } from './clauses.js';
import { CompactionClaims, listCompactionBreaches } from './compaction-claims.js';
import type { DriveOptions, DriveSource } from './drive-options.js';
import type { AssembledContent, DriveProgress, EngineCompaction } from './driven-request.js';
import { EngineFailure } from './failure.js';
import { findDuplicate, findOutOfOrder, findSwappedResult } from './message-order.js';
import type { RecordedCompaction, Recording } from './recording.js';
import { RequestBuilder, type RequestMessages } from './request-builder.js';
import { SentHistory } from './sent-history.js';
import { estimateSummaryCall, estimateTaskCall, type SummaryCall } from './summary-calls.js';
import { Transcript } from './transcript.js';

/** A recorded session, and an engine's changes of it so far. */
export class DrivenSession {
  readonly transcript: Transcript;
  readonly sent = new SentHistory();
  private readonly requests: RequestBuilder;
  private readonly plain: RequestBuilder;
  /** The summary of the newest compaction since the last query. */
  private summary: string | undefined;
  private compactions: EngineCompaction[] = [];
  private rewrites: TranscriptRewriteResult[] = [];
  private deeds: EngineDeed[] = [];
  private breaches: Breach[] = [];
  private summaries: SummaryCall[] = [];
  /** Summaries that this host made for the engine. */
  private readonly hostSummaries = new Set<string>();
  private readonly claims = new CompactionClaims();
  /** Of what an engine has frozen, which cannot have changed since the request before. */
  private readonly frozenSystem = memoizeByObject(
    (parts: DeclaredContent['system']['parts']) => setParts(EMPTY_ENVELOPE, parts).system,
  );
  private readonly frozenTokens = memoizeByObject(
    (tools: DeclaredContent['tools'], system: DeclaredContent['system']) => countDeclaredTokens({ system, tools }),
  );
  /** Of the newest request, estimated. */
  private assembledTokens: number | null = null;

  constructor(
    private readonly source: DriveSource,
    readonly recording: Recording,
    private readonly options: DriveOptions,
  ) {
    this.transcript = new Transcript(source);
    this.requests = new RequestBuilder(this.sent, this.transcript);
    this.plain = new RequestBuilder(this.sent, this.transcript);
  }

  setup(): EngineSetup {
    const { source, recording, transcript, sent } = this;
    const { tokenBudget, settings, policy } = this.options;
    const facts = new GrowingFacts(source);
    return {
      session: source,
      tokenBudget,
      settings,
      policy,
      recorded: () => recording.content(),
      declared: () => recording.declared(),
      now: () => recording.time,
      transcript: () => transcript.entries(),
      facts: () => facts.readTo(this.listConversation()).list(ALL_FACTS),
      labels: () => recording.labels(),
      prepare: () => this.prepare(),
      compacted: (result) => {
        const at = formatId(transcript.last?.id);
        this.compact(result, result.tokensBefore);
        this.compactions.push({ why: 'engine', result: { ok: true, compacted: true, result }, at });
      },
      count: (messages) => sent.countTokens(messages),
      summarize: (task) => this.summarize(task),
      note: (deed) => void this.deeds.push(deed),
    };
  }

  /** The progress since the last call. */
  takeProgress(): DriveProgress {
    const { compactions, rewrites, deeds, breaches, summaries } = this;
    this.compactions = [];
    this.rewrites = [];
    this.deeds = [];
    this.breaches = [];
    this.summaries = [];
    const recordedSummaries = this.recording.takeSummaries();
    return { compactions, rewrites, deeds, breaches, summaries, recordedSummaries };
  }

  /** Takes note of a sentence of the contract that a method broke. `message`: how; null: it did not. */
  noteBreach(method: string, clause: Clause, message: string | null): void {
    if (message !== null) this.breaches.push({ clause, method, message });
  }

  /** Goes on with a recorded message. */
  add(message: AgentMessage): void {
    this.claims.add(this.sent.convert(message).tokens);
  }

  /** The rewrites since the newest request. */
  rewritesSinceRequest(): readonly TranscriptRewriteResult[] {
    return this.rewrites;
  }

  takeSummary(): string | undefined {
    const { summary } = this;
    this.summary = undefined;
    return summary;
  }

  noteRewrite(result: TranscriptRewriteResult): void {
    this.rewrites.push(result);
  }

  /**
   * Takes in what a compaction has come to. `tokens`: of the context, as the engine was told. Throws an EngineFailure for
   * one that is not possible.
   */
  takeCompaction(why: EngineCompaction['why'], result: CompactResult, tokens: number): void {
    const at = formatId(this.transcript.last?.id);
    if (result.compacted) this.compact(result.result, tokens);
    this.compactions.push({ why, result, at });
  }

  /** The request that is sent for an assembled result. */
  buildRequest(result: AssembleResult): AssembledContent {
    const { system, tools }: WholeAssembleResult = result;
    const declared = this.recording.declared();
    const { estimatedTokens, promptAuthority = 'assembled', systemPromptAddition = '' } = result;
    const isOwn = system !== undefined || systemPromptAddition !== '';
    const parts = isOwn ? addPart(systemPromptAddition, system ?? declared.system.parts) : [];
    const prompt = isOwn ? this.buildSystem(parts) : declared.system;
    const whole = { system: prompt, tools: tools ?? declared.tools, options: declared.options };
    const besides = isOwn || tools ? this.countDeclared(prompt, whole.tools) : this.recording.countDeclaredTokens();

    const taken = this.sent.adopt(result.messages, () => this.transcript.messages());
    const { messages, sources, tokens: messageTokens, isInOrder } = this.requests.build(taken);
    const tokens = besides + messageTokens;
    const disorder = isInOrder ? null : findOutOfOrder(taken, this.transcript);
    this.noteBreach('assemble', 'order', disorder ?? findDuplicate(taken, this.transcript));
    this.noteBreach('assemble', 'own-results', findSwappedResult(taken, this.transcript));
    // What an engine adds to prompt and tools is part of its request.
    const own = Math.max(0, besides - this.recording.countDeclaredTokens());
    const sizes = [messageTokens + own, tokens];
    this.noteBreach('assemble', 'estimated-tokens', findEstimateFault(estimatedTokens, { sizes, messages: taken }));
    this.breaches.push(...this.claims.takeRequest(taken, messageTokens, tokens));
    this.assembledTokens = tokens;
    return { ...whole, messages, sources, tokens, estimatedTokens, promptAuthority };
  }

  private buildSystem(parts: readonly SystemPart[]): DeclaredContent['system'] {
    return isFrozen(parts) ? this.frozenSystem(parts) : setParts(EMPTY_ENVELOPE, parts).system;
  }

  private countDeclared(system: DeclaredContent['system'], tools: DeclaredContent['tools']): number {
    const isFixed = isFrozen(system.parts) && isFrozen(tools);
    return isFixed ? this.frozenTokens(tools, system) : countDeclaredTokens({ system, tools });
  }

  /** The messages of a request that sends the transcript as it is, and their entries. */
  buildPlainRequest(): RequestMessages {
    return this.plain.build(this.transcript.messages());
  }

  /** Estimated tokens of a request that sends the transcript as it is. */
  countPlainRequest(): number {
    return this.recording.countDeclaredTokens() + this.sent.countTokens(this.transcript.messages());
  }

  private prepare(): Preparation | null {
    const { session, path } = this.transcript;
    const { keepRecentTokens } = this.options.settings;
    return prepareCompaction(ignorePatches(session), { path, keepRecentTokens });
  }

  private compact(result: Compacted | undefined, told: number): void {
    const { sent, transcript } = this;
    if (result === undefined) return this.claims.claim(result);

    const before = sent.countTokens(transcript.messages());
    const sizes = [told, before, this.countPlainRequest(), this.assembledTokens ?? told];
    const fault = findSizeFault('tokensBefore', result.tokensBefore, { sizes, messages: transcript.messages() });
    this.noteBreach('compact', 'compact-tokens', fault);

    const changes = this.apply(result);
    const after = sent.countTokens(transcript.messages());
    const { summary } = result;
    if (summary !== undefined && !this.hostSummaries.has(summary)) {
      const summarised = changes ? before - after + countValueTokens(summary) : before;
      this.summaries.push(estimateSummaryCall(summarised, summary));
    }
    if (!changes) return this.claims.claim(result);

    const afterSizes = [after, this.countPlainRequest(), Math.max(0, told + after - before)];
    const claim = { before, tokensAfter: result.tokensAfter };
    const found = { sizes: afterSizes, messages: transcript.messages() };
    this.breaches.push(...listCompactionBreaches(claim, after, found));
  }

  private summarize(task: SummaryTask): string {
    const summary = this.findRecordedCompaction()?.summary ?? extractSummary(task);
    this.summaries.push(estimateTaskCall(task, summary));
    this.hostSummaries.add(summary);
    return summary;
  }

  /** Whether that changes the transcript. */
  private apply(compacted: Compacted): boolean {
    const { summary, firstKeptEntryId } = compacted;
    if (summary === undefined || firstKeptEntryId === undefined) return false;
    const kept = this.transcript.find(firstKeptEntryId);
    const named = `firstKeptEntryId ${quoteId(firstKeptEntryId)}`;
    if (!kept) throw new EngineFailure('result', 'compact', `${named} is not on the active branch`, null, 'kept-entry');
    this.noteBreach('compact', 'kept-result', kept.role === 'toolResult' ? `${named} is a tool result` : null);
    const recorded = this.findRecordedCompaction()?.time ?? NaN;
    this.transcript.compact(compacted, Number.isNaN(recorded) ? this.recording.time : recorded);
    this.summary = summary;
    return true;
  }

  private findRecordedCompaction(): RecordedCompaction | null {
    return this.options.summaries === 'recorded' ? this.recording.findNextCompaction() : null;
  }

  /** The conversation so far, without recorded summaries, which belong to another engine. */
  private listConversation(): Recording['path'] {
    const { path, at } = this.recording;
    return path.slice(0, at + 1).filter(({ type }) => type !== 'compaction' && type !== 'context_transform');
  }
}

/** The parts of a prompt with a text before them; a blank line parts it from them. */
function addPart(text: string, parts: readonly SystemPart[]): readonly SystemPart[] {
  if (text === '') return parts;
  const [first, ...others] = parts;
  return [{ name: 'engine', text }, ...(first ? [{ ...first, separator: '\n\n' }, ...others] : [])];
}
