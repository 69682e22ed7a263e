import type { RawId } from '#session/heads/head.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import { BRACE } from './ascii.js';
import type { ByteSpan, FileEditor } from './file-editor.js';
import { type PartialJson, readPartialJson } from './partial-json.js';
import type { TextEdit } from './text-edit.js';

/** New values of members, by name. */
export type MemberChanges = Readonly<Record<string, RawId>>;

/** A change of a JSON object that leaves all other bytes of it as they are. */
export interface ObjectChange {
  readonly changes: MemberChanges;
  /** Members that are left out. */
  readonly dropped?: readonly string[];
  /** Changes to objects that are members, by their names. */
  readonly inner?: Readonly<Record<string, MemberChanges>>;
}

interface LineToChange extends ObjectChange {
  readonly source: ByteSource;
  /** The line of the object. */
  readonly at: ByteSpan;
}

/**
 * Changes members of the object on a line, and copies every other byte of it. Of a member that is there twice, the
 * last one counts; a missing one is put after the type.
 */
export function changeMembers(editor: FileEditor, change: LineToChange): void {
  const { offset, length } = change.at;
  const bytes = change.source.read(offset, offset + length);
  for (const { start, end, text } of listMemberEdits(bytes, change)) {
    editor.keepTo(offset + start);
    editor.add(text);
    editor.skipTo(offset + end);
  }
  editor.keepTo(offset + length);
}

/** The edits of a line's bytes, in order. */
export function listMemberEdits(
  bytes: Uint8Array,
  { changes, dropped = [], inner = {} }: ObjectChange,
): readonly TextEdit[] {
  const start = bytes.indexOf(BRACE);
  const object = readPartialJson(bytes, start);
  const innerEdits = Object.entries(inner).flatMap(([name, innerChanges]) => {
    const member = object.members.findLast(({ key }) => key === name);
    return member ? listSetEdits(readPartialJson(bytes, member.start), member.start, innerChanges) : [];
  });
  const edits = [...listSetEdits(object, start, changes), ...innerEdits, ...listDropEdits(object, new Set(dropped))];
  return edits.toSorted((a, b) => a.start - b.start);
}

/** `start` is where the object begins. */
function listSetEdits(object: PartialJson, start: number, changes: MemberChanges): readonly TextEdit[] {
  const replaced: TextEdit[] = [];
  const missing: string[] = [];
  for (const [name, value] of Object.entries(changes)) {
    const text = JSON.stringify(value ?? null);
    const member = object.members.findLast(({ key }) => key === name);
    if (member) replaced.push({ start: member.start, end: member.end, text });
    else missing.push(`${JSON.stringify(name)}:${text}`);
  }
  return missing.length === 0 ? replaced : [buildInsertion(object, start, missing.join(',')), ...replaced];
}

function buildInsertion({ members }: PartialJson, brace: number, text: string): TextEdit {
  const type = members.find(({ key }) => key === 'type');
  if (type) return { start: type.end, end: type.end, text: `,${text}` };
  const start = brace + 1;
  return { start, end: start, text: members.length === 0 ? text : `${text},` };
}

/** Leaves members out, each run of them with its commas. */
function listDropEdits({ members }: PartialJson, names: ReadonlySet<string>): readonly TextEdit[] {
  const edits: TextEdit[] = [];
  for (let at = 0; at < members.length; at += 1) {
    const first = at;
    while (names.has(members[at]?.key ?? '')) at += 1;
    const from = members[first];
    const last = members[at - 1];
    if (at === first || !from || !last) continue;
    const next = members[at];
    if (next) edits.push({ start: from.keyStart, end: next.keyStart, text: '' });
    else edits.push({ start: members[first - 1]?.end ?? from.keyStart, end: last.end, text: '' });
  }
  return edits;
}
