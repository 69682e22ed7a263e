import { timeOf } from '#base/time.js';
import { sessionHeader } from '#context/format/entries.js';
import type { NewHead } from '#session/table/head.js';
import { defineRule, type Hit, quoted } from '../define.js';
import { ANSWER, ANSWERED, HEADER, QUESTION, user } from '../example.js';
import { flawsOf, placeAt, wordsFor } from './flaws.js';

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
  return timestamp === undefined ? 'the entry has no timestamp' : `${quoted(timestamp)} is not a valid time`;
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
    for (const { path, issue } of flawsOf(sessionHeader, fields)) {
      const place = placeAt(path);
      yield { message: wordsFor(issue, `${place} of the header`, fields[place]), at: headerSpan, place };
    }
    const { timestamp } = fields;
    if (typeof timestamp === 'string' && Number.isNaN(timeOf(timestamp)))
      yield { message: `${quoted(timestamp)} is not a valid time`, at: headerSpan, place: 'timestamp' };
  },
});
