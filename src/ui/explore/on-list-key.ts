import { TREE_FILTERS } from '#analysis/listing/filters.js';
import { startsTurn } from '#session/tree/tree.js';
import { revisionOf } from './command-line.js';
import { pathOfEntry } from './known.js';
import { planUndo, run } from './on-plan-key.js';
import { searched } from './on-search-key.js';
import { moveTo, target } from './scroll.js';
import { listExtent, relisted, selected, type ExplorerState, type Updated, only } from './state.js';

/** Handles a key in the tree or the log. */
export function onListKey(state: ExplorerState, key: string): Updated {
  switch (key) {
    case 't':
      return only(relisted(state, { listing: state.listing === 'tree' ? 'log' : 'tree' }, selected(state)));
    case 'f':
      return only(filtered(state, 1));
    case 'F':
      return only(filtered(state, -1));
    case 'n':
      return searched(state, 1);
    case 'N':
      return searched(state, -1);
    case 'escape':
      return only({ ...state, mark: null, matches: null, highlight: null });
    case 'u':
      return planUndo(state);
    case ']':
    case '[':
      return only({ ...state, jump: key });
    case 'right':
      return only({ ...state, focus: 'envelope' });
    case '{':
      return only(atTurn(state, -1));
    case '}':
      return only(atTurn(state, 1));
    case 'd':
    case 'c':
    case 'l':
    case 'p':
    case 'x':
      return looked(state, key);
    default: {
      const wanted = target(key, state.list.cursor, listExtent(state));
      return only(wanted === null ? state : { ...state, list: moveTo(state.list, wanted, listExtent(state)) });
    }
  }
}

/** Changes the filter. After a full cycle, the cursor is on the entry where it started. */
function filtered(state: ExplorerState, step: 1 | -1): ExplorerState {
  const at = TREE_FILTERS.indexOf(state.filter) + step + TREE_FILTERS.length;
  const wanted = meant(state);
  const next = relisted(state, { filter: TREE_FILTERS[at % TREE_FILTERS.length] ?? 'default' }, wanted);
  return { ...next, hidden: { wanted, instead: selected(next) } };
}

/** The entry under the cursor, or the hidden one that it represents. */
function meant(state: ExplorerState): number {
  const index = selected(state);
  return state.hidden?.instead === index ? state.hidden.wanted : index;
}

/** Moves the cursor to the next row that starts a turn. */
function atTurn(state: ExplorerState, step: 1 | -1): ExplorerState {
  const { rows, list, known } = state;
  for (let row = list.cursor + step; row >= 0 && row < rows.length; row += step) {
    const head = known.session.tree.heads.at(rows.indexAt(row));
    if (head && startsTurn(head)) return { ...state, list: moveTo(list, row, listExtent(state)) };
  }
  return state;
}

/** Opens a page with the output of another command about the entry. */
function looked(state: ExplorerState, key: 'd' | 'c' | 'l' | 'p' | 'x'): Updated {
  const { known } = state;
  const { file, tree } = known.session;
  const index = selected(state);
  const at = revisionOf(known, index);
  if (at === null) return only({ ...state, notice: 'this entry has no id, so no command can name it' });
  const where = index === tree.leaf?.index ? [] : ['--at', at];
  switch (key) {
    case 'd':
      return compared(state, index);
    case 'c':
      return run(state, 'Cache', ['cache', file, '--at', revisionOf(known, meant(state)) ?? at]);
    case 'l':
      return withLoss(state, index, at);
    case 'p':
      return run(state, 'Prune (dry run)', ['prune', file, ...where, ...limitOf(state), '--dry-run']);
    case 'x':
      return run(state, 'Compact (dry run)', ['compact', file, ...where, '--dry-run']);
  }
}

/** The limit for pruning. If the context window is unknown, zone red, the strongest pruning without a confirmation. */
function limitOf({ window, shown }: ExplorerState): readonly string[] {
  if (window.limit !== undefined) return ['--limit', String(window.limit)];
  const isKnown = shown?.kind === 'ready' && shown.overview.meta.limit !== null;
  return isKnown ? [] : ['--zone', 'red'];
}

/** Marks the first entry, and compares the second one with it. */
function compared(state: ExplorerState, index: number): Updated {
  const { known, mark } = state;
  if (mark === null) return only({ ...state, mark: index, notice: 'marked: press d on another entry to compare them' });
  if (mark === index) return only({ ...state, mark: null });
  const [from, to] = [revisionOf(known, mark), revisionOf(known, index)];
  if (from === null || to === null) return only({ ...state, mark: null });
  return run({ ...state, mark: null }, 'Diff', ['diff', known.session.file, from, to]);
}

/** Opens the loss of the selected compaction, or of the latest one before it, which the command finds itself. */
function withLoss(state: ExplorerState, index: number, at: string): Updated {
  const { heads } = state.known.session.tree;
  const path = pathOfEntry(state.known, index);
  const isAbove = path.subarray(0, path.indexOf(index) + 1).some((each) => COMPACTS.has(heads.typeAt(each)));
  if (!isAbove) return only({ ...state, notice: 'no compaction at or before this entry' });
  return run(state, 'Loss', ['loss', state.known.session.file, at]);
}

const COMPACTS: ReadonlySet<string | null> = new Set(['compaction', 'context_transform']);
