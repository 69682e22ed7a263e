import { span } from '../doc/doc.js';
import type { Line } from './lines.js';

const KEYS: readonly (readonly [title: string, keys: readonly (readonly [keys: string, what: string])[]])[] = [
  [
    'Move',
    [
      ['↑ ↓  k j', 'one line'],
      ['PgUp PgDn  b space', 'one screen; Ctrl-U and Ctrl-D half of one'],
      ['Home End  g G', 'to the beginning, to the end'],
      ['{ }', 'to the turn before, to the next one'],
      ['Tab  → ←', 'from the list to the envelope and back'],
      ['1 2 3 4  [ ]', 'messages, system, tools and options of the envelope'],
    ],
  ],
  [
    'Look',
    [
      ['e  Enter', 'the entry or the message under the cursor in full'],
      ['t', 'the tree of all entries, or the log of the path through this one'],
      ['f F', "the next filter, the one before: as in Pi's /tree"],
      ['/ n N', 'search, next match, match before; a regular expression'],
      ['d', 'mark an entry; at another one, compare the two'],
      ['c', 'what the prompt cache did on the path to this entry'],
      ['l', 'what the compaction here, or above, has lost'],
      ['p', 'what pruning here would do'],
      ['x', 'what compacting here would do'],
    ],
  ],
  [
    'Take along',
    [
      ['y', 'copy the id of the entry'],
      ['Y', 'copy the command line at the bottom'],
      ['o', 'open what is shown in a pager'],
    ],
  ],
  [
    'Leave',
    [
      ['Esc', 'back: from a page, from the envelope, from a search'],
      ['w', 'on what pruning or compacting would do: quit, and print the command that does it'],
      ['q', 'quit; Ctrl-C does it anywhere'],
      ['Ctrl-Z', 'to the shell for a while; fg brings it back'],
    ],
  ],
  ['Signs', [['• ← ◆', 'on the active path, its end, the marked entry']]],
];

const KEY_CELLS = 20;

/** What every key does. */
export function helpLines(): readonly Line[] {
  return KEYS.flatMap(([title, keys], at) => [
    ...(at === 0 ? [] : [[]]),
    [span(title, 'strong')],
    ...keys.map(([names, what]) => [span(`  ${names.padEnd(KEY_CELLS)}`, 'id'), span(what)]),
  ]);
}
