import { Buffer } from 'node:buffer';
import { timeText } from '#base/time.js';
import { idText } from '#session/table/head.js';
import type { Heads } from '#session/table/heads.js';
import type { Row } from '#session/tree/outline.js';
import { jsonLine } from '#ui/doc/json.js';
import { ROW_STATE, type RowState, RowWriter } from './row-writer.js';

/** What is known of the entries besides their heads, by index. */
export interface TreeFacts {
  readonly heads: Heads;
  readonly labels: ReadonlyMap<number, string>;
  /** 1 for an entry on the path to the leaf. */
  readonly active: Uint8Array;
  readonly leaf: number | undefined;
  /** Take no shortcuts. What is written is the same. */
  readonly isDoubted: boolean;
}

/** The rows of a tree as `ctx/tree-entry` lines, from heads alone. Each piece is valid until the next. */
export function* treeJson(rows: Iterable<Row>, facts: TreeFacts): Generator<Uint8Array> {
  const writer = new RowWriter();
  let batch: Row[] = [];
  for (const row of rows) {
    batch.push(row);
    writer.add(facts.heads, row, stateOf(row.index, facts));
    if (!writer.isFull) continue;
    yield linesOf(batch, writer, facts);
    writer.clear();
    batch = [];
  }
  yield linesOf(batch, writer, facts);
}

function stateOf(index: number, { labels, active, leaf, isDoubted }: TreeFacts): RowState {
  if (isDoubted || labels.has(index)) return ROW_STATE.other;
  if (index === leaf) return ROW_STATE.leaf;
  return active[index] === 1 ? ROW_STATE.active : ROW_STATE.inactive;
}

function linesOf(batch: readonly Row[], writer: RowWriter, facts: TreeFacts): Uint8Array {
  const pieces: Uint8Array[] = [];
  for (let next = 0; next < batch.length; next += 1) {
    const { lines, end } = writer.linesFrom(next);
    if (next === 0 && end === batch.length) return lines;
    pieces.push(lines.slice());
    next = end;
    const row = batch[next];
    if (row) pieces.push(Buffer.from(jsonLine(entryOf(row, facts))));
  }
  return Buffer.concat(pieces);
}

/** `ctx/tree-entry`, see src/cli/commands/entries-document.ts. */
function entryOf({ index, depth, children }: Row, { heads, labels, active, leaf }: TreeFacts): object {
  return {
    schema: 'ctx/tree-entry',
    schemaVersion: 1,
    entryId: idText(heads.idAt(index, 'id')),
    parentId: idText(heads.idAt(index, 'parentId')),
    line: heads.lineAt(index),
    offset: heads.offsetAt(index),
    length: heads.lengthAt(index),
    type: heads.typeAt(index),
    role: heads.roleAt(index),
    time: timeText(heads.timeAt(index)),
    depth,
    children,
    isActive: active[index] === 1,
    isLeaf: index === leaf,
    label: labels.get(index) ?? null,
    target: idText(heads.idAt(index, 'target')),
  };
}
