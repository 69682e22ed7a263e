import { collectOverhead, type SessionOverhead } from '#analysis/overhead/session-overhead.js';
import type { Period } from '#base/time.js';
import { buildPriceList } from '#context/models/registry.js';
import type { Baseline } from '#context/replay/content.js';
import type { Files } from '#platform/files/files.js';
import { countDamage } from '#session/session.js';
import { activePath } from '#session/tree/tree.js';
import type { FileResult } from '../file-result.js';
import { readFamily } from './read-family.js';

/** Sessions that derive from each other, parents first, whose requests are counted once. */
export interface OverheadInput {
  readonly files: readonly string[];
  /** The requests that count; all without one. */
  readonly period: Period | null;
  readonly baseline: Baseline;
}

export type OverheadResult = FileResult<{ readonly overhead: SessionOverhead; readonly isDamaged: boolean }>;

export function readFamilyOverhead(
  files: Files,
  { files: names, period, baseline }: OverheadInput,
): Promise<readonly OverheadResult[]> {
  const priceList = buildPriceList();
  return readFamily(files, names, (session, shared) => {
    const source = { session, path: activePath(session.tree), baseline };
    const overhead = collectOverhead(source, { period, priceList, shared });
    return { overhead, isDamaged: countDamage(session) > 0 };
  });
}
