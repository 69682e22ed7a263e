import type { Severity } from '#base/errors.js';
import { formatId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { findHeadAtLine } from '#session/tree/head-at-line.js';
import type { ActiveRule, Check } from './active-rules.js';
import { type Hit, isEmptyList, type RuleDefinition } from './define.js';
import type { Finding } from './finding.js';

/** Reports the hits of a rule as findings, and returns their number. */
export function reportHits(check: Check, { rule, severity }: ActiveRule, hits: Iterable<Hit>): number {
  if (isEmptyList(hits)) return 0;
  let count = 0;
  for (const hit of hits) {
    check.report(toFinding(rule, severity, dropAdviceToWrite(check.session, addSpan(check.session, hit))));
    count += 1;
  }
  return count;
}

/**
 * Leaves out advice to change the file of another agent, which is never written to. An installed copy is another file.
 */
function dropAdviceToWrite({ agent }: Session, { fix, ...hit }: Hit): Hit {
  const isLeftOut = fix === undefined || (agent && !fix.endsWith(' --install') && /\bctx \w|`context_/.test(fix));
  return isLeftOut ? hit : { ...hit, fix };
}

/** Completes a hit that has only the line of its entry, such as a hit about a message. */
function addSpan(session: Session, hit: Hit): Hit {
  const { at } = hit;
  if (!at || at.offset !== undefined) return hit;
  const head = findHeadAtLine(session, at.line, formatId(at.id));
  return head ? { ...hit, at: { ...at, offset: head.offset, length: head.length } } : hit;
}

function toFinding(
  { name }: RuleDefinition,
  severity: Severity,
  { message, at, place, fix, related = [], isChecked }: Hit,
): Finding {
  const finding = {
    rule: name,
    severity,
    message,
    line: at?.line ?? null,
    entryId: formatId(at?.id),
    offset: at?.offset ?? null,
    length: at?.length ?? null,
    place: place ?? null,
    fix: fix ?? null,
    related: related.flatMap((id) => formatId(id) ?? []),
  };
  return isChecked === false ? { ...finding, checked: false } : finding;
}
