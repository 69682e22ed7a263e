import { oneLine, textOf } from '#analysis/facts/text.js';
import type { LedgerFact } from '#analysis/ledger/document.js';
import type { History, Item } from './history.js';
import type { Whereabouts } from './packet.js';
import type { Pruned } from './prune.js';

type Place = Pick<LedgerFact['source'], 'entryId' | 'line'>;

/** Tells of the facts of a session whether a prune takes them out of the context. */
export function whereaboutsAfter({ history, decisions }: Pruned): (fact: LedgerFact) => Whereabouts {
  const stays = standingIn(history);
  const left = new Set(decisions.flatMap(({ item, message }) => (message === null ? [nameOf(item.from)] : [])));
  return (fact) => {
    if (stays(fact)) return 'stays';
    return left.has(nameOf(fact.source)) ? 'leaves' : 'gone';
  };
}

/** Tells whether a message of a context states a fact. A packet does not count, because the next one replaces it. */
export function standingIn({ items }: Pick<History, 'items'>): (fact: LedgerFact) => boolean {
  const others = items.filter(({ kind }) => kind !== 'packet');
  const whole = new Set(others.filter(isWhole).map(({ from }) => nameOf(from)));
  const changed = others.filter((item) => !isWhole(item)).map(({ message }) => oneLine(textOf(message)));
  return ({ text, source }) => whole.has(nameOf(source)) || changed.some((said) => said.includes(text));
}

/** Whether a message is as its entry has it. */
function isWhole({ message, original, isFrozen }: Item): boolean {
  return message === original && !isFrozen;
}

function nameOf({ entryId, line }: Place): string {
  return entryId ?? `line ${line}`;
}
