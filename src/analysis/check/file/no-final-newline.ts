import type { Head } from '#session/heads/head.js';
import type { LineSpan } from '#session/scan/lines.js';
import type { Session } from '#session/session.js';
import { defineRule, type Hit } from '../define.js';
import { ANSWERED, HEADER, NEXT } from '../example.js';

export default defineRule({
  name: 'no-final-newline',
  severity: 'note',
  isOnlyForPi: true,
  summary: 'The last entry does not end in a newline',
  help:
    'The entry is complete and Pi reads it. Pi since 0.84.4 adds the newline when it opens the file. An older Pi, ' +
    'or any other program, writes its next entry on the same line, and both entries are lost. `ctx repair` ' +
    'adds the newline.',
  example: {
    fires: [HEADER, ...ANSWERED, JSON.stringify(NEXT)],
    silent: [HEADER, ...ANSWERED, NEXT],
  },
  looksAt: 'session',
  *find(session): Generator<Hit> {
    const last = findLastLine(session);
    if (!last || endsInNewline(session, last)) return;
    yield {
      message: 'the last line does not end in a newline',
      at: last,
      fix: 'ctx repair adds the newline',
    };
  },
});

/** The last line of the file, if Pi can read it. Damaged lines have other rules. */
function findLastLine({ scan, tree }: Session): LineSpan | Head | undefined {
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
