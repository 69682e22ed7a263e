import { createHash } from 'node:crypto';
import type { Finding } from '#analysis/check/document.js';

/** Identifies a finding by the properties that do not change when lines are added before it. */
export function fingerprintOf({ rule, entryId, place, message }: Finding): string {
  // Numbers in a message are line numbers and sizes, which change.
  const about = entryId === null ? message.replaceAll(/\d+/g, '#') : [entryId, place];
  return createHash('sha256')
    .update(JSON.stringify([rule, about]))
    .digest('hex')
    .slice(0, 16);
}
