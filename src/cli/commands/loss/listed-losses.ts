import type { LossDocument, LostFact } from '#analysis/loss/document.js';

/**
 * The classes of facts that a person looks for. Files that were only read, other results, images and thoughts are not
 * expected in a summary: only `--full` lists them.
 */
export const LISTED_CLASSES: ReadonlySet<string> = new Set([
  'instructions',
  'corrections',
  'decisions',
  'errors',
  'edits',
]);

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

/** A loss with some of its entries, and the facts that the screen lists. */
function trimLosses(loss: LossDocument, entries: LossDocument['left']): LossDocument {
  const { path } = loss;
  const trimmed: LossDocument = { ...loss, left: entries, facts: [...listFacts(loss.facts)] };
  if (path) trimmed.path = { ...path, facts: [...listFacts(path.facts)] };
  const entriesLeftOut = loss.left.length - entries.length;
  const factsLeftOut = countUnlisted(loss.facts) + countUnlisted(path?.facts ?? []);
  if (entriesLeftOut + factsLeftOut > 0) trimmed.leftOut = { left: entriesLeftOut, facts: factsLeftOut };
  return trimmed;
}

function countUnlisted(facts: readonly LostFact[]): number {
  return facts.length - listFacts(facts).length;
}

/** The facts that are listed where none is of a class that a person looks for first. */
const FEWEST_FACTS = 3;

/** The missing facts that a person looks for first; some of the others if there are none of these. */
export function listFacts(facts: readonly LostFact[]): readonly LostFact[] {
  const missing = facts.filter(({ mention }) => mention === 'missing');
  const listed = missing.filter((fact) => LISTED_CLASSES.has(fact.class));
  return listed.length > 0 ? listed.slice(0, MOST_ROWS) : missing.slice(0, FEWEST_FACTS);
}
