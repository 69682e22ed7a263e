import { defineRule, type Hit } from '../define.js';
import { ANSWERED, HEADER } from '../example.js';

export default defineRule({
  name: 'newer-version',
  group: 'tree',
  severity: 'warning',
  summary: 'The session is of a version that is not known yet',
  help:
    'ctx knows versions 1 to 3. Pi reads a newer version as if it were the current one, and so does ctx: entries that ' +
    'mean something new are kept, but what they do to the context is missing. Use a newer ctx, if there is one.',
  example: { fires: [{ ...HEADER, version: 4 }, ...ANSWERED], silent: [HEADER, ...ANSWERED] },
  looksAt: 'session',
  *find({ header: { version }, scan }): Generator<Hit> {
    if (version > NEWEST)
      yield { message: `the header says version ${version}, and the newest known is ${NEWEST}`, at: scan.headerSpan };
  },
});

const NEWEST = 3;
