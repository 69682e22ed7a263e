import type { CompactionSettings } from '#change/compact/settings.js';
import type { Policy } from '#change/prune/policy.js';
import type { OpenSession } from '#context/open.js';
import type { Baseline, LlmMessage } from '#context/replay/content.js';
import type { TemporaryFile } from '#platform/files/temporary-file.js';
import type { Head } from '#session/heads/head.js';
import type { ContextEngine } from '../contract.js';
import type { EngineSetup } from '../define.js';
import type { AssembledContent } from './driven-request.js';
import type { HostValues } from './host-values.js';
import type { Spawn } from './spawn.js';
import type { Transcript } from './transcript/transcript.js';

/** A recorded session that an engine is driven over. */
export type DriveSource = OpenSession;

export type MakeEngine = (setup: EngineSetup) => ContextEngine | Promise<ContextEngine>;

/** The options of the host. */
export interface DriveOptions {
  /** The entries from the root to the end; the active path by default. */
  readonly path?: readonly Head[];
  /**
   * The place on the path from which on the engine is in charge: what comes before is its past. 0 where it is left out.
   */
  readonly startsAt?: number;
  /** Creates a session file for an engine that reads it (default: the recorded file). */
  readonly createPast?: (() => Promise<TemporaryFile>) | undefined;
  /** true: also assemble the next request at the end of the path. */
  readonly asksAtEnd?: boolean;
  /** The context window in tokens; null if it is unknown, and then not checked. */
  readonly tokenBudget: number | null;
  readonly settings: CompactionSettings;
  readonly policy: Policy;
  /** Values that the session does not record. */
  readonly baseline?: Baseline;
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
