import type { CacheOptions } from '#analysis/cache/options.js';
import { reportCache } from '#analysis/cache/report-cache.js';
import { collectMisses, type SessionMisses } from '#analysis/cache/session-misses.js';
import { buildPriceList } from '#context/models/registry.js';
import type { Baseline } from '#context/replay/content.js';
import type { Files } from '#platform/files/files.js';
import { countDamage } from '#session/session.js';
import { activePath } from '#session/tree/tree.js';
import type { FileResult } from '../file-result.js';
import { readFamily } from './read-family.js';

/** Sessions that derive from each other, parents first, whose cache misses are counted once. */
export interface CacheMissesInput {
  readonly files: readonly string[];
  readonly options: CacheOptions;
  readonly baseline: Baseline;
}

export type CacheMissesResult = FileResult<{ readonly misses: SessionMisses; readonly isDamaged: boolean }>;

export function readFamilyMisses(
  files: Files,
  { files: names, options, baseline }: CacheMissesInput,
): Promise<readonly CacheMissesResult[]> {
  const prices = buildPriceList();
  return readFamily(files, names, (session, shared) => {
    const report = reportCache({ session, path: activePath(session.tree), baseline }, options, prices);
    return { misses: collectMisses(session, report, shared), isDamaged: countDamage(session) > 0 };
  });
}
