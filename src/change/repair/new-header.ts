import { idOfLine } from '#session/migrate.js';
import type { Underneath } from './read-under-header.js';

/** A header for a session that has none: its text, and what is known of it. */
export function newHeader(lines: Underneath, file: string): { readonly text: string; readonly message: string } {
  const version = versionOf(lines);
  const named = nameOf(file);
  const id = idFor(file, lines.heads.length);
  const timestamp = named?.timestamp ?? timeOf(lines);
  const text = JSON.stringify({ type: 'session', ...(version > 1 && { version }), id, timestamp });
  const from = named ? 'the id that the file name says' : 'a new id';
  return { text, message: `a header put first, with ${from} and version ${version}; its folder is not known` };
}

/** The id in the name of a file of Pi's, else a new one that is the same every time. */
export function idFor(file: string, salt: number): string {
  return nameOf(file)?.id ?? `recovered-${idOfLine(file.replace(/^.*[/\\]/, ''), salt)}`;
}

/** `2026-01-05T09-00-00-000Z_<id>.jsonl` */
function nameOf(file: string): { readonly id: string; readonly timestamp: string } | null {
  const match = /(?:^|[/\\])(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3}Z)_([a-z\d](?:[\w.-]*[a-z\d])?)\.jsonl$/i.exec(
    file,
  );
  if (!match) return null;
  const [, hour = '', minute = '', second = '', rest = '', id = ''] = match;
  return { id, timestamp: `${hour}:${minute}:${second}.${rest}` };
}

/** In version 1 no entry has an id, and version 2 has a role that version 3 does not know. */
function versionOf({ heads }: Underneath): 1 | 2 | 3 {
  const { length } = heads;
  let hasIds = false;
  for (let index = 0; index < length; index += 1) {
    if (heads.roleAt(index) === 'hookMessage') return hasIds || heads.at(index)?.id ? 2 : 1;
    hasIds ||= Boolean(heads.at(index)?.id);
  }
  return hasIds ? 3 : 1;
}

/** When the first entry was written that says so. */
function timeOf({ heads }: Underneath): string {
  for (let index = 0; index < heads.length; index += 1) {
    const time = heads.timeAt(index);
    if (!Number.isNaN(time)) return new Date(time).toISOString();
  }
  return new Date(0).toISOString();
}
