import type * as z from 'zod/mini';
import type { LlmMessage } from '#context/replay/content.js';
import type { History } from './history.js';

/** A change of one message: a shorter one replaces it, or none. */
export interface ProposedChange {
  /** The place of the message in the history. */
  readonly at: number;
  readonly message: LlmMessage | null;
  /** A file that the message names, to be written with the change. The name may begin with folders. */
  readonly spill?: { readonly name: string; readonly text: string };
}

/** Changes that are made together or not at all. */
export interface Proposal {
  readonly changes: readonly ProposedChange[];
  /** The reason in a few words, printed after the strategy's name: `3 turns old`, `read again at 1f2e3d4c`. */
  readonly reason: string;
}

interface StrategyOf<Options> {
  readonly name: string;
  /** A summary in one line. */
  readonly summary: string;
  /** A description of what stays, what goes and why, in a few plain sentences of Markdown. */
  readonly help: string;
  /** The schema of its options; every field has a default, so `{}` is valid. Absent: it has none. */
  readonly options?: z.ZodMiniType<Options>;
  /**
   * Proposes what could leave a context. It need not spare the newest turn, protected messages or pairs, nor check
   * that a change saves anything: the guard refuses such proposals. The order does not matter. `isTaken`: whether an
   * earlier proposal already changes the message at a place; a second proposal for it is ignored.
   */
  propose(history: History, options: Options, isTaken: (at: number) => boolean): Iterable<Proposal>;
}

/** One way to make a context smaller. It is given only options that its own schema has read. */
export type Strategy = StrategyOf<unknown>;

/** A strategy without options is given undefined. */
export function defineStrategy<Options = undefined>(definition: StrategyOf<Options>): Strategy {
  return definition;
}
