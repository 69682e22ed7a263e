import type { Problem } from '#base/errors.js';
import { NONE } from '../../heads/id-index.js';
import type { ClaudeEntry } from './entries.js';
import type { LiveChain } from './live-chain.js';
import { listProblemsAt } from './problems.js';
import type { ClaudeRecords } from './records.js';
import type { TreeGrowth } from './tree-growth.js';

/** The active leaf, null if there is none. Its messages are those that the client reads when it resumes the session. */
export function findActiveLeaf(
  growth: TreeGrowth,
  records: ClaudeRecords,
  live: LiveChain,
): { readonly leaf: ClaudeEntry | null; readonly problems: readonly Problem[] } {
  const { entries } = growth.writer;
  const found = live.tip();
  if (!found) return { leaf: entries.all.findLast(({ isReset }) => isReset) ?? null, problems: [] };
  const leaf = growth.findParent(found.tip, Infinity);
  const expected = listFirstRecords(records, live.messages(found.leaf, growth.tree.answers));
  if (haveSameMessages(records, listMessages(leaf), expected)) return { leaf, problems: [] };
  return { leaf: restate(growth, leaf, expected), problems: listProblemsAt(records, [found.leaf], 'restated-context') };
}

/** The records of the messages in the context at an entry. */
function listMessages(leaf: ClaudeEntry | null): readonly number[] {
  const path: ClaudeEntry[] = [];
  for (let entry = leaf; entry; entry = entry.parent) path.push(entry);
  path.reverse();
  const at = path.findLastIndex(({ isReset }) => isReset);
  const reset = path[at];
  const start = reset?.kept ? path.indexOf(reset.kept) : at;
  const kept = reset ? path.slice(start, at).filter(({ isReset }) => !isReset) : [];
  const inside = reset ? [reset, ...kept, ...path.slice(at + 1)] : path;
  // The client reads results that it leaves out, too.
  const records = inside.map(({ form, record, message }) => (form === 'orphan' ? record : message));
  return [...new Set(records.filter((record) => record !== NONE))];
}

/** The messages among records, without the later lines of an answer, which are parts of its message. */
function listFirstRecords(records: ClaudeRecords, lines: readonly number[]): readonly number[] {
  const seen = new Set<number>();
  return lines.filter((line) => {
    if (!records.isMessage(line)) return false;
    const answer = records.answer(line);
    if (answer !== 0 && seen.has(answer)) return false;
    seen.add(answer);
    return true;
  });
}

function haveSameMessages(records: ClaudeRecords, one: readonly number[], other: readonly number[]): boolean {
  const keyOf = (line: number): number => records.answer(line) || records.uuid(line);
  return one.length === other.length && one.every((line, at) => keyOf(line) === keyOf(other[at] ?? NONE));
}

/**
 * Repeats the messages at the end, for a file whose boundaries keep messages in an order that no path of the tree has.
 */
function restate(
  { writer, tree }: TreeGrowth,
  leaf: ClaudeEntry | null,
  expected: readonly number[],
): ClaudeEntry | null {
  const { entries } = writer;
  const [first] = expected;
  const last = entries.all.reduce((line, { lines }) => Math.max(line, lines[0] ?? NONE), NONE);
  if (first === undefined || last === NONE) return leaf;
  entries.moveTo(last);
  let tail = writer.reset(leaf, first);
  for (const record of expected) {
    const answer = tree.answerOf(record);
    tail = writer.write(tail, record, answer === NONE ? undefined : tree.answers.lines(answer)) ?? tail;
  }
  return tail;
}
