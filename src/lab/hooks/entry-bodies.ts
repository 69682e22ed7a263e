import type { EntryBody } from '#change/plan/new-entries.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { Transform } from './document.js';

/** A transform as Pi persists it. */
export function toTransformBody({ transformerName, patch, display }: Transform): EntryBody {
  const body: EntryBody = { type: 'context_transform', schemaVersion: 1, transformerName, patch };
  return display === null ? body : { ...body, display };
}

/** The uncached tail of a request as Pi logs it. */
export function toEphemeralBody(messages: readonly LlmMessage[]): EntryBody {
  return { type: 'ephemeral', messages };
}

/** An id for measuring: ids, parents and times always have one length. */
const ID = '00000000';

const PLACE = { id: ID, parentId: ID, timestamp: '2026-01-01T00:00:00.000Z' };

/** The length of an entry's line in the file. */
export function countLineBytes(body: EntryBody): number {
  return new TextEncoder().encode(`${JSON.stringify({ ...body, ...PLACE })}\n`).length;
}
