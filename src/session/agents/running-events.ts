import type { JsonObject } from '#base/json.js';
import type { ClientTotals } from './define.js';

/** A fact of one line of a session, for a reader that takes each line once while the agent runs. */
export type RunningEvent =
  | RunningAnswer
  | { readonly kind: 'call'; readonly id: string | null; readonly name: string; readonly input: unknown }
  /** The user has sent a prompt. */
  | { readonly kind: 'prompt' }
  /**
   * The messages so far were replaced by a summary. `tokensBefore`: the recorded size of the context; null if unknown.
   */
  | { readonly kind: 'compaction'; readonly isAutomatic: boolean; readonly tokensBefore: number | null }
  | RunningTurn
  /** The sums of the client itself, which include all earlier calls. */
  | { readonly kind: 'totals'; readonly totals: ClientTotals };

/** The facts that an agent records once for later answers. Times are milliseconds since 1970, NaN if unknown. */
export interface RunningTurn {
  readonly kind: 'turn';
  readonly provider?: string;
  readonly model?: string;
  /** When the thread of the file began. Earlier turns are copies of another thread's. */
  readonly begun?: number;
  /** When the turn began. */
  readonly start?: number;
}

/** A recorded usage of an answer. Lines of one answer have the same id, and the last one counts. */
export interface RunningAnswer {
  readonly kind: 'answer';
  readonly id: string | null;
  /** The provider, the model and the usage, as Pi records them in a message. */
  readonly message: JsonObject;
  /** Milliseconds since 1970; NaN if it is not recorded. */
  readonly time: number;
  /** Whether the record is a copy of one in another session. */
  readonly isCopied: boolean;
  /** Whether it is a request of a subagent within the file. */
  readonly isSide: boolean;
  /** Whether it is the record of one response: then records that are not so repeat it. */
  readonly isExact: boolean;
  /** The context window in tokens, if the record has it. */
  readonly window: number | null;
}

/** Reads the lines of one agent. */
export interface RunningReader {
  /** Tests whether a line may have an event, without parsing it. */
  mayMatter(line: Buffer): boolean;
  listEvents(record: JsonObject, line: number): readonly RunningEvent[];
}
