import type { RawId } from '#session/heads/head.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import type { ByteSpan, FileEditor } from './file-editor.js';
import { type PartialJson, readPartialJson } from './partial-json.js';
import type { TextEdit } from './text-edit.js';

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
