import { createHash } from 'node:crypto';
import type { Finding } from '#analysis/check/define.js';

/** What stays the same about a finding when something else is written above it. */
export function fingerprintOf({ code, entryId, place, message }: Finding): string {
  // Numbers in a message are those of lines and sizes, which change.
  const about = entryId === null ? message.replaceAll(/\d+/g, '#') : [entryId, place];
  return createHash('sha256')
    .update(JSON.stringify([code, about]))
    .digest('hex')
    .slice(0, 16);
}
