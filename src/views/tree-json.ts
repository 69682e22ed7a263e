import { ascii, JsonBytes } from '../render/json-bytes.js';
import type { Heads } from '../session/heads.js';
import type { Row } from '../session/outline.js';
import { type RawId, idText } from '../session/head.js';

/** What is known of the entries besides their heads, by index. */
export interface TreeFacts {
  readonly heads: Heads;
  readonly labels: ReadonlyMap<number, string>;
  /** 1 for an entry on the path to the leaf. */
  readonly active: Uint8Array;
  readonly leaf: number | undefined;
}

const KEY = {
  entryId: ascii('{"schema":"ctx/tree-entry","schemaVersion":1,"entryId":'),
  parentId: ascii(',"parentId":'),
  line: ascii(',"line":'),
  offset: ascii(',"offset":'),
  length: ascii(',"length":'),
  type: ascii(',"type":'),
  role: ascii(',"role":'),
  time: ascii(',"time":'),
  depth: ascii(',"depth":'),
  children: ascii(',"children":'),
  isActive: ascii(',"isActive":'),
  isLeaf: ascii(',"isLeaf":'),
  label: ascii(',"label":'),
  target: ascii(',"target":'),
};
const END = ascii('}\n');
const TRUE = ascii('true');
const FALSE = ascii('false');

/** The rows of a tree as `ctx/tree-entry` lines, from heads alone: see src/schemas.ts. */
export function* treeJson(rows: Iterable<Row>, facts: TreeFacts): Generator<Uint8Array> {
  const json = new JsonBytes();
  for (const row of rows) {
    writeRow(json, row, facts);
    if (json.isFull) yield json.take();
  }
  yield json.take();
}

function writeRow(json: JsonBytes, { index, depth, children }: Row, { heads, labels, active, leaf }: TreeFacts): void {
  json.raw(KEY.entryId);
  writeId(json, heads.idDigitsAt(index, 'id'), () => heads.at(index)?.id);
  json.raw(KEY.parentId);
  writeId(json, heads.idDigitsAt(index, 'parent'), () => heads.at(index)?.parentId);
  json.raw(KEY.line);
  json.integer(heads.lineAt(index));
  json.raw(KEY.offset);
  json.integer(heads.offsetAt(index));
  json.raw(KEY.length);
  json.integer(heads.lengthAt(index));
  json.raw(KEY.type);
  json.text(heads.typeAt(index));
  json.raw(KEY.role);
  json.text(heads.roleAt(index));
  json.raw(KEY.time);
  json.time(heads.timeAt(index));
  json.raw(KEY.depth);
  json.integer(depth);
  json.raw(KEY.children);
  json.integer(children);
  json.raw(KEY.isActive);
  json.raw(active[index] === 1 ? TRUE : FALSE);
  json.raw(KEY.isLeaf);
  json.raw(index === leaf ? TRUE : FALSE);
  json.raw(KEY.label);
  json.text(labels.get(index) ?? null, true);
  json.raw(KEY.target);
  writeId(json, heads.idDigitsAt(index, 'target'), () => heads.at(index)?.target);
  json.raw(END);
}

function writeId(json: JsonBytes, digits: number | null, id: () => RawId): void {
  if (digits === null) json.text(idText(id()), true);
  else json.hex(digits);
}
