import type { CommanderError } from 'commander';
import { CtxError } from '#base/errors.js';
import { findNearest } from '#base/suggestion.js';

const SEARCH = 'search with: ctx grep PATTERN SESSION';
const NUMBER = 'write -n NUMBER';
const NO_WINDOW = 'write -n NUMBER; --limit is the context window, in other commands';

/** Flags that users know from other commands and programs, some of one command, each with what to write instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  "grep '-l'": 'write --count: it prints each session with its matches',
  "grep '--files-with-matches'": 'write --count: it prints each session with its matches',
  "grep '-q'": 'redirect the output: the exit code is 1 if nothing matches',
  "grep '-o'": 'write --json: it has the place of each match in its line',
  "grep '-w'": 'write word boundaries: \\bWORD\\b',
  "grep '-v'": 'write a pattern for what you look for: only matches are printed',
  "grep '-A'": 'write -C N: it prints lines before and after',
  "grep '-B'": 'write -C N: it prints lines before and after',
  "log '-S'": SEARCH,
  "log '-G'": SEARCH,
  "log '--grep'": SEARCH,
  "log '--max-count'": NUMBER,
  "ls '--limit'": NO_WINDOW,
  "log '--limit'": NO_WINDOW,
  "find '--limit'": NO_WINDOW,
  "grep '--limit'": NO_WINDOW,

  "export '--format' html": 'write the page: ctx report SESSION',
  "'-C'": 'write it before the command: ctx -C DIR COMMAND',
  "'-E'": 'leave it out: every pattern is an extended one',
  "'--fix'": 'write a repaired copy: ctx repair SESSION --output NEW',
  "'--redact'": 'write a redacted copy first: ctx redact SESSION --output NEW',
};

/** commander's own sentence, without its prefix and on one line. */
export function toUsageError(error: CommanderError, command: string): CtxError {
  const [first = '', ...rest] = error.message.replace(/^error: /, '').split('\n');
  const suggestion = rest
    .join(' ')
    .replace(/^\(|\)$/g, '')
    .replace(/^Did/, 'did');
  const [flag = ''] = /'-.*?'/.exec(first) ?? [];
  // A value may follow at once: -A3, -Sfoo, --grep=foo.
  const name = flag.replace(/^'(-\w|--[\w-]+).*/, "'$1'");
  const [, value = ''] = /argument '(\w+)' is invalid/.exec(first) ?? [];
  const hint =
    INSTEAD[`${command} ${name} ${value}`] ??
    INSTEAD[`${command} ${name}`] ??
    INSTEAD[name] ??
    `${isNear(flag, suggestion) ? suggestion : ''} see ctx ${command} --help`.trimStart();
  return new CtxError('usage', first.replace(/\.$/, ''), { hint });
}

/** Whether a suggestion has a flag near to the mistyped one: commander also suggests flags with half of its letters. */
function isNear(flag: string, suggestion: string): boolean {
  const names = [...suggestion.matchAll(/--([\w-]+)/g)].flatMap(([, name]) => name ?? []);
  return findNearest(flag.replace(/^'-+|'$/g, ''), names) !== null;
}
