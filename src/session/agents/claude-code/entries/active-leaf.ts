import type { Problem } from '#base/errors.js';
import { NONE } from '../../../heads/id-index.js';
import { listProblemsAt } from '../problems.js';
import type { ClaudeRecords } from '../records/records.js';
import type { Answers } from '../tree/answers.js';
import type { LiveChain } from '../tree/live-chain.js';
import { type ClaudeEntry, isReset } from './entries.js';
import type { EntryTree } from './entry-tree.js';
import type { EntryWriter } from './entry-writer.js';

/** The active leaf, null if there is none. Its messages are those that the client reads when it resumes the session. */
export function findActiveLeaf(
  tree: EntryTree,
  records: ClaudeRecords,
  live: LiveChain,
  answers: Answers,
): { readonly leaf: ClaudeEntry | null; readonly problems: readonly Problem[] } {
  const { writer } = tree;
  const found = live.findTip();
  if (!found) return { leaf: writer.entries.all.findLast(isReset) ?? null, problems: [] };
  const leaf = tree.findParent(found.tip, Infinity);
  const expected = listFirstRecords(records, live.listMessages(found.message, answers));
  const inContext = listInContext(leaf);
  const messages = listMessages(inContext);
  const leftOut = listLeftOut(inContext, messages);
  const wanted = writer.isExact ? expected.filter((record) => !leftOut.has(record)) : expected;
  if (haveSameMessages(records, messages, wanted)) return { leaf, problems: [] };
  return {
    leaf: restate(writer, answers, leaf, expected),
    problems: listProblemsAt(records, [found.message], 'restated-context'),
  };
}

/** The entries in the context at an entry. */
function listInContext(leaf: ClaudeEntry | null): readonly ClaudeEntry[] {
  const path: ClaudeEntry[] = [];
  for (let entry = leaf; entry; entry = entry.parent) path.push(entry);
  path.reverse();
  const at = path.findLastIndex(isReset);
  const reset = path[at];
  if (!reset) return path;
  const start = reset.target ? path.indexOf(reset.target) : at;
  const kept = path.slice(start, at).filter((entry) => !isReset(entry));
  return [reset, ...kept, ...path.slice(at + 1)];
}

/** The records of the messages of some entries. */
function listMessages(entries: readonly ClaudeEntry[]): readonly number[] {
  return [...new Set(entries.map(({ message }) => message).filter((record) => record !== NONE))];
}

/** The records of results without a call, which the client reads and then leaves out of its requests. */
function listLeftOut(entries: readonly ClaudeEntry[], messages: readonly number[]): ReadonlySet<number> {
  const orphans = entries.filter(({ form }) => form === 'orphan').map(({ record }) => record);
  const sent = new Set(messages);
  return new Set(orphans.filter((record) => !sent.has(record)));
}

/** The messages among records, without the later lines of an answer, which are parts of its message. */
function listFirstRecords(records: ClaudeRecords, lines: readonly number[]): readonly number[] {
  const seen = new Set<number>();
  return lines.filter((line) => {
    if (!records.isMessage(line)) return false;
    const answer = records.answerId(line);
    if (answer !== 0 && seen.has(answer)) return false;
    seen.add(answer);
    return true;
  });
}

function haveSameMessages(records: ClaudeRecords, one: readonly number[], other: readonly number[]): boolean {
  const keyOf = (line: number): number => records.answerId(line) || records.uuid(line);
  return one.length === other.length && one.every((line, at) => keyOf(line) === keyOf(other[at] ?? NONE));
}

/**
 * Repeats the messages at the end, for a file whose boundaries keep messages in an order that no path of the tree has.
 */
function restate(
  writer: EntryWriter,
  answers: Answers,
  leaf: ClaudeEntry | null,
  expected: readonly number[],
): ClaudeEntry | null {
  const { entries } = writer;
  const [first] = expected;
  const last = entries.all.reduce((line, { lines }) => Math.max(line, lines[0] ?? NONE), NONE);
  if (first === undefined || last === NONE) return leaf;
  entries.repeatAt(last);
  let tail = writer.reset(leaf, first);
  for (const record of expected) {
    const answer = answers.of(record);
    tail = writer.write(tail, record, answer === NONE ? undefined : answers.lines(answer)) ?? tail;
  }
  return tail;
}
