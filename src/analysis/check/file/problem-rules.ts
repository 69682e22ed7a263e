import { ANSWER, ANSWERED, HEADER, NEXT, notUtf8, QUESTION, torn, user } from '../example.js';
import { problemRules } from '../problems.js';

const REDACTED = JSON.stringify(ANSWER).replace('A README.', String.raw`It asks \***@***.***.`);

/** Damage of lines, and entries that cannot be linked. */
export const problemsOfLines = problemRules('file', [
  {
    name: 'torn-tail',
    severity: 'error',
    summary: 'The last line ends in the middle of an entry',
    help:
      'A write was cut off: the process died, the disk was full, or it is still going on. Pi drops the line without ' +
      'a word and goes on from the entry before it. `ctx repair` closes what can be closed.',
    example: { fires: [HEADER, QUESTION, torn(ANSWER)], silent: [HEADER, QUESTION, ANSWER] },
    fix: 'ctx repair closes the entry, as far as it was written',
  },
  {
    name: 'nul-bytes',
    severity: 'error',
    summary: 'NUL bytes stand where an entry should be',
    help:
      'A file system that lost its last writes, after a crash or a full disk, leaves zeros in their place. JSON knows no NUL ' +
      'bytes, so Pi drops the line, with the entry that may stand behind them, and what follows that entry loses all that ' +
      'stands above it. `ctx repair` removes the bytes and keeps the entry, if there is one.',
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
      'A newline is missing: the process died before it wrote the newline, or two processes wrote at once. Pi before ' +
      '0.84.4 did not add a missing newline when it opened a file, so the next entry was glued to the last one. Two ' +
      'objects on one line are not JSON, so Pi drops both, and the entries that follow them lose all that stands above. ' +
      '`ctx repair` puts each on a line of its own.',
    example: {
      fires: [HEADER, ANSWERED.map((line) => JSON.stringify(line)).join(''), NEXT],
      silent: [HEADER, ...ANSWERED, NEXT],
    },
    fix: 'ctx repair puts each entry on a line of its own',
  },
  {
    name: 'split-line',
    severity: 'error',
    summary: 'One entry is spread over several lines',
    help:
      'Pi reads one entry from each line. An entry that a tool has pretty-printed, or a raw newline inside a string, makes ' +
      'each of its lines unreadable: Pi drops them all, and the entries that follow it lose all that stands above. ' +
      '`ctx repair` puts the entry on one line again.',
    example: {
      fires: [HEADER, JSON.stringify(user('u1', null, 'Two\nlines')).replace('\\n', '\n'), ANSWER],
      silent: [HEADER, user('u1', null, 'Two\nlines'), ANSWER],
    },
    fix: 'ctx repair puts the entry on one line',
  },
  {
    name: 'invalid-escape',
    severity: 'error',
    summary: 'A text holds a backslash that begins no escape',
    help:
      'JSON knows only some escapes, such as `\\n`. A program that replaced parts of texts, as a redactor does, left half of ' +
      'one behind: `\\nada@example.com` became `\\***@***.***`. Nothing else is wrong with the line, but Pi drops it without ' +
      'a word, and entries that follow it become orphans. `ctx repair` takes the backslash out and keeps everything ' +
      'else.',
    example: { fires: [HEADER, QUESTION, REDACTED, NEXT], silent: [HEADER, QUESTION, ANSWER, NEXT] },
    fix: 'ctx repair takes the backslash out, and keeps everything else',
  },
  {
    name: 'malformed-line',
    severity: 'error',
    summary: 'A line is not JSON',
    help:
      'Something else than Pi has written to the file (a merge tool, an editor, a second process), or a write failed half ' +
      'way. Pi drops the line without a word. If it was an entry, those that follow it become orphans, and all that stands ' +
      'above them is gone from the context. `ctx repair` keeps what can be read of the line, moves the rest to a file ' +
      'beside the new one, and links orphans to the entry before them.',
    example: { fires: [HEADER, ...ANSWERED, '<<<<<<< HEAD', NEXT], silent: [HEADER, ...ANSWERED, NEXT] },
    fix: 'ctx repair keeps what can be read of it, and takes the rest out',
  },
  {
    name: 'not-an-object',
    severity: 'error',
    summary: 'A line is JSON but no object',
    help:
      'Every entry is a JSON object. Of other values Pi drops `null`, `0`, `false` and `""`, but keeps the rest as entries ' +
      'that have no id. If such a line is the last one of the file, Pi starts from it, and the context is empty. ' +
      '`ctx repair` takes these lines out.',
    example: { fires: [HEADER, ...ANSWERED, '[1]', NEXT], silent: [HEADER, ...ANSWERED, NEXT] },
    fix: 'ctx repair takes the line out, and keeps it in a file of its own',
  },
  {
    name: 'invalid-utf8',
    severity: 'warning',
    summary: 'A line holds bytes that are not UTF-8',
    help:
      'Pi reads every such byte as U+FFFD, the replacement character, so the model sees a text that nobody wrote. Mostly a ' +
      'tool has put raw bytes of a file into its result, or a write was cut in the middle of a character. What the bytes ' +
      'were meant to be cannot be told, so `ctx repair` leaves the text as Pi reads it.',
    example: { fires: [HEADER, notUtf8(QUESTION), ANSWER], silent: [HEADER, QUESTION, ANSWER] },
  },
  {
    name: 'byte-order-mark',
    severity: 'error',
    summary: 'A byte order mark stands before an entry',
    help:
      'Some editors on Windows put the three bytes EF BB BF at the beginning of a file. They are not JSON, so Pi cannot ' +
      'read the line that begins with them, and if that is the header, it refuses to open the file; only Pi before 0.78 ' +
      'read over a mark. `ctx repair` removes it.',
    example: { fires: [`\ufeff${JSON.stringify(HEADER)}`, ...ANSWERED], silent: [HEADER, ...ANSWERED] },
    fix: 'ctx repair removes the mark',
  },
  {
    name: 'line-too-long',
    severity: 'error',
    summary: 'A line is longer than a string can be',
    help:
      'JavaScript holds no string of more than about 512 MB, so Pi cannot open the file at all. Mostly a tool has returned ' +
      'a whole disk image or log. There is no example of this rule, since it would be as long. ctx reads what surrounds the ' +
      'entry, and takes the entry itself for empty.',
    example: { fires: null, silent: [HEADER, ...ANSWERED] },
  },
  {
    name: 'missing-header',
    severity: 'error',
    summary: 'The file has no session header',
    help:
      'The first line of a session says its id, its version and where it ran. Without it Pi since 0.80.3 refuses to open the ' +
      'file; older versions overwrote it with an empty session. A header that has no `id` is none. `ctx repair` puts a ' +
      'header before the first entry.',
    example: { fires: ANSWERED, silent: [HEADER, ...ANSWERED] },
    fix: 'ctx repair puts a header first',
  },
  {
    name: 'late-header',
    severity: 'error',
    summary: 'The session header is not the first line',
    help:
      'Pi takes the first line that it can read for the header. If an entry comes first, Pi since 0.80.3 refuses to open the ' +
      'file; older versions overwrote it with an empty session. ctx reads the entries before the header like all others. ' +
      '`ctx repair` puts the header first.',
    example: { fires: [QUESTION, HEADER, ANSWER], silent: [HEADER, QUESTION, ANSWER] },
    fix: 'ctx repair puts the header first',
  },
  {
    name: 'repeated-header',
    severity: 'warning',
    summary: 'A session header stands among the entries',
    help:
      'Two sessions were written to one file, by `cat` or by two processes. Pi reads only the first header: the id, the ' +
      'version and the folder of the others are ignored, and the entries behind them are read as part of the first session. ' +
      'As long as their ids differ nothing is lost. `ctx repair` takes the header out.',
    example: { fires: [HEADER, QUESTION, HEADER, ANSWER], silent: [HEADER, QUESTION, ANSWER] },
    fix: 'ctx repair takes the header out, and keeps it in a file of its own',
  },
  {
    name: 'no-id',
    severity: 'error',
    summary: 'An entry has no id',
    help:
      'Entries are linked by their ids. Pi finds no way to an entry without one, unless it is the last of the file, and then ' +
      'it is alone on its path. This is what becomes of a version 1 session that Pi has forked without migrating it: a ' +
      'version 3 header over entries that have neither id nor parent. `ctx repair` gives the entry an id, and links it ' +
      'to the entry before it.',
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
      'Pi keeps such an entry in its place, so that those below it are still linked, but nothing of it reaches the model. ' +
      'If it was a message, the type has to be put back by hand: `"type":"message"`.',
    example: {
      fires: [HEADER, QUESTION, { ...ANSWER, type: undefined }, NEXT],
      silent: [HEADER, QUESTION, ANSWER, NEXT],
    },
  },
  {
    name: 'title-before-header',
    severity: 'note',
    summary: 'A title stands before the session header, as oh-my-pi writes it',
    help:
      'oh-my-pi keeps the title of a session in the first line, and the header in the second. ctx reads such a session ' +
      'like any other and leaves the title as it is. Pi takes the first line for the header, so it refuses to open the ' +
      'file. `ctx repair` takes the title out, for a file that Pi opens.',
    example: { fires: [{ type: 'title', v: 1, title: 'Reading' }, HEADER, ...ANSWERED], silent: [HEADER, ...ANSWERED] },
    fix: 'for Pi, ctx repair takes the title out, and keeps it in a file of its own',
  },
]);
