import type { JsonObject } from '#base/json.js';
import type { Head } from '#session/table/head.js';
import { rulesByEntry } from './anchored.js';
import { type ActiveRule, type Check, reportAll, thatLookAt } from './check.js';
import type { RuleThat } from './define.js';
import { PathWalk } from './path-walk.js';
import { SoundShapes } from './sound-shapes.js';

/**
 * Goes through the entries of the file one after another, for the rules that look at entries and for those that follow
 * the active path, which stands in the same order in nearly every file. An entry that nobody needs is not parsed.
 */
export async function walkEntries(check: Check): Promise<void> {
  const { session } = check;
  const path = new PathWalk(check);
  const look = lookingAtEntries(check);
  if (!look) {
    for (const head of path.heads) path.step(head, session.entry(head));
  } else {
    const isInOrder = path.heads.every((head, at) => at === 0 || (path.heads[at - 1]?.index ?? 0) < head.index);
    let next = 0;
    for (const head of session.tree.heads) {
      const isNext = isInOrder && path.heads[next]?.index === head.index;
      const entry = isNext ? session.entry(head) : null;
      const looking = look(head, entry);
      if (looking) await looking;
      if (!entry) continue;
      path.step(head, entry);
      next += 1;
    }
    if (!isInOrder) for (const head of path.heads) path.step(head, session.entry(head));
  }
  path.end();
}

type Look = (head: Head, parsed: JsonObject | null) => Promise<void> | null;

/** Shows an entry to the rules that want to see it; null where there are none. */
function lookingAtEntries(check: Check): Look | null {
  const { session } = check;
  const forShapes = thatLookAt(check, 'shape');
  const forEntries = thatLookAt(check, 'entry');
  if (forShapes.length + forEntries.length === 0) return null;
  const rulesFor = rulesByEntry(session, forEntries);
  const sound = forShapes.length > 0 ? new SoundShapes(session) : null;
  return (head, parsed) => {
    const shape = sound?.shapeOf(head) ?? 0;
    const isSound = sound === null || sound.has(shape);
    const rules = rulesFor(head);
    if (isSound && rules.length === 0) return null;
    const entry = parsed ?? session.entry(head);
    let found = 0;
    if (!isSound)
      for (const active of forShapes) found += reportAll(check, active, active.rule.find(entry, head, active.options));
    if (found === 0) sound?.add(shape);
    return rules.length === 0 ? null : lookAt(check, rules, head, entry);
  };
}

async function lookAt(
  check: Check,
  rules: readonly ActiveRule<RuleThat<'entry'>>[],
  head: Head,
  entry: JsonObject,
): Promise<void> {
  for (const active of rules) reportAll(check, active, await active.rule.find(entry, head, active.options));
}
