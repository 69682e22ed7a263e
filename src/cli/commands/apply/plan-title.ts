import { formatCount, pluralize } from '#base/numbers.js';
import type { Plan } from '#change/plan/plan.js';
import { encodeEntries } from '#change/write/encode-entries.js';
import { fileSpan, type Span, span } from '#ui/doc/doc.js';
import type { PiSession } from '../session-to-plan.js';

/** The first line of a plan: what is done, and to which file. */
export function describePlan(plan: Plan, verb: string, { file, what = '' }: Destination): readonly Span[] {
  const entries = pluralize(plan.entries.length, 'entry', 'entries');
  const action =
    plan.entries.length === 0
      ? 'nothing to append'
      : `${verb} ${entries} (${formatCount(encodeEntries(plan).length)} bytes)`;
  return [span(`${action} to ${what}`, 'strong'), fileSpan(file, file, 'strong')];
}

/** The place of new entries: a session, or a copy of it in words such as `an import of `. */
interface Destination {
  readonly file: string;
  readonly what?: string;
}

/** The file of a session, with words for the copy of one that is never written to. */
export function describeDestination({ file, agent, migration }: PiSession): Destination {
  if (agent) return { file, what: 'an import of ' };
  return migration ? { file, what: 'a migrated copy of ' } : { file };
}
