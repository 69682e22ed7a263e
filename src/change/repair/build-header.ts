import { buildLineId } from '#session/line-ids.js';
import type { HeaderlessLines } from './headerless-lines.js';

/** A header for a session that has none: its text, id and time. */
export function buildHeader(lines: HeaderlessLines, file: string): { readonly text: string; readonly message: string } {
  const version = guessVersion(lines);
  const name = readFileName(file);
  const id = buildId(file, lines.heads.length);
  const timestamp = name?.timestamp ?? findFirstTime(lines);
  // A header of version 1 names no version.
  const named = version > 1 ? { version } : {};
  const text = JSON.stringify({ type: 'session', ...named, id, timestamp });
  const from = name ? 'the id from the file name' : 'a new id';
  return { text, message: `header added, with ${from} and version ${version}; its folder is unknown` };
}

/** The id in the name of Pi's file, else a new one that is the same every time. */
export function buildId(file: string, salt: number): string {
  return readFileName(file)?.id ?? `recovered-${buildLineId(file.replace(/^.*[/\\]/, ''), salt)}`;
}

/** `2026-01-05T09-00-00-000Z_<id>.jsonl` */
function readFileName(file: string): { readonly id: string; readonly timestamp: string } | null {
  const match = /(?:^|[/\\])(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3}Z)_([a-z\d](?:[\w.-]*[a-z\d])?)\.jsonl$/i.exec(
    file,
  );
  if (!match) return null;
  const [, hour = '', minute = '', second = '', rest = '', id = ''] = match;
  return { id, timestamp: `${hour}:${minute}:${second}.${rest}` };
}

/** Guesses the version: entries of version 1 have no ids, and version 2 has a role that version 3 does not know. */
function guessVersion({ heads }: HeaderlessLines): 1 | 2 | 3 {
  const { length } = heads;
  let hasIds = false;
  for (let index = 0; index < length; index += 1) {
    if (heads.roleAt(index) === 'hookMessage') return hasIds || heads.at(index)?.id ? 2 : 1;
    hasIds ||= Boolean(heads.at(index)?.id);
  }
  return hasIds ? 3 : 1;
}

function findFirstTime({ heads }: HeaderlessLines): string {
  for (let index = 0; index < heads.length; index += 1) {
    const time = heads.timeAt(index);
    if (!Number.isNaN(time)) return new Date(time).toISOString();
  }
  return new Date(0).toISOString();
}
