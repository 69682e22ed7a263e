import type { Problem } from '#base/errors.js';
import type { LiveChain } from './chain.js';
import type { TreeGrowth } from './grow.js';
import type { Nodes } from './nodes.js';
import { NONE, type ClaudeRecords } from './records.js';

/** The active leaf, NONE if there is none. Its messages are those that the client reads when it resumes the session. */
export function activePath(
  growth: TreeGrowth,
  records: ClaudeRecords,
  live: LiveChain,
): { readonly leaf: number; readonly problems: readonly Problem[] } {
  const { nodes } = growth.writer;
  const found = live.tip();
  if (!found) return { leaf: Math.max(NONE, ...nodes.resets.keys()), problems: [] };
  const leaf = growth.after(found.tip, Infinity);
  const expected = firstOfAnswers(records, live.messages(found.leaf));
  if (isSame(records, messagesAt(nodes, leaf), expected)) return { leaf, problems: [] };
  return { leaf: restate(growth, leaf, expected), problems: [restated(records, found.leaf)] };
}

/** The records of the messages in the context at an entry. */
function messagesAt(nodes: Nodes, leaf: number): readonly number[] {
  const path: number[] = [];
  for (let node = leaf; node !== NONE; node = nodes.parent(node)) path.push(node);
  path.reverse();
  const at = path.findLastIndex((node) => nodes.resets.has(node));
  const kept = nodes.resets.get(path[at] ?? NONE) ?? NONE;
  const start = kept === NONE ? at : path.indexOf(kept);
  const above = at === -1 ? [] : path.slice(start, at).filter((node) => !nodes.resets.has(node));
  const inside = at === -1 ? path : [path[at] ?? NONE, ...above, ...path.slice(at + 1)];
  return [...new Set(inside.map((node) => nodes.message(node)).filter((record) => record !== NONE))];
}

/** The messages among records, without the later lines of an answer, which are parts of its message. */
function firstOfAnswers(records: ClaudeRecords, lines: readonly number[]): readonly number[] {
  const seen = new Set<number>();
  return lines.filter((line) => {
    if (!records.isMessage(line)) return false;
    const answer = records.answer(line);
    if (answer !== 0 && seen.has(answer)) return false;
    seen.add(answer);
    return true;
  });
}

function isSame(records: ClaudeRecords, one: readonly number[], other: readonly number[]): boolean {
  const keyOf = (line: number): number => records.answer(line) || records.uuid(line);
  return one.length === other.length && one.every((line, at) => keyOf(line) === keyOf(other[at] ?? NONE));
}

/**
 * Repeats the messages at the end, for a file whose boundaries keep messages in an order that no path of the tree has.
 */
function restate({ writer, shape }: TreeGrowth, leaf: number, expected: readonly number[]): number {
  const { nodes } = writer;
  const [first] = expected;
  let last = NONE;
  for (let node = 0; node < nodes.length; node += 1) last = Math.max(last, nodes.lines(node)[0] ?? NONE);
  if (first === undefined || last === NONE) return leaf;
  nodes.moveTo(last);
  let tail = writer.reset(leaf, first);
  for (const record of expected) {
    const answer = shape.answerOf(record);
    const next = writer.write(tail, record, answer === NONE ? undefined : shape.linesOf(answer));
    if (next !== NONE) tail = next;
  }
  return tail;
}

function restated({ table }: ClaudeRecords, line: number): Problem {
  const message =
    'the kept messages are in an order that no path of the file has, so the context is repeated at the end';
  return { code: 'restated-context', severity: 'note', message, ...table.span(line), entryId: null };
}
