import { span } from '../doc/doc.js';
import type { ScreenLine } from './lines.js';

const HELP = `Move
  ↑ ↓  k j            one line
  PgUp PgDn  b space  one page; Ctrl-U and Ctrl-D half a page
  Home End  g G       first line, last line
  { }                 previous turn, next turn
  Tab  → ←            switch between list and envelope
  wheel, click, drag  scroll, select and open (also a bar), move the divider
  1 2 3 4  [ ]        envelope: messages, system, tools, options

View
  e  Enter            expand the selected entry or message
  r                   on a page: its texts as they are stored, and back
  Tab Enter           on a page: select a line with an entry, go to that entry
  t                   switch between the tree and the log of this path
  f F                 next filter, previous filter, as in Pi's /tree
  / n N               search (regular expression), next match, previous match
  ]b ]c ]e            next cache break, compaction, error; [b [c [e before
  d                   mark an entry; press d on another entry to compare them
  c                   prompt cache: hits and breaks up to this entry
  s                   status: what the context at this entry holds, and its size
  l                   loss: what the latest compaction up to this entry lost
  p                   plan to prune at this entry; + and - prune more or less
  x                   plan to compact at this entry; + and - keep more or less
  u                   plan to undo this change, or the latest before this entry
  w                   on a plan: write it, after a question

Clipboard and pager
  y                   copy the entry id
  Y                   copy the command on the bottom line
  o                   open the current view in a pager
  m                   mouse off, so that the terminal selects text, or on

Quit
  Esc                 close the page, leave the envelope, or cancel the search
  q                   close the page, or quit; Ctrl-C always quits
  Ctrl-Z              suspend; fg resumes

Symbols
  • ← ◆               on the active path, its leaf, the marked entry`;

/** The first cell of the words beside the keys. */
const WORDS_AT = 22;

/** The help page: all keys by group. */
export function listHelpLines(): readonly ScreenLine[] {
  return HELP.split('\n').map((line) =>
    line.startsWith(' ') ? [span(line.slice(0, WORDS_AT), 'id'), span(line.slice(WORDS_AT))] : [span(line, 'strong')],
  );
}
