import type { LossDocument, LostFact } from '#analysis/loss/document.js';
import { sumBy } from '#base/lists.js';
import { LISTED_LOSSES } from './row.js';

/** The rows of a list on the screen. */
export const MOST_ROWS = 12;

/** A loss with the entries and facts that the screen lists, and the number of the others. */
export function listLosses(loss: LossDocument): LossDocument {
  const unaccounted = loss.left.filter(({ fate }) => fate === 'unaccounted');
  return trimLosses(loss, unaccounted.slice(0, MOST_ROWS));
}

/** The loss of a plan: all entries that would leave, since no other document has them, and the facts of the screen. */
export function listPlannedLosses(loss: LossDocument): LossDocument {
  return trimLosses(loss, loss.left);
}

function trimLosses(loss: LossDocument, entries: LossDocument['left']): LossDocument {
  const facts = listFacts(loss.facts);
  const path = loss.path && { ...loss.path, facts: [...listFacts(loss.path.facts)] };
  const leftOut = {
    left: loss.left.length - entries.length,
    facts: sumBy([loss, ...(loss.path ? [loss.path] : [])], (of) => of.facts.length - listFacts(of.facts).length),
  };
  const isAll = leftOut.left + leftOut.facts === 0;
  return { ...loss, left: entries, facts: [...facts], ...(path && { path }), ...(isAll ? {} : { leftOut }) };
}

/** The facts that are listed where none is of a class that a person looks for first. */
const FEWEST_FACTS = 3;

/** The missing facts that a person looks for first; some of the others if there are none of these. */
export function listFacts(facts: readonly LostFact[]): readonly LostFact[] {
  const missing = facts.filter(({ mention }) => mention === 'missing');
  const listed = missing.filter(({ class: of }) => LISTED_LOSSES.has(of));
  return listed.length > 0 ? listed.slice(0, MOST_ROWS) : missing.slice(0, FEWEST_FACTS);
}
