import type { Candidate, SourceKind } from '#analysis/ledger/candidate.js';
import { isoTime } from '#analysis/ledger/document.js';
import type { Ledger, Listing } from '#analysis/ledger/ledger.js';
import { count } from '#base/words.js';
import { type Block, cell, type Cell, type Doc, gap, heading, line, span, verbatim } from '#ui/doc/doc.js';

export interface LedgerViewOptions {
  /** Texts are printed whole, below where they come from. */
  readonly isFull: boolean;
}

/** What a conversation has established, each fact with the entry that says so last. */
export function ledgerDoc(ledger: Ledger, { isFull }: LedgerViewOptions): Doc {
  const { goal, constraints, decisions, tasks, blockers, done } = ledger;
  const blocksOf = isFull ? wholeFact : (fact: Candidate): Doc => [rowOf(fact)];
  const listed = (title: string, { facts, more }: Listing): Doc => {
    if (facts.length === 0) return [];
    const older = more > 0 ? [line(span(`  … and ${count(more)} older`, 'faint'))] : [];
    return [gap, heading(2, title), ...older, ...facts.flatMap(blocksOf)];
  };
  const doc = [
    ...listed('Goal', { facts: goal ? [goal] : [], more: 0 }),
    ...listed('Constraints', constraints),
    ...listed('Decisions', decisions),
    ...listed('To do', tasks),
    ...listed('Blocked or failing', blockers),
    ...listed('Done or answered', done),
  ].slice(1);
  return doc.length > 0 ? doc : [line(span('nothing was said that could be put in a line', 'faint'))];
}

function wholeFact(fact: Candidate): Doc {
  return [{ kind: 'row', cells: cellsOf(fact) }, verbatim(textOf(fact))];
}

function rowOf(fact: Candidate): Block {
  return { kind: 'row', cells: [...cellsOf(fact), cell(textOf(fact))] };
}

function cellsOf({ time, source: { entryId, line: at, kind } }: Candidate): readonly Cell[] {
  return [
    cell('', 1),
    cell(entryId ?? `line ${at}`, 8, 'id'),
    cell((isoTime(time) ?? 'no time').slice(0, TO_MINUTES).replace('T', ' '), TO_MINUTES, 'faint'),
    cell(SAID_BY[kind], LONGEST_KIND, 'faint'),
  ];
}

function textOf({ text, outcome }: Candidate): string {
  return outcome === null ? text : `${text} → ${outcome}`;
}

const TO_MINUTES = 16;

const SAID_BY: Readonly<Record<SourceKind, string>> = {
  toolResult: 'result',
  assistant: 'assistant',
  branch: 'branch',
  compaction: 'summary',
  user: 'user',
};
const LONGEST_KIND = 9;
