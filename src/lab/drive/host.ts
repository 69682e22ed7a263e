import { describeIssue } from '#base/explain.js';
import { buildStockProjection } from '#change/compact/stock-projection.js';
import { findTrigger } from '#change/compact/trigger.js';
import { ignorePatches } from '#context/open.js';
import type {
  AgentMessage,
  AssembleParams,
  AssembleResult,
  Compacted,
  ContextEngineRuntimeContext,
  SessionParams,
  TranscriptRewriteResult,
} from '../contract.js';
import type { CheckedEngine } from './checked-engine.js';
import { findCountFault, findRewriteFault } from './claimed-numbers.js';
import type { DriveOptions } from './drive-options.js';
import type { EngineCompaction } from './driven-request.js';
import type { DrivenSession } from './driven-session.js';
import { type HostValues, isHeartbeat } from './host-values.js';
import { Ingestion } from './ingestion.js';
import { rewriteRequest } from './results.js';
import type { Spawn } from './spawn.js';
import { Subagents } from './subagents.js';

/** The messages of a turn that goes on. */
export interface Turn {
  readonly messages: readonly AgentMessage[];
  /** The words of the user. */
  readonly prompt: string;
  /** The last answer was aborted or failed. */
  readonly isFailed: boolean;
}

/** A turn that messages are added to. */
export type OpenTurn = { -readonly [Key in keyof Turn]: Turn[Key] } & { readonly messages: AgentMessage[] };

export function createTurn(): OpenTurn {
  return { messages: [], prompt: '', isFailed: false };
}

/** Calls an engine as the contract demands, with the values that the contract promises. */
export class EngineHost {
  /** Tokens of the context as the engine has it, as well as that is known. */
  tokens = 0;
  private session: SessionParams;
  private sessionFile: string;
  private readonly subagents: Subagents;
  private readonly values: HostValues;
  readonly ingestion: Ingestion;

  constructor(
    private readonly driven: DrivenSession,
    private readonly options: DriveOptions,
    private readonly engine: CheckedEngine,
    { sessionId, sessionFile }: { readonly sessionId: string; readonly sessionFile: string },
  ) {
    this.ingestion = new Ingestion(driven, engine);
    this.subagents = new Subagents(engine, options);
    this.values = options.host ?? {};
    const { sessionKey } = this.values;
    this.session = { sessionId, ...(sessionKey === undefined ? {} : { sessionKey }) };
    this.sessionFile = sessionFile;
  }

  /** `past`: the number of messages in the session file. */
  async bootstrap(past: number): Promise<void> {
    const result = await this.engine.call('bootstrap', { ...this.session, sessionFile: this.sessionFile });
    const imported = result?.importedMessages ?? 0;
    this.driven.noteBreach('bootstrap', 'imported', findCountFault('importedMessages', imported, past));
    await this.maintain('bootstrap');
  }

  /** Asks the engine for the next request. */
  async assemble({ prompt }: Turn): Promise<AssembleResult> {
    const { recording, transcript } = this.driven;
    const { citationsMode } = this.values;
    const params: AssembleParams = {
      ...this.session,
      ...this.budget(),
      messages: transcript.messages(),
      availableTools: new Set(recording.declared().tools.map(({ name }) => name)),
      ...(citationsMode === undefined ? {} : { citationsMode }),
      ...(recording.model === null ? {} : { model: recording.model }),
      ...(prompt === '' ? {} : { prompt }),
    };
    const result = await this.engine.call('assemble', params);
    return result ?? { messages: [], estimatedTokens: 0 };
  }

  /** Asks for a compaction. Returns whether there was one. */
  async compact(why: EngineCompaction['why'], currentTokenCount = this.tokens): Promise<boolean> {
    const { customInstructions } = this.values;
    const params = {
      ...this.session,
      ...this.budget(),
      ...(customInstructions === undefined ? {} : { customInstructions }),
      sessionFile: this.sessionFile,
      force: why !== 'threshold',
      currentTokenCount,
      compactionTarget: why === 'overflow' ? 'budget' : 'threshold',
    } as const;
    const result = await this.runWithContext({ currentTokenCount }, (runtimeContext) =>
      this.engine.call('compact', { ...params, runtimeContext }, why),
    );
    if (!result) return false;
    this.driven.takeCompaction(why, result, currentTokenCount);
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

  /** Like before a request, but at the end of a turn, where Pi uses the provider's count. */
  async compactAfterTurn(): Promise<void> {
    const { tokenBudget: contextWindow, settings } = this.options;
    if (this.findThreshold() === null) return;
    const { session, path } = this.driven.transcript;
    const asked = { path, contextWindow, maxOutput: null, settings };
    const { reason, tokens } = findTrigger(ignorePatches(session), asked);
    if (reason !== null) await this.compact(reason, tokens ?? this.tokens);
  }

  /** Hands over the messages of a turn that has ended, as one unit. */
  async endTurn({ messages, prompt, isFailed }: Turn): Promise<void> {
    const { engine, session } = this;
    const heartbeat = isHeartbeat(this.values, prompt) ? { isHeartbeat: true } : {};
    await this.ingestion.ingestTurn(messages, { ...session, ...heartbeat });
    const all = this.driven.transcript.messages();
    const own = new Set(messages);
    const first = all.findIndex((message) => own.has(message));
    const summary = this.driven.takeSummary();
    const params = {
      ...session,
      ...this.budget(),
      ...heartbeat,
      sessionFile: this.sessionFile,
      messages: all,
      prePromptMessageCount: first === -1 ? all.length : first,
      ...(summary === undefined ? {} : { autoCompactionSummary: summary }),
    };
    if (engine.has('afterTurn'))
      await this.runWithContext({}, (runtimeContext) => engine.call('afterTurn', { ...params, runtimeContext }));
    if (!isFailed) await this.maintain('turn');
    await this.subagents.end(this.driven.recording.time);
  }

  async spawn(spawn: Spawn): Promise<void> {
    const { sessionId, sessionKey = sessionId } = this.session;
    await this.subagents.start(spawn, { sessionId, sessionKey, sessionFile: this.sessionFile });
  }

  /** Ends the subagents that still run when the session ends. */
  async endSubagents(): Promise<void> {
    await this.subagents.release();
  }

  /** Only what runs beside a turn may do what was put off, and only where that is agreed to. */
  private async maintain(after: 'bootstrap' | 'turn' | 'compaction'): Promise<void> {
    if (!this.engine.has('maintain')) return;
    const isBackground = this.engine.info.turnMaintenanceMode === 'background';
    const isAllowed = after === 'turn' && isBackground && this.values.allowDeferredCompactionExecution !== false;
    const start = this.driven.rewritesSinceRequest().length;
    const result = await this.runWithContext({ allowDeferredCompactionExecution: isAllowed }, (runtimeContext) =>
      this.engine.call('maintain', { ...this.session, sessionFile: this.sessionFile, runtimeContext }, after),
    );
    if (result)
      this.driven.noteBreach(
        'maintain',
        'maintenance',
        findRewriteFault(result, this.driven.rewritesSinceRequest().slice(start)),
      );
  }

  /** The compaction threshold; null if the engine decides, the settings disable compaction, or the window is unknown. */
  private findThreshold(): number | null {
    const { tokenBudget, settings } = this.options;
    if (tokenBudget === null || !settings.enabled) return null;
    return this.engine.info.ownsCompaction ? null : tokenBudget - settings.reserveTokens;
  }

  private budget(): { readonly tokenBudget?: number } {
    const { tokenBudget } = this.options;
    return tokenBudget === null ? {} : { tokenBudget };
  }

  /** The runtime context of an engine's call, valid only during the call. */
  private async runWithContext<Answer>(
    facts: ContextEngineRuntimeContext,
    work: (context: ContextEngineRuntimeContext) => Promise<Answer>,
  ): Promise<Answer> {
    let isOver = false;
    const promptCache = this.driven.recording.promptCache();
    const context: ContextEngineRuntimeContext = {
      ...this.budget(),
      currentTokenCount: this.tokens,
      ...(promptCache ? { promptCache } : {}),
      transcript: this.driven.transcript.entries(),
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
    const result = this.driven.transcript.rewrite(parsed.data.replacements);
    this.driven.noteRewrite(result);
    return { ...result };
  }

  /** An engine may have gone on in another file. */
  private followRotation(result: Compacted | undefined): void {
    if (result?.sessionId !== undefined) this.session = { ...this.session, sessionId: result.sessionId };
    if (result?.sessionFile !== undefined) this.sessionFile = result.sessionFile;
  }
}
