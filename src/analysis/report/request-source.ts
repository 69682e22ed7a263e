import type { PathSource } from '#context/walk.js';
import type { MessageForms } from './message-forms.js';
import type { StoredMessages } from './message-pool.js';
import type { Numbering } from './numbering.js';
import type { PreamblePool } from './preamble-pool.js';

/** The inputs for the requests of a report. */
export interface RequestSource extends Omit<PathSource, 'session'>, StoredMessages {
  readonly session: PathSource['session'];
  readonly forms: MessageForms;
  readonly pieces: PreamblePool;
  readonly words: Numbering<string>;
  /** The model of each assistant entry, as a number of `words`. */
  readonly models: Int32Array;
  /** The prompt tokens that a provider counted for each assistant entry; 0 for none. */
  readonly counted: Float64Array;
}
