import { defineRule, type Hit } from '../define.js';
import { ANSWERED, HEADER } from '../example.js';

export default defineRule({
  name: 'newer-version',
  severity: 'warning',
  summary: 'The session has an unknown, newer version',
  help:
    'ctx supports versions 1 to 3. Pi reads a newer version as if it were the current one, and so does ctx: entries ' +
    'of new types are kept, but their effect on the context is missing. Use a newer ctx, if there is one.',
  example: { fires: [{ ...HEADER, version: 4 }, ...ANSWERED], silent: [HEADER, ...ANSWERED] },
  looksAt: 'session',
  *find({ header: { version }, scan }): Generator<Hit> {
    if (version > NEWEST)
      yield {
        message: `the header has version ${version}; the newest supported version is ${NEWEST}`,
        at: scan.headerSpan,
      };
  },
});

const NEWEST = 3;
