import type { Head } from '#session/heads/head.js';
import { listCompactions } from '#session/tree/compaction.js';
import { findHeadAtLine } from '#session/tree/head-at-line.js';
import { auditLosses } from '../loss/audit.js';
import type { LostEntry } from '../loss/document.js';
import type { LossData } from './document.js';
import type { RequestSource } from './request-source.js';
import { copyText, limitText } from './stored-text.js';
import { stripTexts } from './strip-texts.js';

type LossSource = Pick<RequestSource, 'session' | 'path' | 'stored' | 'findLimit'>;

/** The losses of the compactions of a path, without compactions that only repeat a transform. */
export function listLosses({ session, path, stored, findLimit }: LossSource): readonly LossData[] {
  const bare = stripTexts(session, path, stored);
  const boundaries = listCompactions(session, path);
  const losses = auditLosses({ session, bare }, path, boundaries);
  const indexAt = ({ line, entryId }: Pick<LostEntry, 'line' | 'entryId'>): number =>
    findHeadAtLine(session, line, entryId)?.index ?? -1;
  return Array.from(losses, ({ counts, classes, left, facts, summary }, at) => {
    const head = boundaries[at] as Head;
    return {
      entry: head.index,
      removed: left.length,
      summary: limitText(summary, findLimit(head.length)),
      counts,
      classes,
      unaccounted: left
        .filter(({ fate }) => fate === 'unaccounted')
        .slice(0, MOST_LISTED)
        .map(({ reason, ...place }) => [indexAt(place), reason ?? 'unknown'] as const),
      missing: facts
        .filter(({ mention }) => mention === 'missing')
        .slice(0, MOST_LISTED)
        .map(({ class: name, text, ...place }) => [name, indexAt(place), copyText(text)] as const),
    };
  });
}

/** The entries, and the facts, of one compaction that a page lists. */
const MOST_LISTED = 200;
