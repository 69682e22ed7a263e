import type { JsonObject } from '#base/json.js';
import type { Random } from './random.js';

/** A line of a file without its newline. An empty one at the end: the line before it has none. */
type Line = string | Uint8Array;

/** One way to damage a session. */
export interface Damage {
  readonly name: string;
  /** The rules of `ctx check` one of which has to find it. */
  readonly rules: readonly string[];
  /**
   * What becomes of the message at the place when the file is repaired: it is as it was, it is there but not as it was,
   * or nobody can get it back. All others are always as they were.
   */
  readonly fate: 'whole' | 'changed' | 'lost';
  /** The lines of the damaged file; null where a session cannot be damaged in this way at this place. */
  damage(lines: readonly string[], at: number, random: Random): readonly Line[] | null;
}

/** The bytes of a damaged file; null where a session cannot be damaged in this way at this place. */
export function damaged(kind: Damage, lines: readonly string[], at: number, random: Random): Uint8Array | null {
  const changed = kind.damage(lines, at, random);
  if (!changed) return null;
  const parts = changed.flatMap((line) => [Buffer.from(line as string), Buffer.from('\n')]);
  return Buffer.concat(changed.at(-1) === '' ? parts.slice(0, -3) : parts);
}

/** Puts other lines in the place of one. */
function put(lines: readonly Line[], at: number, ...others: readonly Line[]): readonly Line[] {
  return [...lines.slice(0, at), ...others, ...lines.slice(at + 1)];
}

export function entryAt(lines: readonly string[], at: number): JsonObject {
  return at in lines ? (JSON.parse(lines[at]!) as JsonObject) : {};
}

/** The line with other values of some members; undefined takes one away. */
export function withMembers(line: string, members: JsonObject): string {
  return JSON.stringify({ ...(JSON.parse(line) as JsonObject), ...members });
}

function versionOf(lines: readonly string[]): number {
  return Number(entryAt(lines, 0)['version'] ?? 1);
}

function hasId(lines: readonly string[], at: number): boolean {
  return at > 0 && versionOf(lines) > 1 && typeof entryAt(lines, at)['id'] === 'string';
}

/** Whether the parent of an entry is the one before it in the file: where links are lost, that is all there is to go by. */
function followsLine(lines: readonly string[], at: number): boolean {
  return hasId(lines, at) && entryAt(lines, at)['parentId'] === (at === 1 ? null : entryAt(lines, at - 1)['id']);
}

/** Whether nothing but the next entry in the file follows an entry. */
function isAlone(lines: readonly string[], at: number): boolean {
  const { id } = entryAt(lines, at);
  return lines.every((_line, other) => other === at + 1 || entryAt(lines, other)['parentId'] !== id);
}

/** Whether an entry can be lost without taking anything else along. */
function canGo(lines: readonly string[], at: number): boolean {
  if (versionOf(lines) > 1) return followsLine(lines, at) && lines.length > 2;
  // Version 1 counts lines to say from where a compaction keeps.
  return lines.slice(at).every((line) => !line.includes('"type":"compaction"'));
}

/** Where the last text of an entry ends that a model is shown, at its quote; -1 where there is none. */
function endOfText(line: string): number {
  const { type, message } = JSON.parse(line) as { type?: unknown; message?: { role?: unknown; content?: unknown } };
  if (type !== 'message' || !['user', 'assistant', 'toolResult'].includes(String(message?.role))) return -1;
  const last: unknown = Array.isArray(message?.content) ? message.content.at(-1) : message?.content;
  const text = typeof last === 'string' ? last : (last as { text?: unknown } | null | undefined)?.text;
  if (typeof text !== 'string' || !/^[ -~]{4,}$/.test(text)) return -1;
  const quoted = JSON.stringify(text);
  return line.includes(quoted) ? line.lastIndexOf(quoted) + quoted.length - 1 : -1;
}

/** Puts bytes into the last text of an entry. */
function inText(line: string, bytes: readonly number[]): Line | null {
  const end = endOfText(line);
  if (end === -1) return null;
  return Buffer.concat([Buffer.from(line.slice(0, end - 2)), Buffer.from(bytes), Buffer.from(line.slice(end - 2))]);
}

const isLast = (lines: readonly string[], at: number): boolean => at === lines.length - 1;

/** Behind a comma that is no part of a string. */
function betweenParts(line: string, random: Random): number {
  const places = [...line.matchAll(/[}\]\d],"|",(?="[a-z]+[A-Za-z]*":)/g)].map(
    ({ index, 0: { length } }) => index + length - 1,
  );
  const sound = places.filter((place) => !isInString(line, place));
  return sound.length === 0 ? -1 : random.pick(sound);
}

function isInString(line: string, end: number): boolean {
  let isInside = false;
  for (let at = 0; at < end; at += 1) {
    if (line[at] === '\\') at += 1;
    else if (line[at] === '"') isInside = !isInside;
  }
  return isInside;
}

const tears: readonly Damage[] = [
  {
    name: 'a torn tail, cut before its text',
    rules: ['torn-tail'],
    fate: 'lost',
    damage: (lines, at, random) =>
      isLast(lines, at) && canGo(lines, at) ? put(lines, at, lines[at]!.slice(0, random.int(2, 50)), '') : null,
  },
  {
    name: 'a torn tail, cut in its text',
    rules: ['torn-tail'],
    fate: 'changed',
    damage(lines, at) {
      const end = endOfText(lines[at]!);
      return isLast(lines, at) && end !== -1 ? put(lines, at, lines[at]!.slice(0, end - 2), '') : null;
    },
  },
  {
    name: 'a torn tail, cut behind its text',
    rules: ['torn-tail'],
    fate: 'changed',
    damage(lines, at) {
      const end = endOfText(lines[at]!);
      return isLast(lines, at) && end !== -1 ? put(lines, at, lines[at]!.slice(0, end + 1), '') : null;
    },
  },
  {
    name: 'a torn tail, cut in a character',
    rules: ['torn-tail'],
    fate: 'changed',
    damage(lines, at) {
      const end = endOfText(lines[at]!);
      if (!isLast(lines, at) || end === -1) return null;
      return put(
        lines,
        at,
        Buffer.concat([Buffer.from(lines[at]!.slice(0, end)), Buffer.from([0xf0, 0x9f, 0x99])]),
        '',
      );
    },
  },
  {
    name: 'a torn line, cut before its text',
    rules: ['malformed-line'],
    fate: 'lost',
    damage: (lines, at, random) =>
      !isLast(lines, at) && canGo(lines, at) ? put(lines, at, lines[at]!.slice(0, random.int(2, 50))) : null,
  },
  {
    name: 'a torn line, cut in its text',
    rules: ['malformed-line'],
    fate: 'changed',
    damage(lines, at) {
      const end = endOfText(lines[at]!);
      return !isLast(lines, at) && end !== -1 ? put(lines, at, lines[at]!.slice(0, end - 2)) : null;
    },
  },
  {
    name: 'a torn line with the next one behind it',
    rules: ['glued-lines'],
    fate: 'lost',
    damage(lines, at, random) {
      if (isLast(lines, at) || !canGo(lines, at)) return null;
      const glued = lines[at]!.slice(0, random.int(2, 50)) + lines[at + 1]!;
      return [...lines.slice(0, at), glued, ...lines.slice(at + 2)];
    },
  },
  {
    name: 'the brace that ends an entry is missing',
    rules: ['malformed-line'],
    fate: 'whole',
    damage: (lines, at) =>
      !isLast(lines, at) && endOfText(lines[at]!) !== -1 ? put(lines, at, lines[at]!.slice(0, -1)) : null,
  },
  {
    name: 'a flipped bit in the brace that begins an entry',
    rules: ['malformed-line'],
    fate: 'lost',
    damage: (lines, at) => (!isLast(lines, at) && canGo(lines, at) ? put(lines, at, `;${lines[at]!.slice(1)}`) : null),
  },
];

const gluedAndSplit: readonly Damage[] = [
  {
    name: 'two entries on one line',
    rules: ['glued-lines'],
    fate: 'whole',
    damage: (lines, at) =>
      isLast(lines, at) ? null : [...lines.slice(0, at), lines[at]! + lines[at + 1]!, ...lines.slice(at + 2)],
  },
  {
    name: 'all entries from one on in one line',
    rules: ['glued-lines'],
    fate: 'whole',
    damage: (lines, at) => (isLast(lines, at) ? null : [...lines.slice(0, at), lines.slice(at).join('')]),
  },
  {
    name: 'two entries on one line, with a space between them',
    rules: ['glued-lines'],
    fate: 'whole',
    damage: (lines, at) =>
      isLast(lines, at) ? null : [...lines.slice(0, at), `${lines[at]!} \t${lines[at + 1]!}`, ...lines.slice(at + 2)],
  },
  {
    name: 'rubbish behind an entry',
    rules: ['malformed-line'],
    fate: 'whole',
    damage: (lines, at) => (isLast(lines, at) ? null : put(lines, at, `${lines[at]!}}]x`)),
  },
  {
    name: 'a line broken between its parts',
    rules: ['split-line'],
    fate: 'whole',
    damage(lines, at, random) {
      const place = betweenParts(lines[at]!, random);
      return place === -1 ? null : put(lines, at, lines[at]!.slice(0, place), lines[at]!.slice(place));
    },
  },
  {
    name: 'a line broken in its text',
    rules: ['split-line'],
    fate: 'changed',
    damage: (lines, at) => {
      const line = inText(lines[at]!, [0x0a]);
      return line === null ? null : put(lines, at, line);
    },
  },
  {
    name: 'newlines that are not escaped',
    rules: ['split-line'],
    fate: 'whole',
    damage(lines, at) {
      const line = lines[at]!;
      const raw = line.replace(/(?<!\\)\\n/g, '\n');
      return raw === line ? null : put(lines, at, raw);
    },
  },
  {
    name: 'an entry laid out on many lines',
    // A line of it may be JSON for itself.
    rules: ['split-line', 'malformed-line'],
    fate: 'whole',
    damage: (lines, at) => put(lines, at, JSON.stringify(entryAt(lines, at), null, 2)),
  },
];

const bytes: readonly Damage[] = [
  {
    name: 'NUL bytes before an entry',
    rules: ['nul-bytes'],
    fate: 'whole',
    damage: (lines, at, random) => put(lines, at, '\0'.repeat(random.int(1, 600)) + lines[at]!),
  },
  {
    name: 'NUL bytes in the middle of an entry',
    rules: ['nul-bytes'],
    fate: 'whole',
    damage(lines, at, random) {
      const place = random.int(1, lines[at]!.length - 1);
      return put(
        lines,
        at,
        `${lines[at]!.slice(0, place)}${'\0'.repeat(random.int(1, 600))}${lines[at]!.slice(place)}`,
      );
    },
  },
  {
    name: 'a line of NUL bytes',
    rules: ['nul-bytes'],
    fate: 'whole',
    damage: (lines, at) => put(lines, at, '\0'.repeat(512), lines[at]!),
  },
  {
    name: 'NUL bytes at the end of the file',
    rules: ['nul-bytes'],
    fate: 'whole',
    damage: (lines, at) => (isLast(lines, at) ? [...lines, '\0'.repeat(4096), ''] : null),
  },
  {
    name: 'NUL bytes in the place of the end of an entry',
    rules: ['nul-bytes'],
    fate: 'changed',
    damage(lines, at) {
      const end = endOfText(lines[at]!);
      if (end === -1) return null;
      return put(lines, at, lines[at]!.slice(0, end - 2) + '\0'.repeat(lines[at]!.length - end + 2));
    },
  },
  {
    name: 'a byte order mark before an entry',
    rules: ['byte-order-mark'],
    fate: 'whole',
    damage: (lines, at) => put(lines, at, `\ufeff${lines[at]!}`),
  },
  {
    name: 'a byte order mark before the header',
    rules: ['byte-order-mark'],
    fate: 'whole',
    damage: (lines, at) => (at === 1 ? put(lines, 0, `\ufeff${lines[0]!}`) : null),
  },
  {
    name: 'bytes that are not UTF-8',
    rules: ['invalid-utf8'],
    fate: 'changed',
    damage: (lines, at) => {
      const line = inText(lines[at]!, [0xff, 0xfe]);
      return line === null ? null : put(lines, at, line);
    },
  },
  {
    name: 'a control character in a text',
    rules: ['malformed-line'],
    fate: 'changed',
    damage: (lines, at) => {
      const line = inText(lines[at]!, [0x01]);
      return line !== null && !isLast(lines, at) ? put(lines, at, line) : null;
    },
  },
];

const rubbish: readonly Damage[] = ['null', '[1]', '"text"', '42', 'false'].map((line): Damage => ({
  name: `a line that holds ${line}`,
  rules: ['not-an-object'],
  fate: 'whole',
  damage: (lines, at) => put(lines, at, line, lines[at]!),
}));

const headers: readonly Damage[] = [
  {
    name: 'no header',
    rules: ['missing-header'],
    fate: 'whole',
    damage: (lines, at) => (at === 1 ? lines.slice(1) : null),
  },
  {
    name: 'a header that comes late',
    rules: ['late-header'],
    fate: 'whole',
    damage: (lines, at) => [...lines.slice(1, at + 1), lines[0]!, ...lines.slice(at + 1)],
  },
  {
    name: 'a header without an id',
    rules: ['missing-header'],
    fate: 'whole',
    damage: (lines, at) => (at === 1 ? put(lines, 0, withMembers(lines[0]!, { id: undefined })) : null),
  },
  {
    name: 'a torn header',
    rules: ['missing-header'],
    fate: 'whole',
    damage: (lines, at, random) => (at === 1 ? put(lines, 0, lines[0]!.slice(0, random.int(1, 30))) : null),
  },
  {
    name: 'the header again',
    rules: ['repeated-header'],
    fate: 'whole',
    // Version 1 counts headers, too, to say from where a compaction keeps.
    damage: (lines, at) => (versionOf(lines) > 1 ? put(lines, at, lines[0]!, lines[at]!) : null),
  },
];

const links: readonly Damage[] = [
  {
    name: 'an entry without an id',
    rules: ['no-id'],
    fate: 'whole',
    damage: (lines, at) =>
      hasId(lines, at) && isAlone(lines, at) ? put(lines, at, withMembers(lines[at]!, { id: undefined })) : null,
  },
  {
    name: 'an entry whose id is null',
    rules: ['no-id'],
    fate: 'whole',
    damage: (lines, at) =>
      hasId(lines, at) && isAlone(lines, at) ? put(lines, at, withMembers(lines[at]!, { id: null })) : null,
  },
  {
    name: 'an entry without a type',
    rules: ['no-type'],
    fate: 'lost',
    damage: (lines, at) => put(lines, at, withMembers(lines[at]!, { type: undefined })),
  },
  {
    name: 'an entry that was written twice',
    rules: ['duplicate-id'],
    fate: 'whole',
    damage: (lines, at) => (hasId(lines, at) ? put(lines, at, lines[at]!, lines[at]!) : null),
  },
  {
    name: 'an entry that has the id of its parent',
    rules: ['duplicate-id'],
    fate: 'whole',
    damage(lines, at) {
      const { id, parentId } = entryAt(lines, at);
      if (at < 2 || !followsLine(lines, at) || !isAlone(lines, at - 1)) return null;
      // Nobody could tell which of the two is meant.
      if (lines.slice(at + 1).some((line) => line.includes(JSON.stringify(parentId)))) return null;
      const named = (line: string): string => line.replaceAll(JSON.stringify(id), JSON.stringify(parentId));
      return [...lines.slice(0, at), ...lines.slice(at).map(named)];
    },
  },
  {
    name: 'an entry whose parent is not there',
    rules: ['orphan'],
    fate: 'whole',
    damage: (lines, at) =>
      followsLine(lines, at) ? put(lines, at, withMembers(lines[at]!, { parentId: 'gone' })) : null,
  },
  {
    name: 'an entry that is its own parent',
    rules: ['cycle'],
    fate: 'whole',
    damage: (lines, at) =>
      followsLine(lines, at) ? put(lines, at, withMembers(lines[at]!, { parentId: entryAt(lines, at)['id'] })) : null,
  },
  {
    name: 'an entry whose parents lead back to it',
    rules: ['cycle'],
    fate: 'whole',
    damage(lines, at) {
      const last = entryAt(lines, at + 1);
      if (!followsLine(lines, at) || last['parentId'] !== entryAt(lines, at)['id']) return null;
      return put(lines, at, withMembers(lines[at]!, { parentId: last['id'] }));
    },
  },
  {
    name: 'a line that was taken out',
    rules: ['orphan'],
    fate: 'lost',
    damage: (lines, at) => (canGo(lines, at) && followsLine(lines, at + 1) ? put(lines, at) : null),
  },
];

const entries: readonly Damage[] = [
  {
    name: 'an edit that says nothing',
    rules: ['edit-without-replacement'],
    fate: 'whole',
    damage(lines, at) {
      const { id } = entryAt(lines, at);
      if (!isLast(lines, at) || versionOf(lines) < 3) return null;
      return [...lines, JSON.stringify({ type: 'context_edit', id: 'edit0000', parentId: id, targetId: id })];
    },
  },
  {
    name: 'a label of an entry that is not there',
    rules: ['dangling-label'],
    fate: 'whole',
    damage(lines, at) {
      const { id } = entryAt(lines, at);
      if (!isLast(lines, at) || versionOf(lines) < 2) return null;
      return [...lines, JSON.stringify({ type: 'label', id: 'label000', parentId: id, targetId: 'gone', label: 'x' })];
    },
  },
  {
    name: 'an edit of an entry that is not there',
    rules: ['dangling-edit'],
    fate: 'whole',
    damage(lines, at) {
      const { id } = entryAt(lines, at);
      if (!isLast(lines, at) || versionOf(lines) < 3) return null;
      const edit = { type: 'context_edit', id: 'edit0000', parentId: id, targetId: 'gone', replacement: null };
      return [...lines, JSON.stringify(edit)];
    },
  },
  {
    name: 'no newline at the end',
    rules: ['no-final-newline'],
    fate: 'whole',
    damage: (lines, at) => (isLast(lines, at) ? [...lines, ''] : null),
  },
  {
    name: 'a tool result that is missing',
    rules: ['call-without-result'],
    fate: 'lost',
    damage(lines, at) {
      const next = entryAt(lines, at + 1);
      const { id, parentId } = entryAt(lines, at);
      const isResult = lines[at]!.includes('"role":"toolResult"');
      if (!isResult || !isAlone(lines, at) || next['parentId'] !== id) return null;
      return [...lines.slice(0, at), withMembers(lines[at + 1]!, { parentId }), ...lines.slice(at + 2)];
    },
  },
  {
    name: 'a tool call that is missing',
    rules: ['result-without-call'],
    fate: 'lost',
    damage(lines, at) {
      const next = entryAt(lines, at + 1);
      const { id, parentId } = entryAt(lines, at);
      if (!lines[at]!.includes('"type":"toolCall"') || !isAlone(lines, at) || next['parentId'] !== id) return null;
      return [...lines.slice(0, at), withMembers(lines[at + 1]!, { parentId }), ...lines.slice(at + 2)];
    },
  },
];

export const DAMAGES: readonly Damage[] = [
  ...tears,
  ...gluedAndSplit,
  ...bytes,
  ...rubbish,
  ...headers,
  ...links,
  ...entries,
];
