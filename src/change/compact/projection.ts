import { sumBy } from '#base/lists.js';
import { toLlmMessage } from '#context/replay/convert.js';
import type { StoredMessage } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';

/** An entry of the path with the messages that it has in the context now. */
export interface ProjectedEntry {
  readonly head: Head;
  /** The messages in the agent's own form, with edits applied; most entries have none. */
  readonly messages: readonly StoredMessage[];
  /** The messages are a transform's, and none of the entries above it holds them. */
  readonly isMade: boolean;
}

/** The context as a list of entries, in the order in which their messages are sent. */
export interface Projection {
  readonly entries: readonly ProjectedEntry[];
  /** The place of an earlier compaction's summary; -1 if there is none. */
  readonly summaryAt: number;
  readonly previousSummary: string | null;
  /** The `details` of that compaction, where they count. */
  readonly previousDetails: unknown;
  /** The time of the path's newest compaction, in milliseconds since 1970; null if there is none. */
  readonly compacted: number | null;
  /** Estimated tokens of everything that is sent, the newest number that a provider gave taken for what is above it. */
  readonly tokens: number;
}

/** The number of messages that some entries send to a provider. */
export function countSentMessages(entries: readonly ProjectedEntry[]): number {
  return sumBy(entries, ({ messages }) => messages.filter((message) => toLlmMessage(message) !== null).length);
}
