import { ascii, JsonBytes } from '../render/json-bytes.js';
import type { Heads } from '../session/heads.js';
import type { Row } from '../session/outline.js';
import { idText } from '../session/head.js';

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
};
const ACTIVE = ascii(',"isActive":true');
const INACTIVE = ascii(',"isActive":false');
const LEAF = ascii(',"isLeaf":true,"label":');
const NO_LEAF = ascii(',"isLeaf":false,"label":');
const TARGET = ascii(',"target":');
/** Nearly all entries are neither the leaf nor labelled. */
const USUAL_ACTIVE = ascii(',"isActive":true,"isLeaf":false,"label":null,"target":');
const USUAL_INACTIVE = ascii(',"isActive":false,"isLeaf":false,"label":null,"target":');
const END = ascii('}\n');

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
  writeId(json, heads, index, 'id');
  json.raw(KEY.parentId);
  writeId(json, heads, index, 'parentId');
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
  const label = labels.get(index) ?? null;
  const isActive = active[index] === 1;
  if (index === leaf || label !== null) {
    json.raw(isActive ? ACTIVE : INACTIVE);
    json.raw(index === leaf ? LEAF : NO_LEAF);
    json.text(label, true);
    json.raw(TARGET);
  } else json.raw(isActive ? USUAL_ACTIVE : USUAL_INACTIVE);
  writeId(json, heads, index, 'target');
  json.raw(END);
}

function writeId(json: JsonBytes, heads: Heads, index: number, whose: 'id' | 'parentId' | 'target'): void {
  const digits = heads.idDigitsAt(index, whose);
  if (digits === null) json.text(idText(heads.idAt(index, whose)), true);
  else json.hex(digits);
}
