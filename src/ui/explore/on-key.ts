import { argvOf, commandLine, pagerArgv, revisionOf } from './command-line.js';
import { expanded } from './expand.js';
import { helpLines } from './help.js';
import { insideExtent } from './inside.js';
import { onListKey } from './on-list-key.js';
import { onPageKey } from './on-page-key.js';
import { onPromptKey } from './on-prompt-key.js';
import { moveTo, START, target, topWithin } from './scroll.js';
import { type Effect, pageOf, selected, type State, TABS, type Tab, type Updated } from './state.js';

/** What a key does. */
export function onKey(before: State, key: string): Updated {
  if (key === 'ctrl-c') return { state: before, effects: [{ kind: 'quit', say: null }] };
  if (key === 'ctrl-z') return { state: before, effects: [{ kind: 'suspend' }] };
  if (before.prompt !== null) return onPromptKey(before, key);
  const state = before.notice === null ? before : { ...before, notice: null };
  const everywhere = onAnyKey(state, key);
  if (everywhere) return everywhere;
  if (state.page) return onPageKey(state, state.page, key);
  const onBoth = onMainKey(state, key);
  if (onBoth) return onBoth;
  return state.focus === 'list' ? onListKey(state, key) : onEnvelopeKey(state, key);
}

/** Keys that mean the same wherever somebody is; null for the others. */
function onAnyKey(state: State, key: string): Updated | null {
  switch (key) {
    case '?':
      return only({ ...state, page: pageOf({ title: 'Keys', argv: null, lines: helpLines(), isRunning: false }) });
    case '/':
      return only({ ...state, prompt: '' });
    case 'y':
      return copied(state);
    case 'Y':
      return withEffect(state, { kind: 'copy', text: commandLine(argvOf(state)) });
    case 'o':
      return withEffect(state, { kind: 'pager', argv: pagerArgv(state) });
    case 'escape':
      return state.searching === null ? null : withEffect({ ...state, searching: null }, { kind: 'stop-search' });
    default:
      return null;
  }
}

/** A page has no entry under a cursor, but a command. */
function copied(state: State): Updated {
  const shownAt = state.focus === 'envelope' && state.shown ? state.shown.index : selected(state);
  const id = revisionOf(state.known, shownAt);
  const text = state.page || id === null ? commandLine(argvOf(state)) : id;
  return withEffect(state, { kind: 'copy', text });
}

/** Keys of list and envelope together; null for the others. */
function onMainKey(state: State, key: string): Updated | null {
  switch (key) {
    case 'q':
      return withEffect(state, { kind: 'quit', say: null });
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

function onEnvelopeKey(state: State, key: string): Updated {
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

/** What does not move about in the envelope means the same as in the list. */
function movedInside(state: State, key: string): Updated {
  const extent = insideExtent(state);
  const isList = state.tab === 'messages';
  const wanted = target(key, isList ? state.inside.cursor : state.inside.top, extent);
  if (wanted === null) return onListKey(state, key);
  const inside = isList ? moveTo(state.inside, wanted, extent) : { cursor: 0, top: topWithin(wanted, extent) };
  return only({ ...state, inside });
}

/** Of the messages, the newest one is what the entry has brought. */
function atTab(state: State, tab: Tab): State {
  const next = { ...state, tab };
  const extent = insideExtent(next);
  return { ...next, inside: tab === 'messages' ? moveTo(START, extent.length - 1, extent) : START };
}

/** Where there is room for one of both only, the other one has another size. */
function focused(state: State, focus: State['focus']): State {
  return { ...state, focus };
}

function only(state: State): Updated {
  return { state, effects: [] };
}

function withEffect(state: State, effect: Effect): Updated {
  return { state, effects: [effect] };
}
