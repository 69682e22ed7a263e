import { auditLoss } from '#analysis/loss/audit.js';
import { classCounts } from '#analysis/loss/document.js';
import type { ReadPatch } from '#context/replay/patch-step.js';
import { transformAbove, transformerName } from '#context/replay/selection.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import type { LossData } from './data.js';
import { limited } from './text-limit.js';
import { withoutTexts } from './without-texts.js';

interface LossSource {
  readonly session: Session;
  readonly readPatch: ReadPatch;
  readonly path: readonly Head[];
  /** Of each entry the message that it adds; -1 for none. */
  readonly stored: readonly number[];
  readonly mostOf: (bytes: number) => number;
}

/** What each compaction of a path took out. One that only repeats a transform is not one of its own. */
export function lossesAlong({ session, readPatch, path, stored, mostOf }: LossSource): readonly LossData[] {
  const bare = withoutTexts(session, path, stored);
  return boundariesOf(session, path).map((head) => {
    const audit = auditLoss({ session, readPatch, bare }, head);
    return {
      entry: audit.boundary.index,
      summary: limited(audit.summary, mostOf(head.length)),
      counts: audit.counts,
      classes: classCounts(audit),
      unaccounted: audit.left
        .flatMap(({ fate, head: { index }, reason }) =>
          fate === 'unaccounted' ? [[index, reason ?? 'unknown'] as const] : [],
        )
        .slice(0, MOST),
      missing: audit.facts
        .flatMap(({ class: name, account, text, mention }) =>
          mention === 'missing' ? [[name, account.head.index, text] as const] : [],
        )
        .slice(0, MOST),
    };
  });
}

const MOST = 200;

function boundariesOf(session: Session, path: readonly Head[]): readonly Head[] {
  return path.filter(
    (head, at) =>
      (head.type === 'compaction' && !transformAbove(session, path, at)) ||
      (head.type === 'context_transform' && transformerName(session.entry(head)) === 'compaction'),
  );
}
