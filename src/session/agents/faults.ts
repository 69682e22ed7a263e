import type { AgentRecord } from './native-records.js';

/** A fault of a session. */
export interface FoundFault {
  /** The rule of `ctx check` that finds it. */
  readonly rule: string;
  /**
   * The reason why the fault is worse, or milder, than others of the rule. An image has too many bytes, an answer only
   * has a doubled call, or a result has an empty text instead of none. Parents form a circle, or an answer has a text
   * of line breaks beside others.
   */
  readonly cause?: 'bytes' | 'only call' | 'empty text' | 'circle' | 'blank part';
}

/** The effect of a fault on a client: untried where no tried version tells whether it goes on. */
export type FaultEffect = 'goes on' | 'stops' | 'untried';

/**
 * A part of a record that a provider refuses: thinking without the signature that it gave, a text without content, or a
 * failed result without a text.
 */
export type RecordFlaw = 'unsigned thinking' | 'empty text' | 'empty failure';

/** A record whose parent is missing in the file, or comes after it. */
export interface BrokenLink {
  readonly record: AgentRecord;
  /** The parent that it names. */
  readonly from: string;
  /** The record of the conversation before it; null for a root. */
  readonly to: string | null;
  /** Whether that parent descends from the record. */
  readonly isCircular: boolean;
}
