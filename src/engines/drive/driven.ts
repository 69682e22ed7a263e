import type { RequestFault } from '#analysis/check/built-requests.js';
import { asString, isObject, type JsonObject, objectsIn } from '#base/json.js';
import type { CompactionSettings } from '#change/compact/settings.js';
import type { SummaryTask } from '#change/compact/summarizers/define.js';
import type { Policy } from '#change/prune/policy.js';
import type { Baseline, EnvelopeContent, LlmMessage } from '#context/replay/content.js';
import type { ReadPatch } from '#context/replay/patch-step.js';
import { transformerName } from '#context/replay/selection.js';
import { tokensOfMessages, tokensOfValue, usageNumbers } from '#context/replay/tokens.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import type { CompactResult, ContextEngine, TranscriptRewriteResult } from '../contract.js';
import type { EngineAction, EngineSetup } from '../define.js';
import type { Breach } from './failure.js';
import type { HostValues } from './host-values.js';
import type { Spawn } from './subagents.js';
import type { Transcript } from './transcript.js';

/** A recorded session that an engine is driven over. */
export type DriveSource = Session & { readonly readPatch: ReadPatch };

export type MakeEngine = (setup: EngineSetup) => ContextEngine | Promise<ContextEngine>;

/** The options of the host. */
export interface DriveOptions {
  /** From the root; the active path where it is left out. */
  readonly path?: readonly Head[];
  /** The place on the path from which on the engine is in charge: what comes before is its past. 0 where it is left out. */
  readonly startsAt?: number;
  /** Creates a session file for an engine that reads it (default: the recorded file). */
  readonly createPast?: (() => Promise<PastFile>) | undefined;
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
  /** The provider's tokens per estimated token (default: 1). */
  readonly tokensPerEstimated?: number;
  /** Values that a host has and the session does not record. */
  readonly host?: HostValues;
  /** Invented subagents, by the request that starts them. */
  readonly spawns?: readonly Spawn[];
  /** Loads the subagents that the folder of the session holds. Called only for an engine that hears of subagents. */
  readonly children?: (() => Promise<readonly Spawn[]>) | undefined;
  /** Hands over the newest message once more at the end, which an engine has to notice. */
  readonly repeatsLast?: boolean;
  readonly signal?: AbortSignal;
  /** Receives the transcript, and the messages that would be sent for it, after the last request. */
  readonly onEnd?: (end: { readonly transcript: Transcript; readonly messages: readonly LlmMessage[] }) => void;
  /** Receives each call before it is made, as a `DriveProgress`. */
  readonly onCall?: (event: string) => void;
}

/** The content of one request. */
export interface Assembled extends Pick<EnvelopeContent, 'system' | 'tools' | 'options'> {
  readonly messages: readonly LlmMessage[];
  /** The entry that each message comes from; null: the engine has made it. */
  readonly sources: readonly (string | null)[];
  /** Estimated: of all that is sent. */
  readonly tokens: number;
  /** The statements of the engine. */
  readonly estimatedTokens: number;
  readonly promptAuthority: 'assembled' | 'preassembly_may_overflow';
  /** Stands before the system prompt, and is in it. */
  readonly systemPromptAddition: string;
}

/** A compaction that was asked for, and what came of it. */
export interface AskedCompaction {
  /** overflow: a request would have been too long; engine: it has done so by itself. */
  readonly why: 'overflow' | 'threshold' | 'recorded' | 'engine';
  readonly result: CompactResult;
  /** The last entry above it; null: there is none. */
  readonly at: string | null;
}

/** Changes of the context between two requests. */
export interface DriveProgress {
  readonly compactions: readonly AskedCompaction[];
  readonly rewrites: readonly TranscriptRewriteResult[];
  /** The actions that a built-in engine reports. */
  readonly deeds: readonly EngineAction[];
  /** The methods that were called, in order: `assemble`, `compact(threshold)`. */
  readonly events: readonly string[];
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
  readonly assembled: Assembled;
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
export function summaryCall(inputTokens: number, summary: string): SummaryCall {
  return { inputTokens: Math.max(0, inputTokens), outputTokens: tokensOfValue(summary), cost: null, isRecorded: false };
}

/** The call that does a task. */
export function callOfTask({ messages, turnPrefix, previousSummary }: SummaryTask, summary: string): SummaryCall {
  const said = tokensOfMessages([...messages, ...turnPrefix]);
  return summaryCall(said + tokensOfValue(previousSummary ?? ''), summary);
}

/** The summary that an entry holds; null: it is no compaction. */
export function recordedSummary(entry: JsonObject): string | null {
  if (entry['type'] === 'compaction') return asString(entry['summary']);
  if (entry['type'] !== 'context_transform' || transformerName(entry) !== 'compaction') return null;
  return asString(objectsIn(entry['patch']).find(({ op }) => op === 'compaction_apply')?.['summary']);
}

/** The call that wrote a recorded summary: as it was billed, or an estimate by how many tokens it took away. */
export function recordedCall(entry: JsonObject, summary: string, taken: number): SummaryCall {
  const { usage } = entry;
  if (!isObject(usage)) return summaryCall(taken + tokensOfValue(summary), summary);
  const { input, cacheRead, cacheWrite, output, cost } = usageNumbers(usage);
  return { inputTokens: input + cacheRead + cacheWrite, outputTokens: output, cost, isRecorded: true };
}

/** A file of its own for the entries so far, so that an engine that reads it cannot see what comes later. */
interface PastFile {
  readonly file: string;
  append(bytes: Uint8Array): void;
  /** Takes it away. */
  remove(): void;
}

/** Makes such a file among temporary ones. */
export function pastFileIn(files: { createTemporary(name: string): Promise<PastFile> }): () => Promise<PastFile> {
  return () => files.createTemporary('session.jsonl');
}

/** The files that an engine may read during one drive. */
export class PastFiles {
  private readonly made: PastFile[] = [];
  /** undefined: the engine reads the recorded files. */
  readonly create: DriveOptions['createPast'];

  constructor(create: DriveOptions['createPast']) {
    this.create = create && (async () => this.keep(await create()));
  }

  remove(): void {
    for (const file of this.made.splice(0)) file.remove();
  }

  private keep(file: PastFile): PastFile {
    this.made.push(file);
    return file;
  }
}

const NEWLINE = 0x0a;

/** Writes down a recorded session, header first, as the file was when each of its entries was the newest. */
export class Past {
  private constructor(
    private readonly source: Session,
    private readonly target: PastFile,
  ) {}

  /** null: there is no file to write to. */
  static async of(source: Session, create: DriveOptions['createPast']): Promise<Past | null> {
    if (!create) return null;
    const past = new Past(source, await create());
    past.line(source.scan.headerSpan);
    return past;
  }

  get file(): string {
    return this.target.file;
  }

  add(head: Head): void {
    this.line(head);
  }

  /** The bytes as they are recorded; the last line of a file may have no newline. */
  private line(span: Head | Session['scan']['headerSpan']): void {
    let last = NEWLINE;
    for (const piece of this.source.bytes(span)) {
      this.target.append(piece);
      last = piece.at(-1) ?? last;
    }
    if (last !== NEWLINE) this.target.append(Uint8Array.of(NEWLINE));
  }
}
