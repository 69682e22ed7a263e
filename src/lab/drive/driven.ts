import * as z from 'zod/mini';
import type { RequestFault } from '#analysis/check/built-requests.js';
import { attempt } from '#base/errors.js';
import type { CompactionSettings } from '#change/compact/settings.js';
import type { SummaryTask } from '#change/compact/summarizers/define.js';
import type { Policy } from '#change/prune/policy.js';
import type { Baseline, EnvelopeContent, LlmMessage } from '#context/replay/content.js';
import type { ReplayableSession } from '#context/replayable.js';
import { countValueTokens, sumMessageTokens } from '#context/size/tokens.js';
import type { TemporaryFile } from '#platform/files/temporary-file.js';
import type { Files } from '#platform/io.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import type { CompactResult, ContextEngine, TranscriptRewriteResult } from '../contract.js';
import type { EngineAction, EngineSetup } from '../define.js';
import type { Breach } from './failure.js';
import type { Spawn } from './subagents.js';
import type { Transcript } from './transcript.js';

/** A recorded session that an engine is driven over. */
export type DriveSource = ReplayableSession;

export type MakeEngine = (setup: EngineSetup) => ContextEngine | Promise<ContextEngine>;

/** The options of the host. */
export interface DriveOptions {
  /** From the root; the active path where it is left out. */
  readonly path?: readonly Head[];
  /** The place on the path from which on the engine is in charge: what comes before is its past. 0 where it is left out. */
  readonly startsAt?: number;
  /** Creates a session file for an engine that reads it (default: the recorded file). */
  readonly createPast?: (() => Promise<TemporaryFile>) | undefined;
  /** Also assembles the next request at the end of the path. */
  readonly asksAtEnd?: boolean;
  /** The context window in tokens; null if it is unknown, and then not checked. */
  readonly tokenBudget: number | null;
  readonly settings: CompactionSettings;
  readonly policy: Policy;
  /** Values that the session does not record. */
  readonly baseline?: Baseline;
  /**
   * When an engine that does not own its compaction has to compact: when Pi would, or at the recorded compactions,
   * manual ones included.
   */
  readonly compactsAt?: 'threshold' | 'recorded';
  /** Whether built-in engines write their own summary, or use the recorded one of a compaction at the same entry. */
  readonly summaries?: 'extracted' | 'recorded';
  /** Compares the budget with the count of the host alone, and not with the engine's where that is larger. */
  readonly countsItself?: boolean;
  /** The provider's tokens per estimated token (default: 1). */
  readonly tokensPerEstimated?: number;
  /** Values that a host has and the session does not record. */
  readonly host?: HostValues;
  /** Invented subagents, by the request that starts them. */
  readonly spawns?: readonly Spawn[];
  /** Loads the subagents that the folder of the session holds. Called only for an engine that hears of subagents. */
  readonly children?: (() => Promise<readonly Spawn[]>) | undefined;
  /** Asks for each request twice, and calls `onRepeated` with both. */
  readonly onRepeated?: (first: AssembledContent, second: AssembledContent) => void;
  /** Hands over the newest message once more at the end, which an engine has to notice. */
  readonly repeatsLast?: boolean;
  readonly signal?: AbortSignal;
  /** Receives the transcript, and the messages that would be sent for it, after the last request. */
  readonly onEnd?: (end: { readonly transcript: Transcript; readonly messages: readonly LlmMessage[] }) => void;
  /** Receives each call before it is made: `assemble`, `compact(threshold)`. */
  readonly onCall?: (event: string) => void;
}

/** The content of one request. */
export interface AssembledContent extends Pick<EnvelopeContent, 'system' | 'tools' | 'options'> {
  readonly messages: readonly LlmMessage[];
  /** The entry that each message comes from; null: the engine has made it. */
  readonly sources: readonly (string | null)[];
  /** Estimated: of all that is sent. */
  readonly tokens: number;
  /** The statements of the engine. */
  readonly estimatedTokens: number;
  readonly promptAuthority: 'assembled' | 'preassembly_may_overflow';
}

/** A compaction that was asked for, and what came of it. */
export interface EngineCompaction {
  /** overflow: a request would have been too long; engine: it has done so by itself. */
  readonly why: 'overflow' | 'threshold' | 'recorded' | 'engine';
  readonly result: CompactResult;
  /** The last entry above it; null: there is none. */
  readonly at: string | null;
}

/** Changes of the context between two requests. */
export interface DriveProgress {
  readonly compactions: readonly EngineCompaction[];
  readonly rewrites: readonly TranscriptRewriteResult[];
  /** The actions that a built-in engine reports. */
  readonly deeds: readonly EngineAction[];
  /** The sentences of the contract that the engine broke. */
  readonly breaches: readonly Breach[];
  /** The calls of a model that its summaries take. */
  readonly summaries: readonly SummaryCall[];
  /** Those of the recorded compactions. */
  readonly recordedSummaries: readonly SummaryCall[];
}

/** One request of the session, with the engine in charge. `DriveProgress` is what happened since the request before. */
export interface Driven extends DriveProgress {
  /** Counted from 1. */
  readonly request: number;
  /** The entry at which it is built; null: before the first one. */
  readonly at: Head | null;
  /** The recorded answer; null: there is none. */
  readonly answer: Head | null;
  readonly assembled: AssembledContent;
  /** Estimated as `promptAuthority` demands; compared with the budget. */
  readonly checkedTokens: number;
  /** It was over the budget, and was assembled once more after a compaction: the one retry that Pi has for an overflow. */
  readonly retried: boolean;
  /** It is still over the budget, after a compaction. */
  readonly overflow: boolean;
  /** The reasons why a provider rejects it; none if it is accepted. */
  readonly faults: readonly RequestFault[];
}

/** A call of a model that a summary takes. Tokens are estimated, where the session does not record the call. */
export interface SummaryCall {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Dollars that the session records; null: it does not. */
  readonly cost: number | null;
  /** The tokens are those that the provider counted. */
  readonly isRecorded: boolean;
}

/** The call that writes this summary of some tokens. */
export function estimateSummaryCall(inputTokens: number, summary: string): SummaryCall {
  return {
    inputTokens: Math.max(0, inputTokens),
    outputTokens: countValueTokens(summary),
    cost: null,
    isRecorded: false,
  };
}

export function estimateTaskCall({ messages, turnPrefix, previousSummary }: SummaryTask, summary: string): SummaryCall {
  const said = sumMessageTokens([...messages, ...turnPrefix]);
  return estimateSummaryCall(said + countValueTokens(previousSummary ?? ''), summary);
}

/** Creates a file of its own for the entries so far, so that an engine that reads it cannot see what comes later. */
export function createPastFileIn(files: Pick<Files, 'createTemporary'>): () => Promise<TemporaryFile> {
  return () => files.createTemporary('session.jsonl');
}

/** Creates files, and adds each to a list. */
export function collectFiles(create: DriveOptions['createPast'], files: TemporaryFile[]): DriveOptions['createPast'] {
  return (
    create &&
    (async () => {
      const file = await create();
      files.push(file);
      return file;
    })
  );
}

const NEWLINE = 0x0a;

/** Writes down a recorded session, header first, as the file was when each of its entries was the newest. */
export class PastFile {
  private constructor(
    private readonly source: Session,
    private readonly target: TemporaryFile,
  ) {}

  /** null: there is no file to write to. */
  static async of(source: Session, create: DriveOptions['createPast']): Promise<PastFile | null> {
    if (!create) return null;
    const past = new PastFile(source, await create());
    past.add(source.scan.headerSpan);
    return past;
  }

  get file(): string {
    return this.target.file;
  }

  /** Whether the file contains what it should, and nothing else. */
  isAsWritten(how: 'size' | 'content'): boolean {
    return this.target.isAsWritten(how);
  }

  /** Adds a line as it is recorded; the last line of a file may have no newline. */
  add(span: Head | Session['scan']['headerSpan']): void {
    let last = NEWLINE;
    for (const piece of this.source.bytes(span)) {
      this.target.append(piece);
      last = piece.at(-1) ?? last;
    }
    if (last !== NEWLINE) this.target.append(Uint8Array.of(NEWLINE));
  }
}

const truth = z.stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' });

/** A regular expression for prompts; `true` matches all of them, and `false` none. */
const prompts = z.pipe(
  z.string().check(z.refine((text) => attempt(() => new RegExp(text, 'u'), null) !== null)),
  z.transform((text: string) => ({ true: '', false: '(?!)' })[text] ?? text),
);

/** The values that `--set` accepts, each as text. */
export const hostValues = z.strictObject({
  /** The key of the session at its host, beside its id. */
  sessionKey: z.optional(z.string().check(z.minLength(1))),
  /** Instructions of the user for each compaction. */
  customInstructions: z.optional(z.string().check(z.minLength(1))),
  /** Milliseconds after which the host ends a subagent. */
  ttlMs: z.optional(z.pipe(z.string().check(z.regex(/^[1-9]\d{0,14}$/)), z.transform(Number))),
  /** Selects the turns that a schedule started and not a user, by their prompts. */
  isHeartbeat: z.optional(prompts),
  citationsMode: z.optional(z.enum(['auto', 'on', 'off'])),
  /** Whether maintenance in the background may do deferred compactions (default: true). */
  allowDeferredCompactionExecution: z.optional(truth),
  /** Whether the host keeps the session of a completed subagent (the default), or deletes it. */
  cleanup: z.optional(z.enum(['keep', 'delete'])),
});

export type HostValues = z.infer<typeof hostValues>;

/** Whether the prompt of a turn comes from a schedule. */
export function isHeartbeat({ isHeartbeat: pattern }: HostValues, prompt: string): boolean {
  return pattern !== undefined && new RegExp(pattern, 'u').test(prompt);
}
