import { timeOf } from '#base/time.js';
import { sessionHeader } from '#context/format/header.js';
import { defineRule, type Hit, quoted } from '../define.js';
import { HEADER } from '../example.js';
import { flawsOf, placeAt, wordsFor } from './flaws.js';

export default defineRule({
  name: 'header-fields',
  group: 'schema',
  severity: 'warning',
  summary: 'A field of the header is missing or holds something else',
  help:
    'Pi only asks for an `id`, but finds the folder of the session by `cwd`, its age by `timestamp`, and by `version` ' +
    'whether the entries have to be migrated: a version that is `null` or no number is read as the first or as the ' +
    'newest one.',
  example: { fires: [{ ...HEADER, version: '3' }], silent: [HEADER] },
  looksAt: 'session',
  *find({ header: { fields }, scan: { headerSpan } }): Generator<Hit> {
    // A header that is not there is the matter of another rule.
    if (headerSpan.length === 0) return;
    for (const { path, issue } of flawsOf(sessionHeader, fields)) {
      const place = placeAt(path);
      yield { message: wordsFor(issue, `${place} of the header`, fields[place]), at: headerSpan, place };
    }
    const { timestamp } = fields;
    if (typeof timestamp === 'string' && Number.isNaN(timeOf(timestamp)))
      yield { message: `${quoted(timestamp)} is no time that can be read`, at: headerSpan, place: 'timestamp' };
  },
});
