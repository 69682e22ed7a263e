import { span } from '../doc/doc.js';
import type { Line } from './lines.js';

const KEYS: readonly (readonly [title: string, keys: readonly (readonly [keys: string, what: string])[]])[] = [
  [
    'Move',
    [
      ['↑ ↓  k j', 'one line'],
      ['PgUp PgDn  b space', 'one page; Ctrl-U and Ctrl-D half a page'],
      ['Home End  g G', 'first line, last line'],
      ['{ }', 'previous turn, next turn'],
      ['Tab  → ←', 'switch between list and envelope'],
      ['1 2 3 4  [ ]', 'envelope: messages, system, tools, options'],
    ],
  ],
  [
    'View',
    [
      ['e  Enter', 'expand the selected entry or message'],
      ['t', 'switch between the tree and the log of this path'],
      ['f F', "next filter, previous filter, as in Pi's /tree"],
      ['/ n N', 'search (regular expression), next match, previous match'],
      ['d', 'mark an entry; press d on another entry to compare them'],
      ['c', 'prompt cache: hits and breaks up to this entry'],
      ['l', 'loss: what the latest compaction up to this entry lost'],
      ['p', 'prune at this entry (dry run)'],
      ['x', 'compact at this entry (dry run)'],
    ],
  ],
  [
    'Clipboard and pager',
    [
      ['y', 'copy the entry id'],
      ['Y', 'copy the command on the bottom line'],
      ['o', 'open the current view in a pager'],
    ],
  ],
  [
    'Quit',
    [
      ['Esc', 'close the page, leave the envelope, or cancel the search'],
      ['w', 'on a dry run: quit and print the command to write it'],
      ['q', 'close the page, or quit; Ctrl-C always quits'],
      ['Ctrl-Z', 'suspend; fg resumes'],
    ],
  ],
  ['Symbols', [['• ← ◆', 'on the active path, its leaf, the marked entry']]],
];

const KEY_CELLS = 20;

/** The help page: all keys by group. */
export function helpLines(): readonly Line[] {
  return KEYS.flatMap(([title, keys], at) => [
    ...(at === 0 ? [] : [[]]),
    [span(title, 'strong')],
    ...keys.map(([names, what]) => [span(`  ${names.padEnd(KEY_CELLS)}`, 'id'), span(what)]),
  ]);
}
