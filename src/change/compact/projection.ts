import type { AgentMessage } from '#context/replay/convert.js';
import { toLlm } from '#context/replay/convert.js';
import type { ReadPatch } from '#context/replay/patch-step.js';
import { transformerName } from '#context/replay/selection.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import { currentProjection } from './current-projection.js';
import { stockProjection } from './stock-projection.js';

/** An entry of the path with the messages that it has in the context now. */
export interface Projected {
  readonly head: Head;
  /** In the agent's own form, edits applied; of most entries none. */
  readonly messages: readonly AgentMessage[];
  /** The messages are a transform's, and none of the entries above it holds them. */
  readonly isMade: boolean;
}

/** The context as a list of entries, in the order in which their messages are sent. */
export interface Projection {
  readonly entries: readonly Projected[];
  /** Where the summary stands that an earlier compaction left; -1 for nowhere. */
  readonly summaryAt: number;
  readonly previousSummary: string | null;
  /** The `details` of that compaction, where they count. */
  readonly previousDetails: unknown;
  /** When the newest compaction of the path was written, in milliseconds since 1970; null where there is none. */
  readonly compacted: number | null;
  /** Estimated tokens of everything that is sent, the newest number that a provider gave taken for what is above it. */
  readonly tokens: number;
}

/** Pi's own projection; where transforms have changed messages, the messages as they are now by where they come from. */
export function projectionOf(session: Session, path: readonly Head[], readPatch: ReadPatch): Projection {
  const isChanged = path.some((head) => head.type === 'context_transform' && changesMessages(session, head, readPatch));
  return isChanged ? currentProjection(session, path, readPatch) : stockProjection(session, path);
}

/** A transform named compaction also decides whether a compaction below it counts. */
function changesMessages(session: Session, head: Head, readPatch: ReadPatch): boolean {
  const entry = session.entry(head);
  if (transformerName(entry) === 'compaction') return true;
  return readPatch(entry).some((step) => !step.ok || step.region === 'messages');
}

/** How many messages a provider is sent of some entries. */
export function sentOf(entries: readonly Projected[]): number {
  let sent = 0;
  for (const { messages } of entries) for (const message of messages) if (toLlm(message) !== null) sent += 1;
  return sent;
}
