import type { JsonObject } from '#base/json.js';
import type { LineSpan } from '../../scan/bytes.js';
import { packed, RECORD_WORDS, ROLES, TYPES, WORD } from '../../scan/line-scanner.js';
import { Heads } from '../../table/heads.js';
import { KIND } from '../../table/ids.js';
import type { EntryTable } from '../define.js';
import { buildEntry } from './build.js';
import { type Making, type Nodes } from './nodes.js';
import { NONE } from './records.js';

/** The type and the role of the entries that are made. */
const FORMS: Readonly<Record<Making, readonly [type: string, role?: string]>> = {
  title: ['session_info'],
  answer: ['message', 'assistant'],
  model: ['model_change'],
  text: ['message', 'user'],
  meta: ['custom_message'],
  result: ['message', 'toolResult'],
  replaced: ['context_edit'],
  cleared: ['context_edit'],
  snapshot: ['context_transform'],
  attachment: ['custom_message'],
  compaction: ['compaction'],
  reset: ['context_transform'],
};

const FLAGS = new Map(
  Object.entries(FORMS).map(([making, [type, role]]) => {
    const numbers = { type: TYPES.indexOf(type) + 1, role: role === undefined ? 0 : ROLES.indexOf(role) + 1 };
    return [making, packed({ ...numbers, id: KIND.digits, parentId: 0, target: 0, hasSummary: 0 })];
  }),
);

/** The entries of nodes, in the order of their lines; those of one line in the order in which they were made. */
export function entriesOf(nodes: Nodes): { readonly entries: EntryTable; readonly indexOf: (node: number) => number } {
  const order = inOrder(nodes);
  const places = new Int32Array(nodes.length);
  for (const [index, node] of order.entries()) places[node] = index;
  const heads = headsOf(nodes, order);
  const nodeAt = (index: number): number => order[index] ?? NONE;
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

function headsOf(nodes: Nodes, order: Int32Array): Heads {
  const { table } = nodes.records;
  const words = new Uint32Array(order.length * RECORD_WORDS);
  const doubles = new Float64Array(words.buffer);
  const offsets = new Float64Array(order.length);
  const lines = new Uint32Array(order.length);
  for (let index = 0; index < order.length; index += 1) {
    const node = order[index] ?? 0;
    const line = nodes.line(node);
    const making = nodes.making(node);
    const [parent, target] = [nodes.parent(node), nodes.target(node)];
    const at = index * RECORD_WORDS;
    const offset = table.offsetOf(line);
    const length = table.offsetOf(line + 1) - offset;
    offsets[index] = offset;
    lines[index] = line + 1;
    doubles[at / 2] = length;
    doubles[at / 2 + 1] = nodes.records.time(nodes.record(node));
    const links = linkFlags(parent, target);
    words[at + WORD.flags] = (FLAGS.get(making) ?? 0) | links;
    words[at + WORD.id] = nodes.id(node);
    words[at + WORD.parentId] = parent === NONE ? KIND.null : nodes.id(parent);
    words[at + WORD.target] = target === NONE ? 0 : nodes.id(target);
    words[at + WORD.usageLength] = making === 'answer' ? length : 0;
  }
  const heads = new Heads(order.length);
  heads.pushRows(words, offsets, lines);
  return heads;
}

function linkFlags(parent: number, target: number): number {
  const parentId = parent === NONE ? KIND.null : KIND.digits;
  return packed({
    type: 0,
    role: 0,
    id: 0,
    parentId,
    target: target === NONE ? KIND.none : KIND.digits,
    hasSummary: 0,
  });
}
