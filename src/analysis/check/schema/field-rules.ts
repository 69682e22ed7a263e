import type * as z from 'zod/mini';
import { describeIssue } from '#base/explain.js';
import { isObject, type JsonObject } from '#base/json.js';
import { parseTimestamp } from '#base/time.js';
import { sessionHeader } from '#session/format/entries.js';
import type { NewHead } from '#session/heads/head.js';
import { defineRule, type Hit, quoteValue } from '../define.js';
import { ANSWER, ANSWERED, HEADER, NEXT, QUESTION, user } from '../example.js';

export const badTimestamp = defineRule({
  name: 'bad-timestamp',
  severity: 'warning',
  isOnlyForPi: true,
  summary: 'The timestamp of an entry is missing or invalid',
  help:
    'Pi sorts branches by these times, and sends them with summaries and the messages of extensions. Pi continues ' +
    'without a valid time. Write the time as ISO 8601, such as `2026-03-02T09:00:00.000Z`.',
  example: { fires: [HEADER, QUESTION, { ...ANSWER, timestamp: 'yesterday' }], silent: [HEADER, QUESTION, ANSWER] },
  looksAt: 'session',
  *find({ tree: { heads }, entry }): Generator<Hit> {
    for (let index = 0; index < heads.length; index += 1) {
      if (!Number.isNaN(heads.timeAt(index)) || heads.typeAt(index) === null) continue;
      const head = heads.at(index);
      if (head) yield { message: timestampWords(entry(head)['timestamp']), at: head, place: 'timestamp' };
    }
  },
});

function timestampWords(timestamp: unknown): string {
  return timestamp === undefined ? 'the entry has no timestamp' : `${quoteValue(timestamp)} is not a valid time`;
}

const { version: _version, ...WITHOUT_VERSION } = HEADER;
const BRANCH = user('u2', 'u1', 'Which files are in here?');

export const idsWithoutVersion = defineRule({
  name: 'ids-without-version',
  severity: 'error',
  summary: 'The header has no version, so Pi would lose the tree of the entries',
  help:
    'Without a `version`, Pi treats the file as version 1: it gives every entry a new id, links each to the line ' +
    'before it, and rewrites the file. Branches become one long path, and labels, edits and compactions no longer ' +
    'find their entries. Write `"version": 3` into the header before Pi opens the file.',
  example: {
    fires: [WITHOUT_VERSION, ...ANSWERED, BRANCH],
    silent: [HEADER, ...ANSWERED, BRANCH],
  },
  looksAt: 'session',
  *find({ header: { version }, scan }): Generator<Hit> {
    if (!(version < 2)) return;
    let before: NewHead | null = null;
    for (const head of scan.heads) {
      if (isLost(head, before)) {
        const message = 'the entries are linked by ids as in version 3, but the header has no version with ids';
        yield { message, at: scan.headerSpan, place: 'version', related: [head.id] };
        return;
      }
      before = head;
    }
  },
});

/** Whether the parent of an entry is not the line before it, or the entry names another one by its id. */
function isLost({ id, parentId, target }: NewHead, before: NewHead | null): boolean {
  if (typeof id !== 'string') return false;
  if (typeof target === 'string') return true;
  return typeof parentId === 'string' && parentId !== before?.id;
}

export const headerFields = defineRule({
  name: 'header-fields',
  severity: 'warning',
  summary: 'A field of the header is missing or invalid',
  help:
    'Pi requires only an `id`. It uses `cwd` for the folder of the session, `timestamp` for its age, and `version` ' +
    'to decide whether to migrate the entries. A version that is `null` or not a number is read as the first or as ' +
    'the newest one.',
  example: { fires: [{ ...HEADER, version: '3' }], silent: [HEADER] },
  looksAt: 'session',
  *find({ header: { fields }, scan: { headerSpan } }): Generator<Hit> {
    // Another rule reports a missing header.
    if (headerSpan.length === 0) return;
    for (const { path, issue } of listSchemaFlaws(sessionHeader, fields)) {
      const place = formatFieldPath(path);
      yield { message: describeFlaw(issue, `${place} of the header`, fields[place]), at: headerSpan, place };
    }
    const { timestamp } = fields;
    if (typeof timestamp === 'string' && Number.isNaN(parseTimestamp(timestamp)))
      yield { message: `${quoteValue(timestamp)} is not a valid time`, at: headerSpan, place: 'timestamp' };
  },
});

/** A violation of a schema in a value. */
export interface SchemaFlaw {
  readonly path: readonly PropertyKey[];
  readonly issue: z.core.$ZodIssue;
}

/** The flaws that a schema finds in a value at a path; for a union, those of the likeliest member. */
export function listSchemaFlaws(
  schema: z.ZodMiniType,
  value: unknown,
  at: readonly PropertyKey[] = [],
): readonly SchemaFlaw[] {
  const { error } = schema.safeParse(value);
  return error ? error.issues.flatMap((issue) => flawsIn(issue, at)) : [];
}

function flawsIn(issue: z.core.$ZodIssue, at: readonly PropertyKey[]): readonly SchemaFlaw[] {
  const path = [...at, ...issue.path];
  if (issue.code !== 'invalid_union' || isTagFlaw(issue)) return [{ path, issue }];
  // Content is text or blocks: if there are blocks, the flaw is in them.
  const likeliest = issue.errors.find((issues) => issues.every((inner) => inner.path.length > 0));
  return likeliest ? likeliest.flatMap((inner) => flawsIn(inner, path)) : [{ path, issue }];
}

/** The expected and the actual value of a place of that name. */
export function describeFlaw(issue: z.core.$ZodIssue, name: string, value: unknown): string {
  const expected = isTagFlaw(issue)
    ? `${name} must be string`
    : describeIssue({ issues: [{ ...issue, path: [name] }] });
  return `${expected}, ${value === undefined ? 'but is missing' : `not ${quoteValue(value)}`}`;
}

/** Whether the type or role is wrong, so that the other fields cannot be validated. */
export function isTagFlaw(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'invalid_union' && issue.errors.length === 0;
}

/** The target of a path into an entry: a field of the entry, of a message in it, or of a content block in that. */
export interface FlawSubject {
  readonly kind: 'entry' | 'message' | 'block';
  /** The type of the entry or block, the role of the message. */
  readonly name: unknown;
  /** The path from there; empty for the block itself. */
  readonly field: readonly PropertyKey[];
  /** The value at the end of the path. */
  readonly value: unknown;
}

export function findFlawSubject(entry: JsonObject, path: readonly PropertyKey[]): FlawSubject {
  let subject: Omit<FlawSubject, 'field' | 'value'> = { kind: 'entry', name: entry['type'] };
  let start = 0;
  let value: unknown = entry;
  for (const [at, key] of path.entries()) {
    value = isObject(value) || Array.isArray(value) ? (value as JsonObject)[String(key)] : undefined;
    const isLast = at === path.length - 1;
    const inside = typeof key === 'number' ? path[at - 1] : key;
    if (inside === 'content' && typeof key === 'number') {
      subject = { kind: 'block', name: isObject(value) ? value['type'] : undefined };
      start = at + 1;
    } else if (isMessageHolder(inside, key) && isObject(value) && !isLast) {
      subject = { kind: 'message', name: value['role'] };
      start = at + 1;
    }
  }
  return { ...subject, field: path.slice(start), value };
}

function isMessageHolder(holder: PropertyKey | undefined, key: PropertyKey): boolean {
  return holder === 'messages' ? typeof key === 'number' : holder === 'message' || holder === 'systemMessage';
}

/** A path as findings name it: `message.content[2].arguments`. */
export function formatFieldPath(path: readonly PropertyKey[]): string {
  let place = '';
  for (const key of path) {
    if (typeof key === 'number') place += `[${key}]`;
    else if (/^[a-z_$][\w$]*$/i.test(String(key))) place += place === '' ? String(key) : `.${String(key)}`;
    else place += `[${JSON.stringify(String(key))}]`;
  }
  return place;
}

/** A rule of the group `tree`, about the time between two entries. */
export const timeRunsBackwards = defineRule({
  name: 'time-runs-backwards',
  severity: 'note',
  isOnlyForPi: true,
  summary: 'An entry is older than its parent',
  help:
    'Pi writes an entry after its parent, so its time is later. Either the clock was set back, or entries were ' +
    'moved, copied or changed. The model does not see these times, but Pi sorts the branches of its tree by them. ' +
    'Differences of less than a minute are not reported, since clock corrections cause them. Labels are not ' +
    'reported either: they keep their time when a session is forked.',
  example: {
    fires: [HEADER, QUESTION, ANSWER, { ...NEXT, timestamp: '2026-03-02T08:00:00.000Z' }],
    silent: [HEADER, QUESTION, ANSWER, { ...NEXT, timestamp: '2026-03-02T08:59:30.000Z' }],
  },
  looksAt: 'session',
  *find({ tree: { heads } }): Generator<Hit> {
    const { length } = heads;
    for (let index = 0; index < length; index += 1) {
      const parent = heads.parentAt(index);
      if (parent === -1) continue;
      const back = heads.timeAt(parent) - heads.timeAt(index);
      // An entry without a time is never reported.
      if (!(back > TOLERANCE) || heads.typeAt(index) === 'label') continue;
      const head = heads.at(index);
      if (head) yield { message: `it is ${inWords(back)} older than its parent`, at: head, related: [head.parentId] };
    }
  },
});

/** In milliseconds. */
const TOLERANCE = 60_000;

function inWords(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  if (minutes < 120) return minutes === 1 ? 'a minute' : `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}
