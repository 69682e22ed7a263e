import { BY_CHARACTERS } from '#context/replay/tokens.js';
import { idText } from '#session/table/head.js';
import type { Doc } from '../doc/doc.js';
import { entryDoc } from '../parts/entry-view.js';
import { messageDoc } from '../parts/message-view.js';
import { argvOf, commandLine, pagerArgv, revisionArgs, revisionOf } from './command-line.js';
import { onListKey } from './on-list-key.js';
import { isWriting, onAnswer, onPlanKey } from './on-plan-key.js';
import { asked, atMatch, jumped, nextOf, onPromptKey, searched } from './on-search-key.js';
import { atLine, entriesOn, helpLines, insideExtent, pageExtent } from './page.js';
import { moveTo, START, target, topWithin } from './scroll.js';
import {
  type Effect,
  type ExplorerPage,
  pageOf,
  relisted,
  selected,
  type ExplorerState,
  type Tab,
  TABS,
  type Updated,
  only,
} from './state.js';

/** Handles a key. */
export function onKey(before: ExplorerState, key: string): Updated {
  if (key === 'ctrl-c') return { state: before, effects: [{ kind: 'quit', say: null }] };
  if (key === 'ctrl-z') return { state: before, effects: [{ kind: 'suspend' }] };
  if (before.prompt !== null) return onPromptKey(before, key);
  const state = before.notice === null ? before : { ...before, notice: null };
  if (state.question !== null) return onAnswer(state, key);
  if (state.jump !== null) return jumped(state, key);
  const everywhere = onAnyKey(state, key);
  if (everywhere) return everywhere;
  if (state.page) return onPageKey(state, state.page, key);
  const onBoth = onMainKey(state, key);
  if (onBoth) return onBoth;
  return state.focus === 'list' ? onListKey(state, key) : onEnvelopeKey(state, key);
}

/** Handles a key that works everywhere; null for the others. */
function onAnyKey(state: ExplorerState, key: string): Updated | null {
  switch (key) {
    case '?':
      return only({
        ...state,
        page: pageOf({ title: 'Keys', argv: null, content: { lines: helpLines() }, isRunning: false }),
      });
    case '/':
      return only(asked(state));
    case 'y':
      return copied(state);
    case 'Y':
      return withEffect(state, { kind: 'copy', text: commandLine(argvOf(state)) });
    case 'm':
      return switchedMouse(state);
    case 'o':
      return withEffect(state, { kind: 'pager', argv: pagerArgv(state) });
    case 'escape':
      return state.searching === null ? null : withEffect({ ...state, searching: null }, { kind: 'stop-search' });
    default:
      return null;
  }
}

/** Turns the mouse off, so that the terminal selects text, or on again. */
function switchedMouse(state: ExplorerState): Updated {
  const isOn = !state.hasMouse;
  const notice = isOn ? 'mouse on' : 'mouse off: the terminal selects text, m turns it on again';
  return withEffect({ ...state, hasMouse: isOn, isDragged: false, notice }, { kind: 'report-mouse', isOn });
}

/** Copies the id of the selected entry. On a page, copies its command instead. */
function copied(state: ExplorerState): Updated {
  const shownAt = state.focus === 'envelope' && state.shown ? state.shown.index : selected(state);
  const id = revisionOf(state.known, shownAt);
  const text = state.page || id === null ? commandLine(argvOf(state)) : id;
  return withEffect(state, { kind: 'copy', text });
}

/** Handles a key that works in the list and in the envelope; null for the others. */
function onMainKey(state: ExplorerState, key: string): Updated | null {
  switch (key) {
    case 'q':
      return withEffect(state, state.isFromList ? { kind: 'back' } : { kind: 'quit', say: null });
    case 'tab':
    case 'shift-tab':
      return only(focused(state, state.focus === 'list' ? 'envelope' : 'list'));
    case '1':
    case '2':
    case '3':
    case '4':
      return only(atTab(focused(state, 'envelope'), TABS[Number(key) - 1] ?? 'messages'));
    case 'enter':
    case 'e':
      return expanded(state);
    default:
      return null;
  }
}

function onEnvelopeKey(state: ExplorerState, key: string): Updated {
  const at = TABS.indexOf(state.tab);
  switch (key) {
    case 'right':
    case ']':
      return only(atTab(state, TABS[(at + 1) % TABS.length] ?? 'messages'));
    case '[':
      return only(atTab(state, TABS.at(at - 1) ?? 'messages'));
    case 'left':
      return only(at === 0 ? focused(state, 'list') : atTab(state, TABS[at - 1] ?? 'messages'));
    case 'escape':
      return only(focused(state, 'list'));
    default:
      return movedInside(state, key);
  }
}

/** Moves within the envelope. All other keys work as in the list. */
function movedInside(state: ExplorerState, key: string): Updated {
  const extent = insideExtent(state);
  const isList = state.tab === 'messages';
  const wanted = target(key, isList ? state.inside.cursor : state.inside.top, extent);
  if (wanted === null) return onListKey(state, key);
  const inside = isList ? moveTo(state.inside, wanted, extent) : { cursor: 0, top: topWithin(wanted, extent) };
  return only({ ...state, inside });
}

/** Opens a tab. Among the messages it selects the newest, which the entry added. */
function atTab(state: ExplorerState, tab: Tab): ExplorerState {
  const next = { ...state, tab };
  const extent = insideExtent(next);
  return { ...next, inside: tab === 'messages' ? moveTo(START, extent.length - 1, extent) : START };
}

/** Focuses the list or the envelope. A narrow screen shows only the focused one. */
function focused(state: ExplorerState, focus: ExplorerState['focus']): ExplorerState {
  return { ...state, focus };
}

function withEffect(state: ExplorerState, effect: Effect): Updated {
  return { state, effects: [effect] };
}

/** Handles a key on a page. */
function onPageKey(state: ExplorerState, page: ExplorerPage, key: string): Updated {
  switch (key) {
    case 'q':
    case 'escape':
    case 'left':
      return { state: { ...state, page: null }, effects: page.isRunning && !isWriting(page) ? [{ kind: 'stop' }] : [] };
    case 'n':
      return searched(state, 1);
    case 'N':
      return searched(state, -1);
    case 'r':
      return only(switchedRaw(state, page));
    case 'tab':
      return only(atNamed(state, page, 1));
    case 'shift-tab':
      return only(atNamed(state, page, -1));
    case 'enter':
      return atNamedEntry(state, page) ?? scrolled(state, page, 'down');
    default:
      return onPlanKey(state, page, key) ?? scrolled(state, page, key);
  }
}

/** Selects the next line of a page that names an entry. */
function atNamed(state: ExplorerState, page: ExplorerPage, step: 1 | -1): ExplorerState {
  const at = nextOf([...entriesOn(state, page).keys()], page.found ?? page.top - step, step);
  return at === null ? state : { ...state, page: atLine(state, page, at) };
}

/** Goes to the entry that the selected line of a page names, with a filter that lists it; null if it names none. */
function atNamedEntry(state: ExplorerState, page: ExplorerPage): Updated | null {
  const wanted = entriesOn(state, page).get(page.found ?? -1);
  if (wanted === undefined) return null;
  const listed = relisted({ ...state, page: null, focus: 'list' }, {}, wanted);
  if (selected(listed) === wanted) return only(listed);
  const notice = 'the list shows all entries, because its filter hid this one: f changes the filter';
  return only({ ...relisted(listed, { filter: 'all' }, wanted), notice });
}

/** Shows the texts of a document as they are stored, or as they are meant to be read. */
function switchedRaw(state: ExplorerState, page: ExplorerPage): ExplorerState {
  const { content } = page;
  if (content.isRaw === undefined) return state;
  const switched = { ...page, content: { ...content, isRaw: !content.isRaw }, found: null };
  return { ...state, page: { ...switched, top: topWithin(page.top, pageExtent(state, switched)) } };
}

function scrolled(state: ExplorerState, page: ExplorerPage, key: string): Updated {
  const extent = pageExtent(state, page);
  const wanted = target(key, page.top, extent);
  if (wanted === null) return only(state);
  return { state: { ...state, page: { ...page, top: topWithin(wanted, extent), found: null } }, effects: [] };
}

/** Shows the selected item in full. */
function expanded(state: ExplorerState): Updated {
  return state.focus === 'list' ? entryPage(state) : messagePage(state);
}

function entryPage(state: ExplorerState): Updated {
  const { session } = state.known;
  const head = session.tree.heads.at(selected(state));
  if (!head) return only(state);
  const id = idText(head.id);
  const argv = id === null ? null : ['cat', session.file, ...revisionArgs(id)];
  return opened(state, 'Entry', { argv, doc: entryDoc(session, head) });
}

/** Opens the selected message. Other tabs already show everything in full. */
function messagePage(state: ExplorerState): Updated {
  const { shown, tab, inside, known } = state;
  if (shown?.kind !== 'ready' || tab !== 'messages') return only(state);
  const { cached, uncached } = shown.overview.messages;
  const isCached = inside.cursor < cached.length;
  const found = isCached ? cached.at(inside.cursor) : uncached.at(inside.cursor - cached.length);
  if (!found) return only(state);
  const number = inside.cursor + 1;
  const { message, from: provenance } = found;
  const cwd = known.session.header.cwd ?? '';
  const doc = messageDoc({ number, message, provenance, isCached, cwd, method: BY_CHARACTERS }, true);
  const at = revisionOf(known, shown.index);
  const place = at === null ? [] : ['--at', at];
  const argv = ['show', known.session.file, ...place, '--message', String(number), '--full'];
  return opened(state, `Message ${number}`, { argv, doc });
}

function opened(
  state: ExplorerState,
  title: string,
  { argv, doc }: { readonly argv: readonly string[] | null; readonly doc: Doc },
): Updated {
  const page = pageOf({ title, argv, content: { doc, isRaw: false }, isRunning: false });
  return only(atMatch({ ...state, page }));
}
