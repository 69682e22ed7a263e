import type { Baseline } from '#context/replay/baseline.js';
import type { ReadPatch } from '#context/replay/patch-step.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import type { RequestColumns } from './data.js';
import type { Forms } from './forms.js';
import type { MessagePool } from './message-pool.js';
import type { Numbers } from './numbers.js';
import type { Pieces } from './pieces.js';

/** What requests are made of. */
export interface RequestSource {
  readonly session: Session;
  readonly readPatch: ReadPatch;
  readonly baseline: Baseline;
  /** From the root to the entry that the report is about. */
  readonly path: readonly Head[];
  readonly pool: MessagePool;
  readonly forms: Forms;
  readonly pieces: Pieces;
  /** Of each entry the message that it stores; -1 for none. */
  readonly stored: readonly number[];
  readonly words: Numbers<string>;
  /** Of each entry of an assistant its model, as a number of `words`. */
  readonly models: Int32Array;
  /** How many bytes the texts of an entry may take, of a line of so many. */
  readonly mostOf: (bytes: number) => number;
}

/** The columns while they are being filled. */
export type RequestLists = {
  -readonly [
    Name in 'entries' | 'before' | 'keeps' | 'ranges' | 'preambles' | 'models' | 'levels' | 'uncached' | 'ledgers'
  ]: RequestColumns[Name][number][];
};

/** What is collected over all paths. */
export interface Collected {
  readonly lists: RequestLists;
  /** Of each entry the request that it answers; -1 for none so far. */
  readonly numbers: Int32Array;
}
