import { formatId, type RawId } from '#session/heads/head.js';
import type { ByteSource } from '#session/scan/bytes.js';
import { type PartialJson, readPartialJson } from './partial-json.js';
import { Rope, type RopePiece } from './rope.js';

/** Bytes of the original file that are not in the new one. */
export interface DiscardedBytes {
  /** The rule of `ctx check` that finds the problem, as far as there is one. */
  readonly code: string;
  readonly offset: number;
  readonly length: number;
}

/** One repair of bytes of the original file. */
export interface Repair extends DiscardedBytes {
  /** The repair, in a sentence. */
  readonly message: string;
  readonly entryId: string | null;
}

/** The result of a step of the repair. The offsets are those of the file that it was given. */
export interface EditedFile {
  /** The file itself where nothing was changed. */
  readonly result: ByteSource;
  readonly repairs: readonly Repair[];
  readonly lost: readonly DiscardedBytes[];
}

/** The place of a repair, and its entry. */
export interface ByteSpan {
  readonly offset: number;
  readonly length: number;
  /** As it was read: it can be anything. */
  readonly id?: unknown;
}

/**
 * Copies a file from its beginning to its end, with changes: every byte is kept, lost or left out, and for what is
 * left out there is a repair.
 */
export class FileEditor {
  private cursor = 0;
  private readonly pieces: RopePiece[] = [];
  private readonly repairs: Repair[] = [];
  private readonly lost: DiscardedBytes[] = [];

  constructor(private readonly source: ByteSource) {}

  /** Everything up to here stays as it is. */
  keepTo(offset: number): void {
    const length = offset - this.cursor;
    if (length <= 0) return;
    const last = this.pieces.at(-1);
    // Pieces that follow one another are one piece.
    if (last && 'from' in last && last.from + last.length === this.cursor) this.pieces.pop();
    const from = last && 'from' in last && last.from + last.length === this.cursor ? last.from : this.cursor;
    this.pieces.push({ from, length: offset - from });
    this.cursor = offset;
  }

  add(text: string): void {
    if (text !== '') this.pieces.push({ bytes: encoder.encode(text) });
  }

  /** Inserts a copy of bytes from further down in the file. */
  addFrom({ offset, length }: ByteSpan): void {
    if (length > 0) this.pieces.push({ from: offset, length });
  }

  /** Leaves out what follows, up to here. */
  leaveOutTo(offset: number): void {
    this.cursor = Math.max(this.cursor, offset);
  }

  /** Loses what follows, up to here. */
  loseTo(offset: number, code: string): void {
    const length = offset - this.cursor;
    if (length <= 0) return;
    const last = this.lost.at(-1);
    if (last && last.code === code && last.offset + last.length === this.cursor) {
      this.lost[this.lost.length - 1] = { code, offset: last.offset, length: last.length + length };
    } else this.lost.push({ code, offset: this.cursor, length });
    this.cursor = offset;
  }

  note(code: string, { offset, length, id }: ByteSpan, message: string): void {
    const entryId = typeof id === 'object' ? null : formatId(id as RawId);
    this.repairs.push({ code, message, entryId, offset, length });
  }

  end(): EditedFile {
    this.keepTo(this.source.size);
    const { source, pieces, repairs, lost } = this;
    const [only, ...others] = pieces;
    const isWhole =
      source.size === 0
        ? pieces.length === 0
        : only && 'from' in only && others.length === 0 && only.from === 0 && only.length === source.size;
    return { result: isWhole ? source : new Rope(source, pieces), repairs, lost };
  }
}

const encoder = new TextEncoder();

/** New values of members, by name. */
export type MemberChanges = Readonly<Record<string, RawId>>;

interface Change {
  readonly source: ByteSource;
  /** The line of the object. */
  readonly at: ByteSpan;
  readonly changes: MemberChanges;
  /** Members that are left out. */
  readonly dropped?: readonly string[];
  /** Changes to objects that are members, by their names. */
  readonly inner?: Readonly<Record<string, MemberChanges>>;
}

/**
 * Changes members of the object on a line, and copies every other byte of it. Of a member that is there twice, the
 * last one counts; a missing one is put after the type.
 */
export function changeMembers(editing: FileEditor, change: Change): void {
  const { offset, length } = change.at;
  const bytes = change.source.read(offset, offset + length);
  for (const { start, end, text } of listMemberEdits(bytes, change)) {
    editing.keepTo(offset + start);
    editing.add(text);
    editing.leaveOutTo(offset + end);
  }
  editing.keepTo(offset + length);
}

/** A part of a line or a text, and what takes its place. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The edits of a line's bytes, in order. */
export function listMemberEdits(
  bytes: Uint8Array,
  { changes, dropped = [], inner = {} }: Pick<Change, 'changes' | 'dropped' | 'inner'>,
): readonly TextEdit[] {
  const start = bytes.indexOf(BRACE);
  const object = readPartialJson(bytes, start);
  const within = Object.entries(inner).flatMap(([name, its]) => {
    const member = object.members.findLast(({ key }) => key === name);
    return member ? setting(readPartialJson(bytes, member.start), member.start, its) : [];
  });
  return [...setting(object, start, changes), ...within, ...dropping(object, new Set(dropped))].toSorted(
    (a, b) => a.start - b.start,
  );
}

const BRACE = 0x7b;

/** `start` is where the object begins. */
function setting(object: PartialJson, start: number, changes: MemberChanges): readonly TextEdit[] {
  const replaced: TextEdit[] = [];
  const missing: string[] = [];
  for (const [name, value] of Object.entries(changes)) {
    const text = JSON.stringify(value ?? null);
    const member = object.members.findLast(({ key }) => key === name);
    if (member) replaced.push({ start: member.start, end: member.end, text });
    else missing.push(`${JSON.stringify(name)}:${text}`);
  }
  return missing.length === 0 ? replaced : [insertion(object, start, missing.join(',')), ...replaced];
}

function insertion({ members }: PartialJson, brace: number, text: string): TextEdit {
  const type = members.find(({ key }) => key === 'type');
  if (type) return { start: type.end, end: type.end, text: `,${text}` };
  const start = brace + 1;
  return { start, end: start, text: members.length === 0 ? text : `${text},` };
}

/** Leaves members out, each run of them with the commas that are one too many then. */
function dropping({ members }: PartialJson, names: ReadonlySet<string>): readonly TextEdit[] {
  const edits: TextEdit[] = [];
  for (let at = 0; at < members.length; at += 1) {
    const first = at;
    while (names.has(members[at]?.key ?? '')) at += 1;
    const [from, last] = [members[first], members[at - 1]];
    if (at === first || !from || !last) continue;
    const next = members[at];
    if (next) edits.push({ start: from.keyStart, end: next.keyStart, text: '' });
    else edits.push({ start: members[first - 1]?.end ?? from.keyStart, end: last.end, text: '' });
  }
  return edits;
}
