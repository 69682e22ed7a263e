import type { LineSpan } from '#session/scan/bytes.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import { defineRule, type Hit } from '../define.js';
import { ANSWERED, HEADER, NEXT } from '../example.js';

export default defineRule({
  name: 'no-final-newline',
  group: 'file',
  severity: 'note',
  summary: 'The last entry is not followed by a newline',
  help:
    'The entry is whole and Pi reads it. Pi since 0.84.4 adds the newline when it opens the file; an older one, or any ' +
    'other program, writes its next entry on the same line, and then both are lost. `ctx repair` adds it.',
  example: {
    fires: [HEADER, ...ANSWERED, JSON.stringify(NEXT)],
    silent: [HEADER, ...ANSWERED, NEXT],
  },
  looksAt: 'session',
  *find(session): Generator<Hit> {
    const last = lastLine(session);
    if (!last || endsInNewline(session, last)) return;
    yield {
      message: 'the last line does not end in a newline',
      at: last,
      fix: 'ctx repair adds the newline',
    };
  },
});

/** The last line of the file, if it is one that Pi reads: for a damaged one there are other rules. */
function lastLine({ scan, tree }: Session): LineSpan | Head | undefined {
  const { headerSpan, repeatedHeaders, size } = scan;
  return [tree.heads.last, headerSpan, repeatedHeaders.at(-1)].find(
    (span) => span && span.length > 0 && span.offset + span.length === size,
  );
}

function endsInNewline(session: Session, { line, offset, length }: LineSpan): boolean {
  const [piece] = session.bytes({ line, offset: offset + length - 1, length: 1 });
  return piece?.[0] === NEWLINE;
}

const NEWLINE = 0x0a;
