import type { EnvelopeContent } from '#context/replay/content.js';
import type { BoundaryDocument } from './document.js';

/** The result of all handlers of a context event. */
export interface HookBoundary extends Pick<BoundaryDocument, 'reason' | 'transforms' | 'failures' | 'violations'> {
  readonly before: EnvelopeContent;
  /** Equal to `before` where something failed: then none of it is applied. */
  readonly after: EnvelopeContent;
}

export function isFatal({ failures, violations }: Pick<HookBoundary, 'failures' | 'violations'>): boolean {
  return failures.length + violations.length > 0;
}

/** Whether a boundary failed that lies before the request: it is not sent then. A turn ends when it was answered. */
export function preventsRequest(boundary: Pick<HookBoundary, 'reason' | 'failures' | 'violations'>): boolean {
  return boundary.reason !== 'turn_end' && isFatal(boundary);
}
