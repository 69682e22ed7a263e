import type { LargePart } from '#analysis/composition/largest.js';
import type { StatusDocument } from '#change/prune/gate/status-document.js';
import type { HistoryItem } from '#change/prune/history.js';
import type { Policy, PolicyMode } from '#change/prune/policy.js';
import type { Zone } from '#change/prune/zones.js';
import type { ContextEnvelope, ContextSize, RequestModel } from '#context/replay/envelope.js';
import type { EnvelopeOverview } from '#context/replay/overview.js';
import type { ContextWindow, KnownWindow } from '#context/size/window.js';
import type { Span } from '#ui/doc/doc.js';

/** The fill of a session's context, and what Pi and a policy do about it. */
export interface ContextStatus {
  readonly document: StatusDocument;
  readonly title: string;
  readonly window: ContextWindow;
  readonly size: ContextSize;
  readonly model: RequestModel;
  readonly unseen: ContextEnvelope['meta']['unseen'];
  readonly overview: EnvelopeOverview;
  /** The largest things in the context. */
  readonly largest: readonly LargePart[];
  /** The commands that look closer, whatever the zone. */
  readonly next: readonly string[];
  /** The agent and the file, where no name was given; else null. */
  readonly place: readonly Span[] | null;
  /** null if the context window is unknown. */
  readonly zoned: ZoneStatus | null;
  /** The packet that replaces the messages that a prune removed; null if there is none. */
  readonly packet: HistoryItem | null;
  /** The name of another agent, which wrote the session; null for Pi. */
  readonly agent: string | null;
  /** Whether commands write copies of the session that the agent resumes. */
  readonly hasCopies: boolean;
}

/** The place of a context among the zones of a policy. */
export interface ZoneStatus extends Pick<StatusDocument, 'next'> {
  readonly policy: Policy;
  readonly window: KnownWindow;
  readonly zone: Zone;
  readonly mode: PolicyMode;
  /** The turn whose end reached this zone; null if no turn has ended in it. */
  readonly since: number | null;
  readonly gate: NonNullable<StatusDocument['gate']>;
}

/** A command that makes the context smaller, as the user may type it. */
export interface Suggestion {
  readonly name: 'compact' | 'prune';
  readonly line: string;
}
