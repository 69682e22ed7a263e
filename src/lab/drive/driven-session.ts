import { ALL_FACTS } from '#analysis/facts/facts.js';
import { GrowingFacts } from '#analysis/facts/growing-facts.js';
import { isFrozen } from '#base/freeze.js';
import { memoizeByObject } from '#base/memoize.js';
import { type Preparation, prepareCompaction } from '#change/compact/prepare.js';
import type { SummaryTask } from '#change/compact/summarizers/define.js';
import { extractSummary } from '#change/compact/summarizers/extract.js';
import type { SystemPart } from '#context/replay/content.js';
import { EMPTY_ENVELOPE } from '#context/replay/overview.js';
import { setParts } from '#context/replay/system.js';
import { ignorePatches } from '#context/replayable.js';
import { countDeclaredTokens, countValueTokens } from '#context/size/tokens.js';
import { formatId, quoteId } from '#session/heads/head.js';
import type { AgentMessage, AssembleResult, Compacted, CompactResult, TranscriptRewriteResult } from '../contract.js';
import type { DeclaredContent, EngineAction, EngineSetup, WholeAssembleResult } from '../define.js';
import {
  CompactionClaims,
  findDuplicate,
  findEstimateFault,
  findOutOfOrder,
  findSizeFault,
  findSwappedResult,
  listCompactionBreaches,
} from './claims.js';
import {
  type AssembledContent,
  type DriveOptions,
  type DriveProgress,
  type DriveSource,
  type EngineCompaction,
  estimateSummaryCall,
  estimateTaskCall,
  type SummaryCall,
} from './driven.js';
import { type Breach, type Clause, EngineFailure } from './failure.js';
import type { RecordedCompaction, Recording } from './recording.js';
import { RequestBuilder, type RequestMessages, SentHistory } from './request-checks.js';
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
  private deeds: EngineAction[] = [];
  private breaches: Breach[] = [];
  private summaries: SummaryCall[] = [];
  /** Summaries that this host made for the engine. */
  private readonly written = new Set<string>();
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
      facts: () => facts.readTo(this.said()).list(ALL_FACTS),
      labels: () => recording.labels(),
      prepare: () => this.prepare(),
      compacted: (result) => {
        const at = formatId(transcript.last?.id);
        this.compact(result, result.tokensBefore);
        this.compactions.push({ why: 'engine', result: { ok: true, compacted: true, result }, at });
      },
      count: (messages) => sent.tokens(messages),
      summarize: (task) => this.summarize(task),
      note: (deed) => void this.deeds.push(deed),
    };
  }

  /** The progress since the last call. */
  takeDone(): DriveProgress {
    const { compactions, rewrites, deeds, breaches, summaries } = this;
    [this.compactions, this.rewrites, this.deeds, this.breaches, this.summaries] = [[], [], [], [], []];
    const recordedSummaries = this.recording.takeSummaries();
    return { compactions, rewrites, deeds, breaches, summaries, recordedSummaries };
  }

  /** Takes note of a sentence of the contract that a method broke. `message`: how; null: it did not. */
  broke(method: string, clause: Clause, message: string | null): void {
    if (message !== null) this.breaches.push({ clause, method, message });
  }

  /** Goes on with a recorded message. */
  add(message: AgentMessage): void {
    this.claims.add(this.sent.of(message).tokens);
  }

  /** The rewrites since the newest request. */
  rewritesSoFar(): readonly TranscriptRewriteResult[] {
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
  take(why: EngineCompaction['why'], result: CompactResult, tokens: number): void {
    const at = formatId(this.transcript.last?.id);
    if (result.compacted) this.compact(result.result, tokens);
    this.compactions.push({ why, result, at });
  }

  /** The request that is sent for an assembled result. */
  assembled(result: AssembleResult): AssembledContent {
    const { system, tools }: WholeAssembleResult = result;
    const declared = this.recording.declared();
    const { estimatedTokens, promptAuthority = 'assembled', systemPromptAddition = '' } = result;
    const isOwn = system !== undefined || systemPromptAddition !== '';
    const parts = isOwn ? withAddition(systemPromptAddition, system ?? declared.system.parts) : [];
    const prompt = isOwn ? this.systemOf(parts) : declared.system;
    const whole = { system: prompt, tools: tools ?? declared.tools, options: declared.options };
    const besides = isOwn || tools ? this.tokensBesides(prompt, whole.tools) : this.recording.declaredTokens();
    const taken = this.sent.taken(result.messages, () => this.transcript.messages());
    const { messages, sources, tokens: messageTokens, isInOrder } = this.requests.build(taken);
    const tokens = besides + messageTokens;
    const disorder = isInOrder ? null : findOutOfOrder(taken, this.transcript);
    this.broke('assemble', 'order', disorder ?? findDuplicate(taken, this.transcript));
    this.broke('assemble', 'own-results', findSwappedResult(taken, this.transcript));
    // What an engine adds to prompt and tools is part of its request.
    const own = Math.max(0, besides - this.recording.declaredTokens());
    this.broke(
      'assemble',
      'estimated-tokens',
      findEstimateFault(estimatedTokens, { sizes: [messageTokens + own, tokens], messages: taken }),
    );
    this.breaches.push(...this.claims.assembled(taken, messageTokens, tokens));
    this.assembledTokens = tokens;
    return { ...whole, messages, sources, tokens, estimatedTokens, promptAuthority };
  }

  private systemOf(parts: readonly SystemPart[]): DeclaredContent['system'] {
    return isFrozen(parts) ? this.frozenSystem(parts) : setParts(EMPTY_ENVELOPE, parts).system;
  }

  private tokensBesides(system: DeclaredContent['system'], tools: DeclaredContent['tools']): number {
    const isFixed = isFrozen(system.parts) && isFrozen(tools);
    return isFixed ? this.frozenTokens(tools, system) : countDeclaredTokens({ system, tools });
  }

  /** The messages of a request that sends the transcript as it is, and their entries. */
  unassembled(): RequestMessages {
    return this.plain.build(this.transcript.messages());
  }

  /** Estimated tokens of a request that sends the transcript as it is. */
  unassembledTokens(): number {
    return this.recording.declaredTokens() + this.sent.tokens(this.transcript.messages());
  }

  private prepare(): Preparation | null {
    const { session, path } = this.transcript;
    const { keepRecentTokens } = this.options.settings;
    return prepareCompaction(ignorePatches(session), { path, keepRecentTokens });
  }

  private compact(result: Compacted | undefined, told: number): void {
    const { sent, transcript } = this;
    const before = sent.tokens(transcript.messages());
    const sizes = [told, before, this.unassembledTokens(), this.assembledTokens ?? told];
    if (result)
      this.broke(
        'compact',
        'compact-tokens',
        findSizeFault('tokensBefore', result.tokensBefore, { sizes, messages: transcript.messages() }),
      );
    const changes = result !== undefined && this.apply(result);
    const after = sent.tokens(transcript.messages());
    const { summary } = result ?? {};
    if (summary !== undefined && !this.written.has(summary))
      this.summaries.push(estimateSummaryCall(changes ? before - after + countValueTokens(summary) : before, summary));
    if (!changes) return this.claims.claim(result);
    const afterSizes = [after, this.unassembledTokens(), Math.max(0, told + after - before)];
    this.breaches.push(
      ...listCompactionBreaches({ before, tokensAfter: result.tokensAfter }, after, {
        sizes: afterSizes,
        messages: transcript.messages(),
      }),
    );
  }

  private summarize(task: SummaryTask): string {
    const summary = this.recordedNext()?.summary ?? extractSummary(task);
    this.summaries.push(estimateTaskCall(task, summary));
    this.written.add(summary);
    return summary;
  }

  /** Whether that changes the transcript. */
  private apply(compacted: Compacted): boolean {
    const { summary, firstKeptEntryId } = compacted;
    if (summary === undefined || firstKeptEntryId === undefined) return false;
    const kept = this.transcript.find(firstKeptEntryId);
    const named = `firstKeptEntryId ${quoteId(firstKeptEntryId)}`;
    if (!kept) throw new EngineFailure('result', 'compact', `${named} is not on the active branch`, null, 'kept-entry');
    this.broke('compact', 'kept-result', kept.role === 'toolResult' ? `${named} is a tool result` : null);
    const recorded = this.recordedNext()?.time ?? NaN;
    this.transcript.compact(compacted, Number.isNaN(recorded) ? this.recording.time : recorded);
    this.summary = summary;
    return true;
  }

  private recordedNext(): RecordedCompaction | null {
    return this.options.summaries === 'recorded' ? this.recording.compactionNext() : null;
  }

  /** The conversation so far, without recorded summaries, which belong to another engine. */
  private said(): Recording['path'] {
    const { path, at } = this.recording;
    return path.slice(0, at + 1).filter(({ type }) => type !== 'compaction' && type !== 'context_transform');
  }
}

/** The parts of a prompt with a text before them; a blank line parts it from them. */
function withAddition(text: string, parts: readonly SystemPart[]): readonly SystemPart[] {
  if (text === '') return parts;
  const [first, ...others] = parts;
  return [{ name: 'engine', text }, ...(first ? [{ ...first, separator: '\n\n' }, ...others] : [])];
}
