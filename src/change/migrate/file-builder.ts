import { CtxError } from '#base/errors.js';
import { isObject, type JsonObject } from '#base/json.js';
import { transformerName } from '#context/replay/selection.js';
import type { Head, RawId } from '#session/heads/head.js';
import type { ByteSource } from '#session/scan/bytes.js';
import type { Session } from '#session/session.js';
import { listMemberEdits, type MemberChanges } from '../bytes/file-editor.js';
import { Rope, type RopePiece } from '../bytes/rope.js';

const encoder = new TextEncoder();
const NEWLINE = 0x0a;

/** Puts a file together from lines of another one, in any order, and new ones. */
export class FileBuilder {
  private readonly pieces: RopePiece[] = [];

  constructor(private readonly source: ByteSource) {}

  addEntry(entry: JsonObject): void {
    this.pieces.push({ bytes: encoder.encode(`${JSON.stringify(entry)}\n`) });
  }

  /** Adds the line of an entry, which is copied where nothing changes. */
  addLine({ offset, length }: Head, change: LineChange | null): void {
    const bytes = this.source.read(offset, offset + length);
    const endsWithNewline = bytes[length - 1] === NEWLINE;
    let from = 0;
    for (const { start, end, text } of change ? listMemberEdits(bytes, change) : []) {
      this.copy(offset + from, start - from);
      if (text !== '') this.pieces.push({ bytes: encoder.encode(text) });
      from = end;
    }
    this.copy(offset + from, length - from);
    if (!endsWithNewline) this.pieces.push({ bytes: encoder.encode('\n') });
  }

  end(): ByteSource {
    return new Rope(this.source, this.pieces);
  }

  private copy(from: number, length: number): void {
    if (length <= 0) return;
    const last = this.pieces.at(-1);
    if (last && 'from' in last && last.from + last.length === from)
      this.pieces[this.pieces.length - 1] = { from: last.from, length: last.length + length };
    else this.pieces.push({ from, length });
  }
}

/** The version that Pi writes. */
export const CURRENT_VERSION = 3;

interface LineChange {
  readonly changes: MemberChanges;
  /** Members that are left out. */
  readonly dropped: readonly string[];
  readonly inner: Readonly<Record<string, MemberChanges>>;
}

/**
 * The change of a line for version 3, but for its parent; null for none. `gone` are the places of
 * lines that will not be there any more.
 */
export function planLineChange(session: Session, head: Head, gone: ReadonlySet<number>): LineChange | null {
  const { header, scan } = session;
  if (!(header.version < CURRENT_VERSION)) return null;
  const changes: Record<string, RawId> = {};
  const dropped: string[] = [];
  if (header.version < 2) {
    changes['id'] = head.id;
    if (head.type === 'compaction') keepFromId(session, head, { gone, changes, dropped });
  }
  const isHookMessage = scan.heads.roleAt(head.index) === 'hookMessage';
  const inner: LineChange['inner'] = isHookMessage ? { message: { role: 'custom' } } : {};
  return isHookMessage || Object.keys(changes).length > 0 ? { changes, dropped, inner } : null;
}

/** The line with another parent; undefined for the one that it has. */
export function changeParent(change: LineChange | null, parentId: RawId | undefined): LineChange | null {
  if (parentId === undefined) return change;
  const { changes, dropped, inner } = change ?? { changes: {}, dropped: [], inner: {} };
  const { id, ...rest } = changes;
  return { changes: { ...(id === undefined ? {} : { id }), parentId, ...rest }, dropped, inner };
}

interface KeptChange {
  readonly gone: ReadonlySet<number>;
  readonly changes: Record<string, RawId>;
  readonly dropped: string[];
}

/** Version 1 counts lines where later ones name an entry. */
function keepFromId(session: Session, head: Head, { gone, changes, dropped }: KeptChange): void {
  const stored = session.scan.heads.at(head.index);
  const { heads } = session.tree;
  dropped.push('firstKeptEntryIndex');
  let kept = heads.at(heads.targetAt(head.index));
  while (kept && gone.has(kept.offset)) kept = heads.at(kept.index + 1);
  const target = kept?.id ?? head.target;
  if (target === undefined) dropped.push('firstKeptEntryId');
  else if (target !== stored?.target) changes['firstKeptEntryId'] = target;
}

/** A path of entries that are written one below the other. */
export class PathWriter {
  /** The number of entries written. */
  length = 0;
  private parentId: RawId = null;
  private last: Head | null = null;
  private readonly written = new Set<RawId>();
  /** Labels that were left out since the last entry. */
  private waiting: Head[] = [];
  /** The entry after a label, by the label's id. */
  private readonly behind = new Map<RawId, RawId>();

  constructor(
    private readonly session: Session,
    private readonly builder: FileBuilder,
    /** The first kept entry of a compaction that names an unwritten entry. */
    private readonly keptFor: (target: RawId) => RawId,
  ) {}

  has(id: RawId): boolean {
    return this.written.has(id);
  }

  /** Adds a new entry: its fields, and the bytes before them. */
  addNew(type: string, id: RawId, { timestamp, ...fields }: JsonObject): void {
    this.builder.addEntry({ type, id, parentId: this.parentId ?? null, timestamp, ...fields });
    this.settle(id, null);
  }

  /** Adds an entry of the session, or leaves out a label, as Pi does: it writes labels last. */
  add(head: Head): void {
    if (head.type === 'label') {
      this.waiting.push(head);
      return;
    }
    // A compaction right below a transform is taken for its shadow, so a label that parts them stays.
    const label = this.waiting.at(-1);
    if (label && head.type === 'compaction' && this.isBelowCompaction()) this.write(label);
    for (const { id } of this.waiting) this.behind.set(id, head.id);
    this.waiting = [];
    this.write(head);
  }

  private isBelowCompaction(): boolean {
    const { last, session } = this;
    return last?.type === 'context_transform' && transformerName(session.entry(last)) === 'compaction';
  }

  private write(head: Head): void {
    const { session } = this;
    const parentId = head.parentId === this.parentId ? undefined : (this.parentId ?? null);
    const isMigrated = session.header.version < 2;
    const change = changeParent(
      planLineChange(session, head, new Set()),
      isMigrated ? (this.parentId ?? null) : parentId,
    );
    const kept = head.type === 'compaction' ? this.keptBy(head) : head.target;
    if (kept === head.target) this.builder.addLine(head, change);
    else {
      const { changes = {}, dropped = [], inner = {} } = change ?? {};
      this.builder.addLine(head, { changes: { ...changes, firstKeptEntryId: kept }, dropped, inner });
    }
    this.settle(head.id, head);
  }

  private keptBy({ id, target }: Head): RawId {
    if (target === id || target === undefined || this.has(target)) return target;
    const behind = this.behind.get(target);
    return behind ?? this.keptFor(target);
  }

  private settle(id: RawId, head: Head | null): void {
    this.parentId = id;
    this.last = head;
    this.written.add(id);
    this.length += 1;
  }
}

/** Whether a line of the session holds an object. */
export function isObjectLine(session: Session, head: Head): boolean {
  return head.type !== null || (isObject(session.entry(head)) && Object.keys(session.entry(head)).length > 0);
}

/** Why a new file is not written: a model would be sent something else. */
export function contextChangedError({ file }: Session): CtxError {
  return new CtxError('input', 'the context would change; nothing was written', {
    where: file,
    hint: 'check the file: ctx check',
  });
}
