import { createHash } from 'node:crypto';
import type { Finding } from '#analysis/check/document.js';

/** What stays the same about a finding when something else is written above it. */
export function fingerprintOf({ rule, entryId, place, message }: Finding): string {
  // Numbers in a message are those of lines and sizes, which change.
  const about = entryId === null ? message.replaceAll(/\d+/g, '#') : [entryId, place];
  return createHash('sha256')
    .update(JSON.stringify([rule, about]))
    .digest('hex')
    .slice(0, 16);
}
