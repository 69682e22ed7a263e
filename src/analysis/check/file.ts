import type { Head } from '#session/heads/head.js';
import type { LineSpan } from '#session/scan/bytes.js';
import type { Session } from '#session/session.js';
import { defineProblemRules, defineRule, type Hit, type RuleDefinition } from './define.js';
import { ANSWER, ANSWERED, breakUtf8, HEADER, NEXT, QUESTION, tearLine, user } from './example.js';

const REDACTED = JSON.stringify(ANSWER).replace('A README.', String.raw`It asks \***@***.***.`);

/** The rules about damaged lines, and about entries that cannot be linked. */
const problemsOfLines = defineProblemRules([
  {
    name: 'torn-tail',
    severity: 'error',
    summary: 'The last line is truncated',
    help:
      'A write was cut off: the process died, the disk was full, or the write is still in progress. Pi silently ' +
      'drops the line and continues from the entry before it. `ctx repair` closes the entry where it can.',
    example: { fires: [HEADER, QUESTION, tearLine(ANSWER)], silent: [HEADER, QUESTION, ANSWER] },
    fix: 'ctx repair closes the truncated entry',
  },
  {
    name: 'nul-bytes',
    severity: 'error',
    summary: 'NUL bytes are in place of an entry',
    help:
      'After a crash or a full disk, a file system can leave zeros where it lost the last writes. NUL bytes are not ' +
      'valid JSON, so Pi drops the line, including an entry that follows the bytes on it. The next entry then loses ' +
      'everything before it. `ctx repair` removes the bytes and keeps the entry, if there is one.',
    example: {
      fires: [HEADER, `${'\0'.repeat(8)}${JSON.stringify(QUESTION)}`, ANSWER],
      silent: [HEADER, QUESTION, ANSWER],
    },
    fix: 'ctx repair removes the NUL bytes',
  },
  {
    name: 'glued-lines',
    severity: 'error',
    summary: 'Several entries share one line',
    help:
      'A newline is missing: the process died before it wrote the newline, or two processes wrote at once. Pi ' +
      'before 0.84.4 did not add a missing newline when it opened a file, so it appended the next entry to the last ' +
      'line. Two objects on one line are not valid JSON. Pi drops both, and the entries that follow them lose ' +
      'everything before. `ctx repair` puts each entry on its own line.',
    example: {
      fires: [HEADER, ANSWERED.map((line) => JSON.stringify(line)).join(''), NEXT],
      silent: [HEADER, ...ANSWERED, NEXT],
    },
    fix: 'ctx repair puts each entry on its own line',
  },
  {
    name: 'split-line',
    severity: 'error',
    summary: 'One entry spans several lines',
    help:
      'Pi reads one entry from each line. If a tool pretty-prints an entry, or leaves a raw newline inside a ' +
      'string, none of its lines can be read. Pi drops them all, and the entries that follow lose everything ' +
      'before. `ctx repair` puts the entry on one line again.',
    example: {
      fires: [HEADER, JSON.stringify(user('u1', null, 'Two\nlines')).replace('\\n', '\n'), ANSWER],
      silent: [HEADER, user('u1', null, 'Two\nlines'), ANSWER],
    },
    fix: 'ctx repair puts the entry on one line',
  },
  {
    name: 'invalid-escape',
    severity: 'error',
    summary: 'A text contains an invalid escape sequence',
    help:
      'JSON allows only some escapes, such as `\\n`. A program that replaces parts of texts, such as a redactor, ' +
      'can leave half an escape: `\\nada@example.com` became `\\***@***.***`. The rest of the line is valid, but Pi ' +
      'silently drops it, and the entries that follow become orphans. `ctx repair` removes the backslash and ' +
      'keeps everything else.',
    example: { fires: [HEADER, QUESTION, REDACTED, NEXT], silent: [HEADER, QUESTION, ANSWER, NEXT] },
    fix: 'ctx repair removes the backslash, and keeps everything else',
  },
  {
    name: 'malformed-line',
    severity: 'error',
    summary: 'A line is not JSON',
    help:
      'Another program wrote to the file (a merge tool, an editor, a second process), or a write failed halfway. Pi ' +
      'silently drops the line. If the line was an entry, the entries that follow it become orphans, and everything ' +
      'before them is missing from the context. `ctx repair` keeps the readable part of the line, moves the ' +
      'rest to a file next to the new one, and links orphans to the entry before them.',
    example: { fires: [HEADER, ...ANSWERED, '<<<<<<< HEAD', NEXT], silent: [HEADER, ...ANSWERED, NEXT] },
    fix: 'ctx repair keeps the readable part, and moves the rest to a separate file',
  },
  {
    name: 'not-an-object',
    severity: 'error',
    summary: 'A line is JSON but not an object',
    help:
      'Every entry is a JSON object. Pi drops the values `null`, `0`, `false` and `""`, and keeps all others as ' +
      'entries without an id. If such a line is the last one of the file, Pi starts from it, and the context is ' +
      'empty. `ctx repair` removes these lines.',
    example: { fires: [HEADER, ...ANSWERED, '[1]', NEXT], silent: [HEADER, ...ANSWERED, NEXT] },
    fix: 'ctx repair moves the line to a separate file',
  },
  {
    name: 'invalid-utf8',
    severity: 'warning',
    summary: 'A line contains bytes that are not UTF-8',
    help:
      'Pi reads every such byte as U+FFFD, the replacement character, so the model sees a text that was never ' +
      'written. Usually a tool put raw bytes of a file into its result, or a write stopped in the middle of a ' +
      'character. The original bytes cannot be recovered, so `ctx repair` leaves the text as Pi reads it.',
    example: { fires: [HEADER, breakUtf8(QUESTION), ANSWER], silent: [HEADER, QUESTION, ANSWER] },
  },
  {
    name: 'byte-order-mark',
    severity: 'error',
    summary: 'A byte order mark precedes an entry',
    help:
      'Some Windows editors put the three bytes EF BB BF at the beginning of a file. They are not valid JSON, so Pi ' +
      'cannot read the line that begins with them. If that line is the header, Pi refuses to open the file; only Pi ' +
      'before 0.78 skipped the mark. `ctx repair` removes it.',
    example: { fires: [`\ufeff${JSON.stringify(HEADER)}`, ...ANSWERED], silent: [HEADER, ...ANSWERED] },
    fix: 'ctx repair removes the mark',
  },
  {
    name: 'line-too-long',
    severity: 'error',
    summary: 'A line is longer than the maximum length of a string',
    help:
      'JavaScript limits a string to about 512 MB, so Pi cannot open the file at all. Usually a tool returned a ' +
      'whole disk image or log. This rule has no example, since the example would be as long. ctx reads the lines ' +
      'around the entry, and treats the entry itself as empty.',
    example: { fires: null, silent: [HEADER, ...ANSWERED] },
  },
  {
    name: 'missing-header',
    severity: 'error',
    summary: 'The file has no session header',
    help:
      'The first line of a session contains its id, its version and its working directory. Without it, Pi since ' +
      '0.80.3 refuses to open the file; older versions overwrote it with an empty session. A header without an `id` ' +
      'does not count. `ctx repair` adds a header before the first entry.',
    example: { fires: ANSWERED, silent: [HEADER, ...ANSWERED] },
    fix: 'ctx repair adds a header',
  },
  {
    name: 'late-header',
    severity: 'error',
    summary: 'The session header is not the first line',
    help:
      'Pi treats the first readable line as the header. If an entry comes first, Pi since 0.80.3 refuses to open ' +
      'the file; older versions overwrote it with an empty session. ctx reads the entries before the header like ' +
      'all others. `ctx repair` moves the header to the first line.',
    example: { fires: [QUESTION, HEADER, ANSWER], silent: [HEADER, QUESTION, ANSWER] },
    fix: 'ctx repair moves the header to the first line',
  },
  {
    name: 'repeated-header',
    severity: 'warning',
    summary: 'A second session header is among the entries',
    help:
      'Two sessions were written to one file, by `cat` or by two processes. Pi reads only the first header. It ' +
      'ignores the id, the version and the folder of the others, and reads the entries after them as part of the ' +
      'first session. Nothing is lost as long as their ids differ. `ctx repair` removes the extra header.',
    example: { fires: [HEADER, QUESTION, HEADER, ANSWER], silent: [HEADER, QUESTION, ANSWER] },
    fix: 'ctx repair moves the header to a separate file',
  },
  {
    name: 'no-id',
    severity: 'error',
    summary: 'An entry has no id',
    help:
      'Entries are linked by their ids. Pi cannot reach an entry without an id, unless it is the last of the file, ' +
      'and then it is alone on its path. Pi produces such files when it forks a version 1 session without migrating ' +
      'it: a version 3 header, followed by entries with neither id nor parent. `ctx repair` gives the entry an ' +
      'id, and links it to the entry before it.',
    example: {
      fires: [HEADER, QUESTION, { ...ANSWER, id: undefined }, NEXT],
      silent: [HEADER, QUESTION, ANSWER, NEXT],
    },
    fix: 'ctx repair gives it an id',
  },
  {
    name: 'no-type',
    severity: 'warning',
    summary: 'An entry has no type',
    help:
      'Pi keeps the entry in the tree, so its children stay linked, but does not send it to the model. If it was a ' +
      'message, restore the type by hand: `"type":"message"`.',
    example: {
      fires: [HEADER, QUESTION, { ...ANSWER, type: undefined }, NEXT],
      silent: [HEADER, QUESTION, ANSWER, NEXT],
    },
  },
  {
    name: 'title-before-header',
    severity: 'note',
    summary: 'A title precedes the session header, as oh-my-pi writes it',
    help:
      'oh-my-pi stores the title of a session in the first line, and the header in the second. ctx reads such a ' +
      'session like any other and leaves the title as it is. Pi treats the first line as the header, so it refuses ' +
      'to open the file. `ctx repair` removes the title, so that Pi can open the file.',
    example: { fires: [{ type: 'title', v: 1, title: 'Reading' }, HEADER, ...ANSWERED], silent: [HEADER, ...ANSWERED] },
    fix: 'for Pi, ctx repair moves the title to a separate file',
  },
]);

const noFinalNewline = defineRule({
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
    const last = lastLine(session);
    if (!last || endsInNewline(session, last)) return;
    yield {
      message: 'the last line does not end in a newline',
      at: last,
      fix: 'ctx repair adds the newline',
    };
  },
});

/** The last line of the file, if Pi can read it. Damaged lines have other rules. */
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

/** The rules about damaged lines of a file. */
export const rules: readonly RuleDefinition[] = [...problemsOfLines, noFinalNewline];
