import type { Doc } from '../doc/doc.js';
import { renderEntry } from '../parts/entry-view.js';
import { findMessageAt } from '../parts/message-list.js';
import { renderMessage } from '../parts/message-view.js';
import {
  buildCatArgv,
  buildEntryArgs,
  buildPagerArgv,
  buildViewArgv,
  findRevision,
  formatCommand,
} from './command-line.js';
import { listHelpLines } from './help.js';
import { onJumpKey } from './jump.js';
import { onListKey } from './on-list-key.js';
import { onPlanKey, onQuestionKey } from './on-plan-key.js';
import { findEntriesOnPage, measurePage, scrollPage, selectPageLine } from './page.js';
import { isWriteCommand } from './plan-page.js';
import { EMPTY_PROMPT } from './prompt.js';
import { findTargetLine } from './scroll.js';
import { findNextNumber, onPromptKey, scrollToMatch, searchNext } from './search.js';
import {
  addEffect,
  buildExplorerPage,
  type ExplorerPage,
  type ExplorerState,
  findSelectedEntry,
  type KeyMap,
  relist,
  TABS,
} from './state.js';
import { measureTab, moveInTab, openTab } from './tab.js';

export function onKey(before: ExplorerState, key: string): ExplorerState {
  if (key === 'ctrl-c') return addEffect(before, { kind: 'quit', say: null });
  if (key === 'ctrl-z') return addEffect(before, { kind: 'suspend' });
  if (before.prompt !== null) return onPromptKey(before, key);
  const state = before.notice === null ? before : { ...before, notice: null, awaited: null };
  if (state.question !== null) return onQuestionKey(state, key);
  if (state.jump !== null) return onJumpKey(state, key);
  if (key === 'escape' && state.searching !== null)
    return addEffect({ ...state, searching: null }, { kind: 'stop-search' });
  return EVERYWHERE[key]?.(state) ?? (state.page ? onPageKey(state, state.page, key) : onPaneKey(state, key));
}

const EVERYWHERE: KeyMap = {
  '?': (state) => ({
    ...state,
    page: buildExplorerPage({ title: 'Keys', argv: null, content: { lines: listHelpLines() } }),
  }),
  '/': (state) => ({ ...state, prompt: EMPTY_PROMPT }),
  y: copySelection,
  Y: (state) => addEffect(state, { kind: 'copy', text: formatCommand(buildViewArgv(state)) }),
  m: switchMouse,
  o: (state) => addEffect(state, { kind: 'pager', argv: buildPagerArgv(state) }),
};

/** Turns the mouse off, so that the terminal selects text, or on again. */
function switchMouse(state: ExplorerState): ExplorerState {
  const isOn = !state.hasMouse;
  const notice = isOn ? 'mouse on' : 'mouse off: the terminal selects text, m turns it on again';
  return addEffect({ ...state, hasMouse: isOn, isDragged: false, notice }, { kind: 'report-mouse', isOn });
}

/** Copies the id of the selected entry. On a page, copies its command instead. */
function copySelection(state: ExplorerState): ExplorerState {
  const shownAt = state.focus === 'envelope' && state.shown ? state.shown.index : findSelectedEntry(state);
  const id = findRevision(state.sessionIndex, shownAt);
  const text = state.page || id === null ? formatCommand(buildViewArgv(state)) : id;
  return addEffect(state, { kind: 'copy', text });
}

/** Handles a key of the list or the envelope. */
function onPaneKey(state: ExplorerState, key: string): ExplorerState {
  const onBoth = ON_BOTH[key]?.(state);
  if (onBoth) return onBoth;
  return state.focus === 'list' ? onListKey(state, key) : (IN_ENVELOPE[key]?.(state) ?? moveInEnvelope(state, key));
}

const ON_BOTH: KeyMap = {
  q: (state) => addEffect(state, state.isFromList ? { kind: 'back' } : { kind: 'quit', say: null }),
  tab: switchPane,
  'shift-tab': switchPane,
  enter: expandSelection,
  e: expandSelection,
  ...Object.fromEntries(
    TABS.map((tab, at) => [at + 1, (state: ExplorerState) => openTab({ ...state, focus: 'envelope' }, tab)]),
  ),
};

/** Focuses the other one of list and envelope. A narrow screen shows only the focused one. */
function switchPane(state: ExplorerState): ExplorerState {
  return { ...state, focus: state.focus === 'list' ? 'envelope' : 'list' };
}

const IN_ENVELOPE: KeyMap = {
  right: (state) => openNextTab(state, 1),
  ']': (state) => openNextTab(state, 1),
  '[': (state) => openNextTab(state, -1),
  left: (state) => (state.tab === TABS[0] ? switchPane(state) : openNextTab(state, -1)),
  escape: switchPane,
};

function openNextTab(state: ExplorerState, step: 1 | -1): ExplorerState {
  return openTab(state, TABS.at((TABS.indexOf(state.tab) + step) % TABS.length) ?? 'messages');
}

/** Moves within the envelope. All other keys work as in the list. */
function moveInEnvelope(state: ExplorerState, key: string): ExplorerState {
  const { inside, tab } = state;
  const wanted = findTargetLine(key, tab === 'messages' ? inside.cursor : inside.top, measureTab(state));
  return wanted === null ? onListKey(state, key) : moveInTab(state, wanted);
}

/** Handles a key on a page. */
function onPageKey(state: ExplorerState, page: ExplorerPage, key: string): ExplorerState {
  return ON_PAGE[key]?.(state, page) ?? onPlanKey(state, page, key) ?? scrollByKey(state, page, key);
}

const ON_PAGE: KeyMap<[page: ExplorerPage]> = {
  q: closePage,
  escape: closePage,
  left: closePage,
  n: (state) => searchNext(state, 1),
  N: (state) => searchNext(state, -1),
  r: switchRaw,
  tab: (state, page) => selectNextEntryLine(state, page, 1),
  'shift-tab': (state, page) => selectNextEntryLine(state, page, -1),
  enter: (state, page) => goToNamedEntry(state, page) ?? scrollByKey(state, page, 'down'),
};

function closePage(state: ExplorerState, page: ExplorerPage): ExplorerState {
  const next = { ...state, page: null };
  return page.isRunning && !isWriteCommand(page) ? addEffect(next, { kind: 'stop' }) : next;
}

/** Selects the next line of a page that names an entry. */
function selectNextEntryLine(state: ExplorerState, page: ExplorerPage, step: 1 | -1): ExplorerState {
  const at = findNextNumber([...findEntriesOnPage(state, page).keys()], page.found ?? page.top - step, step);
  return at === null ? state : { ...state, page: selectPageLine(state, page, at) };
}

/**
 * Goes to the entry that the selected line of a page names, with a filter that lists it; null if it names none. Of
 * several it is the first that the page was not opened for: the cause of a cache break.
 */
function goToNamedEntry(state: ExplorerState, page: ExplorerPage): ExplorerState | null {
  const entries = findEntriesOnPage(state, page).get(page.found ?? -1);
  const wanted = entries?.find((entry) => entry !== page.entry) ?? entries?.[0];
  if (wanted === undefined) return null;
  const listed = relist({ ...state, page: null, focus: 'list' }, {}, wanted);
  if (findSelectedEntry(listed) === wanted) return listed;
  const notice = 'the list shows all entries, because its filter hid this one: f changes the filter';
  return { ...relist(listed, { filter: 'all' }, wanted), notice };
}

/** Shows the texts of a document as they are stored, or as they are meant to be read. */
function switchRaw(state: ExplorerState, page: ExplorerPage): ExplorerState {
  const { content } = page;
  if (content.isRaw === undefined) return state;
  return scrollPage(state, { ...page, content: { ...content, isRaw: !content.isRaw } }, page.top);
}

function scrollByKey(state: ExplorerState, page: ExplorerPage, key: string): ExplorerState {
  const wanted = findTargetLine(key, page.top, measurePage(state, page));
  return wanted === null ? state : scrollPage(state, page, wanted);
}

/** Shows the selected item in full. */
function expandSelection(state: ExplorerState): ExplorerState {
  return state.focus === 'list' ? openEntryPage(state) : openMessagePage(state);
}

function openEntryPage(state: ExplorerState): ExplorerState {
  const { session } = state.sessionIndex;
  const head = session.tree.heads.at(findSelectedEntry(state));
  return head
    ? openDocPage(state, 'Entry', buildCatArgv(state.sessionIndex, head.index), renderEntry(session, head))
    : state;
}

/** Opens the selected message. Other tabs already show everything in full. */
function openMessagePage(state: ExplorerState): ExplorerState {
  const { shown, tab, inside, sessionIndex } = state;
  if (shown?.kind !== 'ready' || tab !== 'messages') return state;
  const found = findMessageAt(shown.overview.messages, inside.cursor);
  if (!found) return state;
  const number = inside.cursor + 1;
  const { message, from: provenance, isCached } = found;
  const cwd = sessionIndex.session.header.cwd ?? '';
  const share = shown.overview.meta.composition.messages[inside.cursor] ?? { tokens: 0, tokensEstimated: 0 };
  const doc = renderMessage({ number, message, provenance, isCached, cwd, share }, true);
  const argv = [
    'show',
    sessionIndex.session.file,
    ...buildEntryArgs(sessionIndex, shown.index),
    '--message',
    String(number),
    '--full',
  ];
  return openDocPage(state, `Message ${number}`, argv, doc);
}

function openDocPage(state: ExplorerState, title: string, argv: ExplorerPage['argv'], doc: Doc): ExplorerState {
  return scrollToMatch({ ...state, page: buildExplorerPage({ title, argv, content: { doc, isRaw: false } }) });
}
