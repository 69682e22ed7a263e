import type { CacheOptions } from '#analysis/cache/options.js';
import { reportCache } from '#analysis/cache/report-cache.js';
import { collectMisses, type SessionMisses } from '#analysis/cache/session-misses.js';
import { SharedEntries } from '#analysis/stats/shared-entries.js';
import { buildPriceList } from '#context/models/registry.js';
import type { Baseline } from '#context/replay/content.js';
import type { Files } from '#platform/files/files.js';
import { activePath } from '#session/tree/tree.js';
import { type FileResult, withSessionFile } from './file-result.js';

/** Sessions that derive from each other, parents first, whose cache misses are counted once. */
export interface CacheMissesInput {
  readonly files: readonly string[];
  readonly options: CacheOptions;
  readonly baseline: Baseline;
}

export type CacheMissesResult = FileResult<{ readonly misses: SessionMisses; readonly isDamaged: boolean }>;

export async function readFamilyMisses(
  files: Files,
  { files: names, options, baseline }: CacheMissesInput,
): Promise<readonly CacheMissesResult[]> {
  const shared = new SharedEntries();
  const prices = buildPriceList();
  const results: CacheMissesResult[] = [];
  for (const file of names)
    results.push(
      await withSessionFile(files, file, async (session) => {
        const report = reportCache({ session, path: activePath(session.tree), baseline }, options, prices);
        const misses = collectMisses(session, report, shared);
        shared.note(session);
        const isDamaged = session.problems.some(({ severity }) => severity !== 'note');
        return { misses, isDamaged };
      }),
    );
  return results;
}
