import type { JsonObject } from '#base/json.js';
import { timeOf } from '#base/time.js';
import { idOfLine } from '../../migrate.js';
import type { LineSpan } from '../../scan/bytes.js';
import type { ForeignEntry } from '../define.js';
import type { ChainRecord } from './record.js';

/** An entry that was built from records, with its place in the tree. */
export interface Node {
  readonly entry: ForeignEntry;
  readonly parent: Node | null;
  /** The record of the message that it represents; null for other entries. */
  readonly message: ChainRecord | null;
  /** The model in force after it. */
  readonly model: string | null;
  /** For an entry that replaces the context: the first entry that it keeps. */
  readonly reset?: { readonly kept: Node | null };
}

/** A new entry, without its id and parent. */
export interface NewNode {
  readonly type: string;
  readonly role?: string;
  /** Its id is the beginning of this uuid; `place` numbers the entries of one record. */
  readonly uuid: string;
  readonly place?: number;
  readonly lines: readonly LineSpan[];
  readonly timestamp: string;
  readonly message?: ChainRecord;
  readonly model?: string | null;
  readonly hasUsage?: boolean;
  readonly target?: Node | 'itself';
  readonly reset?: Node['reset'];
  /** Where it is located, if not at the first of its lines. */
  readonly at?: LineSpan;
  fields(values: readonly JsonObject[], target: string): JsonObject;
}

/** Makes entries with ids of eight hex digits, each of them once. */
export class Nodes {
  readonly all: Node[] = [];
  private readonly ids = new Set<string>();
  private moved: LineSpan | null = null;

  /** Locates all further entries at a line, with ids of their own: they repeat earlier ones. */
  moveTo(line: LineSpan): void {
    this.moved = line;
  }

  add(parent: Node | null, made: NewNode): Node {
    const { type, role, uuid, place = 0, lines, timestamp, hasUsage = false, fields } = made;
    const at = this.moved ?? made.at;
    const id = this.newId(uuid, this.moved ? place + REPEATED : place);
    const parentId = parent?.entry.id ?? null;
    const target = made.target === 'itself' ? id : made.target?.entry.id;
    const base = { type, id, parentId, timestamp };
    const entry: ForeignEntry = {
      type,
      id,
      parentId,
      role: role ?? null,
      target,
      time: timeOf(timestamp),
      hasSummary: false,
      hasUsage,
      lines,
      ...(at && { at }),
      build: (values) => ({ ...base, ...fields(values, String(target)) }),
    };
    const { message = null, model = parent?.model ?? null, reset } = made;
    const node = { entry, parent, message, model, ...(reset && { reset }) };
    this.all.push(node);
    return node;
  }

  private newId(uuid: string, place: number): string {
    let id = place === 0 && /^[0-9a-f]{8}/.test(uuid) ? uuid.slice(0, 8) : idOfLine(uuid, place);
    for (let again = place + 1; this.ids.has(id); again += 1) id = idOfLine(uuid, again);
    this.ids.add(id);
    return id;
  }
}

/** The places of repeated entries come after all others. */
const REPEATED = 2_000_000;
