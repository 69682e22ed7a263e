import { omitUndefined } from '#base/omit-undefined.js';
import { describeIssue } from '#base/schema-issue.js';
import { buildStockProjection } from '#change/compact/stock-projection.js';
import { findTrigger } from '#change/compact/trigger.js';
import { ignorePatches } from '#context/open.js';
import type {
  AssembleResult,
  Compacted,
  ContextEngineRuntimeContext,
  SessionParams,
  TranscriptRewriteResult,
} from '../contract.js';
import { findCountFault, findRewriteFault } from './breaches/claimed-numbers.js';
import type { CheckedEngine } from './checked-engine.js';
import type { DriveOptions } from './drive-options.js';
import type { EngineCompaction } from './driven-request.js';
import type { DrivenSession } from './driven-session.js';
import { rewriteRequest } from './engine-answers.js';
import { type HostValues, isHeartbeat } from './host-values.js';
import { Ingestion } from './ingestion.js';
import type { PastFile } from './past-file.js';
import type { Subagents } from './subagents.js';
import type { Turn } from './turn.js';

interface EngineParts {
  readonly engine: CheckedEngine;
  readonly past: PastFile | null;
  readonly subagents: Subagents;
}

/** Calls an engine as the contract demands, with the values that the contract promises. */
export class EngineHost {
  /** Tokens of the context as the engine has it, as well as that is known. */
  contextTokens = 0;
  readonly ingestion: Ingestion;
  private readonly engine: CheckedEngine;
  private readonly subagents: Subagents;
  private readonly values: HostValues;
  private session: SessionParams;
  private sessionFile: string;

  constructor(
    private readonly driven: DrivenSession,
    { engine, past, subagents }: EngineParts,
    private readonly options: DriveOptions,
  ) {
    const { source, progress } = driven;
    this.engine = engine;
    this.subagents = subagents;
    this.ingestion = new Ingestion(engine, progress);
    this.values = options.host ?? {};
    this.session = omitUndefined({ sessionId: source.header.id, sessionKey: this.values.sessionKey });
    this.sessionFile = past?.file ?? source.file;
  }

  /** `past`: the number of messages in the session file. */
  async bootstrap(past: number): Promise<void> {
    const result = await this.engine.call('bootstrap', { ...this.session, sessionFile: this.sessionFile });
    const imported = result?.importedMessages ?? 0;
    this.driven.progress.noteBreach('bootstrap', 'imported', findCountFault('importedMessages', imported, past));
    await this.maintain('bootstrap');
  }

  /** Asks the engine for the next request. */
  async assemble({ prompt }: Turn): Promise<AssembleResult> {
    const { recording, transcript } = this.driven;
    const params = omitUndefined({
      ...this.session,
      tokenBudget: this.tokenBudget,
      messages: transcript.messages(),
      availableTools: new Set(recording.declared().tools.map(({ name }) => name)),
      citationsMode: this.values.citationsMode,
      model: recording.model ?? undefined,
      prompt: prompt === '' ? undefined : prompt,
    });
    const result = await this.engine.call('assemble', params);
    return result ?? { messages: [], estimatedTokens: 0 };
  }

  /** Asks for a compaction. Returns whether there was one. */
  async compact(why: EngineCompaction['why'], currentTokenCount = this.contextTokens): Promise<boolean> {
    const params = omitUndefined({
      ...this.session,
      tokenBudget: this.tokenBudget,
      customInstructions: this.values.customInstructions,
      sessionFile: this.sessionFile,
      force: why !== 'threshold',
      currentTokenCount,
      compactionTarget: why === 'overflow' ? ('budget' as const) : ('threshold' as const),
    });
    const result = await this.runWithContext({ currentTokenCount }, (runtimeContext) =>
      this.engine.call('compact', { ...params, runtimeContext }, why),
    );
    if (!result) return false;
    this.driven.compactions.take(why, result, currentTokenCount);
    if (!result.compacted) return false;
    this.followRotation(result.result);
    await this.maintain('compaction');
    return true;
  }

  /** Compacts where Pi would do so before the next request of a turn, unless the engine sees to that itself. */
  async compactWithinTurn(): Promise<void> {
    const threshold = this.findThreshold();
    if (threshold === null) return;
    const { session, path } = this.driven.transcript;
    const { tokens } = buildStockProjection(session, path);
    if (tokens > threshold) await this.compact('threshold', tokens);
  }

  /** Compacts at the end of a turn, where Pi uses the provider's count. */
  async compactAfterTurn(): Promise<void> {
    const { tokenBudget: contextWindow, settings } = this.options;
    if (this.findThreshold() === null) return;
    const { session, path } = this.driven.transcript;
    const asked = { path, contextWindow, maxOutput: null, settings };
    const { reason, tokens } = findTrigger(ignorePatches(session), asked);
    if (reason !== null) await this.compact(reason, tokens ?? this.contextTokens);
  }

  /** Hands over the messages of a turn that has ended, as one unit. */
  async endTurn({ messages, prompt, isFailed }: Turn): Promise<void> {
    const { engine, driven } = this;
    const heartbeat = isHeartbeat(this.values, prompt) ? { isHeartbeat: true } : {};
    await this.ingestion.ingestTurn(messages, { ...this.session, ...heartbeat });
    const all = driven.transcript.messages();
    const own = new Set(messages);
    const first = all.findIndex((message) => own.has(message));
    const params = omitUndefined({
      ...this.session,
      tokenBudget: this.tokenBudget,
      ...heartbeat,
      sessionFile: this.sessionFile,
      messages: all,
      prePromptMessageCount: first === -1 ? all.length : first,
      autoCompactionSummary: driven.compactions.takeSummary(),
    });
    if (engine.has('afterTurn'))
      await this.runWithContext({}, (runtimeContext) => engine.call('afterTurn', { ...params, runtimeContext }));
    if (!isFailed) await this.maintain('turn');
    await this.subagents.end(driven.recording.time);
  }

  /** Starts the subagents of a request. */
  async startSubagents(request: number): Promise<void> {
    const { sessionId, sessionKey = sessionId } = this.session;
    await this.subagents.startAt(request, { sessionId, sessionKey, sessionFile: this.sessionFile });
  }

  /**
   * Lets the engine maintain the transcript. Deferred compactions may run only beside a turn, and only if the host
   * agrees.
   */
  private async maintain(after: 'bootstrap' | 'turn' | 'compaction'): Promise<void> {
    if (!this.engine.has('maintain')) return;
    const { progress } = this.driven;
    const isBackground = this.engine.info.turnMaintenanceMode === 'background';
    const isAllowed = after === 'turn' && isBackground && this.values.allowDeferredCompactionExecution !== false;
    const start = progress.sinceRequest.rewrites.length;
    const result = await this.runWithContext({ allowDeferredCompactionExecution: isAllowed }, (runtimeContext) =>
      this.engine.call('maintain', { ...this.session, sessionFile: this.sessionFile, runtimeContext }, after),
    );
    if (!result) return;
    const fault = findRewriteFault(result, progress.sinceRequest.rewrites.slice(start));
    progress.noteBreach('maintain', 'maintenance', fault);
  }

  /**
   * The compaction threshold; null if the engine decides, the settings disable compaction, or the window is unknown.
   */
  private findThreshold(): number | null {
    const { tokenBudget, settings } = this.options;
    if (tokenBudget === null || !settings.enabled) return null;
    return this.engine.info.ownsCompaction ? null : tokenBudget - settings.reserveTokens;
  }

  private get tokenBudget(): number | undefined {
    return this.options.tokenBudget ?? undefined;
  }

  /** The runtime context of an engine's call, valid only during the call. */
  private async runWithContext<Answer>(
    facts: ContextEngineRuntimeContext,
    work: (context: ContextEngineRuntimeContext) => Promise<Answer>,
  ): Promise<Answer> {
    let isOver = false;
    const { recording, transcript } = this.driven;
    const known = omitUndefined({
      tokenBudget: this.tokenBudget,
      currentTokenCount: this.contextTokens,
      promptCache: recording.promptCache() ?? undefined,
    });
    const context: ContextEngineRuntimeContext = {
      ...known,
      transcript: transcript.entries(),
      rewriteTranscriptEntries: async (request) => {
        if (isOver) throw new Error('rewriteTranscriptEntries can be called only while a method runs');
        return this.rewrite(request);
      },
      ...facts,
    };
    try {
      return await work(context);
    } finally {
      isOver = true;
    }
  }

  private rewrite(request: unknown): TranscriptRewriteResult {
    const parsed = rewriteRequest.safeParse(request);
    if (!parsed.success) throw new Error(`rewriteTranscriptEntries: ${describeIssue(parsed.error)}`);
    const { transcript, progress } = this.driven;
    const result = transcript.rewrite(parsed.data.replacements);
    progress.sinceRequest.rewrites.push(result);
    return { ...result };
  }

  /** An engine may have gone on in another file. */
  private followRotation(result: Compacted | undefined): void {
    if (result?.sessionId !== undefined) this.session = { ...this.session, sessionId: result.sessionId };
    if (result?.sessionFile !== undefined) this.sessionFile = result.sessionFile;
  }
}
