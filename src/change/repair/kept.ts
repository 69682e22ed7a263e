import { isObject } from '#base/json.js';
import type { ByteSource } from '#session/scan/bytes.js';
import type { Scan } from '#session/scan/scan.js';
import type { Heads } from '#session/table/heads.js';
import { parsed } from './mended-text.js';
import type { Links } from './relink.js';

/**
 * The entries that compactions of version 2 keep from, where they say it as version 1 did, by a number that counts the
 * header and all entries from 0: an old Pi has gone on with the file of a newer one. By the index of the compaction.
 */
export function keptByIndex({ heads }: Scan, source: ByteSource): ReadonlyMap<number, number> {
  const kept = new Map<number, number>();
  for (const { index, target, offset, length } of heads.ofType('compaction')) {
    if (target !== undefined) continue;
    const entry = parsed(decoder.decode(source.read(offset, offset + length)));
    const place = isObject(entry) ? entry['firstKeptEntryIndex'] : undefined;
    if (Number.isInteger(place) && Number(place) > 0 && Number(place) <= index) kept.set(index, Number(place) - 1);
  }
  return kept;
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * What compactions keep from now whose first kept entry is not in the file any more, nor what it said: what followed it
 * on the path. By the index of the compaction.
 */
export function keptBehindMissing(heads: Heads, { parents, reasons, viaLost }: Links): ReadonlyMap<number, number> {
  const kept = new Map<number, number>();
  const missing = new Set([...reasons.keys(), ...viaLost].map((index) => heads.at(index)?.parentId));
  for (const { index, target } of heads.ofType('compaction')) {
    if (!target || heads.has(target) || !missing.has(target)) continue;
    let at = parents[index] ?? -1;
    while (at !== -1 && heads.at(at)?.parentId !== target) at = parents[at] ?? -1;
    if (at !== -1) kept.set(index, at);
  }
  return kept;
}
