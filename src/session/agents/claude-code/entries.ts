import type { JsonObject } from '#base/json.js';
import type { LineSpan } from '../../scan/bytes.js';
import type { EntryTable } from '../define.js';
import { headsOf } from '../entry-heads.js';
import { buildEntry } from './build.js';
import type { Nodes } from './nodes.js';
import { NONE } from './records.js';

/** The entries of nodes, in the order of their lines; those of one line in the order in which they were made. */
export function entriesOf(nodes: Nodes): { readonly entries: EntryTable; readonly indexOf: (node: number) => number } {
  const order = inOrder(nodes);
  const places = new Int32Array(nodes.length);
  for (const [index, node] of order.entries()) places[node] = index;
  const nodeAt = (index: number): number => order[index] ?? NONE;
  const idOf = (node: number): number | null => (node === NONE ? null : nodes.id(node));
  const heads = headsOf(nodes.records.table, {
    length: order.length,
    flags: (index) => nodes.flags(nodeAt(index)),
    line: (index) => nodes.line(nodeAt(index)),
    time: (index) => nodes.records.time(nodes.record(nodeAt(index))),
    id: (index) => nodes.id(nodeAt(index)),
    parentId: (index) => idOf(nodes.parent(nodeAt(index))),
    targetId: (index) => idOf(nodes.target(nodeAt(index))),
    hasUsage: (index) => nodes.making(nodeAt(index)) === 'answer',
  });
  const entries = {
    heads,
    linesOf: (index: number): readonly LineSpan[] =>
      nodes.lines(nodeAt(index)).map((line) => nodes.records.table.span(line)),
    build(index: number, values: readonly JsonObject[]): JsonObject {
      const head = heads.at(index);
      const { id, parentId, target, type } = head ?? { id: '', parentId: null, target: null, type: null };
      const texts = { id: String(id), parentId: textOrNull(parentId), target: textOrNull(target) };
      return buildEntry(nodes, nodeAt(index), { type, ...texts }, values);
    },
  };
  return { entries, indexOf: (node) => (node === NONE ? NONE : (places[node] ?? NONE)) };
}

function textOrNull(id: unknown): string | null {
  return typeof id === 'string' ? id : null;
}

/** Counts the entries at each line. */
function inOrder(nodes: Nodes): Int32Array {
  const starts = new Int32Array(nodes.records.types.length + 1);
  for (let node = 0; node < nodes.length; node += 1)
    starts[nodes.line(node) + 1] = (starts[nodes.line(node) + 1] ?? 0) + 1;
  for (let line = 1; line < starts.length; line += 1) starts[line] = (starts[line] ?? 0) + (starts[line - 1] ?? 0);
  const order = new Int32Array(nodes.length);
  for (let node = 0; node < nodes.length; node += 1) {
    const line = nodes.line(node);
    order[starts[line] ?? 0] = node;
    starts[line] = (starts[line] ?? 0) + 1;
  }
  return order;
}
