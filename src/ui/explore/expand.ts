import { BY_CHARACTERS } from '#context/replay/tokens.js';
import { idText } from '#session/table/head.js';
import type { Doc } from '../doc/doc.js';
import { entryDoc } from '../parts/entry-view.js';
import { messageDoc } from '../parts/message-view.js';
import { revisionArgs, revisionOf } from './command-line.js';
import { linesOfDoc } from './lines.js';
import { pageOf, selected, type State, type Updated } from './state.js';

/** Shows what is under the cursor in full. */
export function expanded(state: State): Updated {
  return state.focus === 'list' ? entryPage(state) : messagePage(state);
}

function entryPage(state: State): Updated {
  const { session } = state.known;
  const head = session.tree.heads.at(selected(state));
  if (!head) return { state, effects: [] };
  const id = idText(head.id);
  const argv = id === null ? null : ['cat', session.file, ...revisionArgs(id)];
  return opened(state, 'Entry', { argv, doc: entryDoc(head, session.entry(head), session.usage(head)) });
}

/** Other tabs show everything as it is. */
function messagePage(state: State): Updated {
  const { shown, tab, inside, known } = state;
  if (shown?.kind !== 'ready' || tab !== 'messages') return { state, effects: [] };
  const { cached, uncached } = shown.overview.messages;
  const isCached = inside.cursor < cached.length;
  const found = isCached ? cached.at(inside.cursor) : uncached.at(inside.cursor - cached.length);
  if (!found) return { state, effects: [] };
  const number = inside.cursor + 1;
  const { message, from: provenance } = found;
  const doc = messageDoc({ number, message, provenance, isCached, method: BY_CHARACTERS }, true);
  const at = revisionOf(known, shown.index);
  const place = at === null ? [] : ['--at', at];
  const argv = ['show', known.session.file, ...place, '--message', String(number), '--full'];
  return opened(state, `Message ${number}`, { argv, doc });
}

function opened(
  state: State,
  title: string,
  { argv, doc }: { readonly argv: readonly string[] | null; readonly doc: Doc },
): Updated {
  const lines = linesOfDoc(doc, state.size.columns, state.ruler);
  return { state: { ...state, page: pageOf({ title, argv, lines, isRunning: false }) }, effects: [] };
}
