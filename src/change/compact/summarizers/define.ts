import type { JsonObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { ProgramCall, ProgramRun } from '#platform/processes.js';

/** The input of a summariser. The messages are those of Pi's preparation, as they are sent to a model. */
export interface SummaryTask {
  /** The messages that leave the context. */
  readonly messages: readonly LlmMessage[];
  /** The beginning of a turn whose end stays; empty where no turn is split. */
  readonly turnPrefix: readonly LlmMessage[];
  /** Whether the user wrote a message of the role user; without it, all of them count as written. */
  isWritten?(message: LlmMessage): boolean;
  /** The summary that the new one takes the place of, and brings up to date. */
  readonly previousSummary: string | null;
  /** The user's instructions for the summary. */
  readonly instructions: string | null;
  /**
   * Paths that tools have read and changed, those of earlier compactions included; what was changed is not in `read`.
   */
  readonly files: { readonly read: readonly string[]; readonly modified: readonly string[] };
  /** The limit of the summary, lists of files included; by Pi's estimate of four characters a token. */
  readonly maxTokens: number;
}

/** A summary as it goes into the compaction: with the lists of files at its end. */
export interface WrittenSummary {
  readonly text: string;
  /** The usage of the model, in Pi's form; left out where none was asked. */
  readonly usage?: JsonObject;
}

/** The part of Io that a summariser may use. */
export interface SummarizerIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal;
  readonly fetch: typeof globalThis.fetch;
  runProgram(call: ProgramCall, signal: AbortSignal): Promise<ProgramRun>;
  /** The text of a file, `-` for standard input. Throws a CtxError (input) with the reason if it cannot be read. */
  readText(file: string): Promise<string>;
  /** Reports the progress to the user. */
  progress(text: string): void;
}

/**
 * A flag of a summariser; the command that offers it takes it as one of its own.
 *
 * @public The declarations of the library name it.
 */
export interface SummarizerFlag<Value> {
  readonly placeholder: string | null;
  readonly help: string;
  readonly choices?: readonly string[];
  parse(raw: string): Value;
}

export type SummarizerFlags = Readonly<Record<string, SummarizerFlag<unknown>>>;

/** The values of a set of flags; one that was not given is undefined. */
export type SummarizerValues<Flags extends SummarizerFlags> = {
  readonly [Name in keyof Flags]?: Flags[Name] extends SummarizerFlag<infer Value> ? Value | undefined : never;
};

/** One way to make a summary, whole. */
export interface SummarizerDefinition<Flags extends SummarizerFlags> {
  readonly name: string;
  readonly summary: string;
  /** The origin of its summaries, as in "a summary that was written by a model". */
  readonly origin: string;
  readonly flags: Flags;
  /**
   * Throws a CtxError with the reason if there is no summary. `given` holds the values of its own flags, and may hold
   * others.
   */
  summarize(task: SummaryTask, world: SummarizerIo, given: SummarizerValues<Flags>): Promise<WrittenSummary>;
}

export type Summarizer = SummarizerDefinition<SummarizerFlags>;

export function defineSummarizer<const Flags extends SummarizerFlags>(
  definition: SummarizerDefinition<Flags>,
): Summarizer & { readonly flags: Flags } {
  // Summarisers of different flags are in one list; each receives only the values that its own flags have read.
  return definition;
}
