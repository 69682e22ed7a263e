import type { Problem } from '#base/errors.js';
import type { LiveChain } from './chain.js';
import { isMessage } from './chain.js';
import type { TreeGrowth } from './grow.js';
import type { Node } from './node.js';
import type { ChainRecord } from './record.js';

type Found = ReturnType<LiveChain['tip']>;

/** The active leaf. Its messages are those that the client reads when it resumes the session. */
export function activePath(
  growth: TreeGrowth,
  live: LiveChain,
  found: Found,
): { readonly leaf: Node | null; readonly problems: readonly Problem[] } {
  if (!found) return { leaf: growth.writer.nodes.all.findLast(({ reset }) => reset) ?? null, problems: [] };
  const leaf = growth.after(found.tip, Infinity);
  const expected = firstOfAnswers(live.messages(found.leaf).filter(isMessage));
  if (isSame(messagesAt(leaf), expected)) return { leaf, problems: [] };
  return { leaf: restate(growth, leaf, expected), problems: [restated(found.leaf)] };
}

/** The records of the messages in the context at an entry. */
function messagesAt(leaf: Node | null): readonly ChainRecord[] {
  const path: Node[] = [];
  for (let node = leaf; node; node = node.parent) path.push(node);
  path.reverse();
  const at = path.findLastIndex(({ reset }) => reset !== undefined);
  const kept = path[at]?.reset?.kept;
  const start = kept ? path.indexOf(kept) : at;
  const above = at === -1 ? [] : path.slice(start, at).filter(({ reset }) => reset === undefined);
  const nodes = at === -1 ? path : [path[at] as Node, ...above, ...path.slice(at + 1)];
  return [...new Set(nodes.flatMap(({ message }) => message ?? []))];
}

/** Without the later lines of an answer, which are parts of its message. */
function firstOfAnswers(records: readonly ChainRecord[]): readonly ChainRecord[] {
  const seen = new Set<string>();
  return records.filter(({ answer }) => {
    if (answer === null || !seen.has(answer)) {
      if (answer !== null) seen.add(answer);
      return true;
    }
    return false;
  });
}

function isSame(one: readonly ChainRecord[], other: readonly ChainRecord[]): boolean {
  return one.length === other.length && one.every((record, at) => keyOf(record) === keyOf(other[at] as ChainRecord));
}

function keyOf({ answer, uuid }: ChainRecord): string {
  return answer ?? uuid;
}

/**
 * Repeats the messages at the end, for a file whose boundaries keep messages in an order that no path of the tree has.
 */
function restate({ writer, shape }: TreeGrowth, leaf: Node | null, expected: readonly ChainRecord[]): Node | null {
  const last = writer.nodes.all.reduce((best, { entry }) => Math.max(best, entry.lines[0]?.offset ?? 0), 0);
  const at = writer.nodes.all.find(({ entry }) => entry.lines[0]?.offset === last)?.entry.lines[0];
  const [first] = expected;
  if (!first || !at) return leaf;
  writer.nodes.moveTo(at);
  let tail: Node | null = writer.reset(leaf, first);
  for (const record of expected) tail = writer.write(tail, record, shape.answerOf(record)) ?? tail;
  return tail;
}

function restated({ span }: ChainRecord): Problem {
  const message =
    'the kept messages are in an order that no path of the file has, so the context is repeated at the end';
  return { code: 'restated-context', severity: 'note', message, ...span, entryId: null };
}
