import { parseTimestamp } from '#base/time.js';
import { sessionHeader } from '#session/format/entries.js';
import { defineRule, type Hit, quoteValue } from '../define.js';
import { HEADER } from '../example.js';
import { describeFlaw, formatFieldPath, listSchemaFlaws } from './schema-flaws.js';

export default defineRule({
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
