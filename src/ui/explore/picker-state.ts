import MiniSearch from 'minisearch';
import { memoizeByObject } from '#base/memoize.js';
import type { ConversationWords } from '#context/words/conversation-words.js';
import type { ScreenSize } from './layout.js';
import type { ScreenLook } from './lines.js';
import type { MouseInput } from './on-mouse.js';
import { buildPrompt, editPrompt, EMPTY_PROMPT, type PromptLine } from './prompt.js';
import { type Extent, findTargetLine, moveCursor, type Scroll, SCROLL_START } from './scroll.js';

/** A session to choose. */
export interface PickerSession {
  readonly id: string;
  readonly file: string;
  readonly title: string;
  readonly agent: string;
  /** The working directory, shortened. */
  readonly project: string;
  /** Milliseconds since the last change. */
  readonly age: number;
  readonly bytes: number;
  readonly entries: number;
  readonly model: string;
  readonly contextTokens: number;
  readonly contextTokensSource: 'recorded' | 'estimated';
  /** The recorded cost in dollars; null if it is not recorded. */
  readonly cost: number | null;
  /** Dollars for the calls without a recorded cost, at listed prices; null if there are none. */
  readonly costListed: number | null;
}

/** The state of the list of sessions. */
export interface PickerState {
  readonly size: ScreenSize;
  readonly look: ScreenLook;
  /** All sessions found so far, newest first. */
  readonly sessions: readonly PickerSession[];
  readonly isLoading: boolean;
  readonly query: PromptLine;
  /** The sessions that match the query, the best match first. */
  readonly found: readonly PickerSession[];
  readonly list: Scroll;
  /** The file of the session to select once it is found, unless the user moves before. */
  readonly wanted: string | null;
  /** The words of the sessions that the cursor rested on, by their files. */
  readonly words: ReadonlyMap<string, ConversationWords>;
  /** A short message, such as the error of a session that cannot be opened. */
  readonly notice: string | null;
  /** The choice of the user; null until then. */
  readonly choice: PickedSession | null;
}

/** The end of the choice: a session, or none, and the text that was searched. */
export interface PickedSession {
  readonly file: string | null;
  readonly query: string;
}

/** The state before any session is found. `before`: the last choice, to go on from. */
export function buildFirstPicker(
  screen: Pick<PickerState, 'size' | 'look' | 'notice'>,
  before: PickedSession | null,
): PickerState {
  const rest = { sessions: [], isLoading: true, found: [], list: SCROLL_START, words: new Map(), choice: null };
  return { ...screen, ...rest, query: buildPrompt(before?.query ?? ''), wanted: before?.file ?? null };
}

/** Lines around the list: header, prompt, keys. */
const AROUND = 3;
/** The height of the preview with its title. */
export const PREVIEW_ROWS = 7;
const LEAST_FOR_PREVIEW = 16;

/** The number of sessions to choose from, and the number that fit. */
export function measurePicker({ size, found }: PickerState): Extent & { readonly hasPreview: boolean } {
  const hasPreview = size.rows >= LEAST_FOR_PREVIEW;
  return {
    length: found.length,
    height: Math.max(1, size.rows - AROUND - (hasPreview ? PREVIEW_ROWS : 0)),
    hasPreview,
  };
}

export function onPickerKey(before: PickerState, key: string): PickerState {
  const state = { ...before, notice: null, wanted: null };
  const { query, list, found } = state;
  const chosenAs = (file: string | null): PickerState => ({ ...state, choice: { file, query: query.text } });
  if (key === 'ctrl-c' || (key === 'escape' && query.text === '')) return chosenAs(null);
  if (key === 'escape') return applyQuery(state, EMPTY_PROMPT);
  if (key === 'enter') {
    const chosen = found[list.cursor];
    return chosen ? chosenAs(chosen.file) : state;
  }
  const wanted = MOVES.has(key) ? findTargetLine(key, list.cursor, measurePicker(state)) : null;
  if (wanted !== null) return movePickerCursor(state, wanted);
  const next = editPrompt(query, key, []);
  if (next === null) return state;
  return next.text === query.text ? { ...state, query: next } : applyQuery(state, next);
}

/** The wheel moves; a click selects, and a click on the selected session opens it. */
export function onPickerMouse(before: PickerState, { kind, row }: MouseInput): PickerState {
  const state = { ...before, wanted: null };
  if (kind === 'wheel-up' || kind === 'wheel-down') return onPickerKey(state, kind === 'wheel-up' ? 'up' : 'down');
  const at = state.list.top + row - 1;
  if (kind !== 'press' || row === 0 || row > measurePicker(state).height || at >= state.found.length) return state;
  return at === state.list.cursor ? onPickerKey(state, 'enter') : movePickerCursor(state, at);
}

/** Letters are typed, so only these keys move. */
const MOVES: ReadonlySet<string> = new Set(['up', 'down', 'pageup', 'pagedown', 'ctrl-p', 'ctrl-n']);

/** Moves the cursor to a row of the list. */
export function movePickerCursor(state: PickerState, wanted: number): PickerState {
  return { ...state, list: moveCursor(state.list, wanted, measurePicker(state)) };
}

function applyQuery(state: PickerState, query: PromptLine): PickerState {
  return movePickerCursor({ ...state, query, found: findSessions(query.text, state.sessions), list: SCROLL_START }, 0);
}

/** Adds sessions, and keeps the cursor on the same one, or moves it to the wanted one. */
export function addSessions(state: PickerState, more: readonly PickerSession[]): PickerState {
  const sessions = [...state.sessions, ...more];
  const found = findSessions(state.query.text, sessions);
  const wanted = state.wanted ?? state.found[state.list.cursor]?.file;
  const next = found.findIndex(({ file }) => file === wanted);
  return movePickerCursor({ ...state, sessions, found }, next);
}

/** The sessions whose id begins with a text, then those whose words begin with, or nearly equal, all words of it. */
function findSessions(text: string, sessions: readonly PickerSession[]): readonly PickerSession[] {
  if (text.trim() === '') return sessions;
  const found = buildSearchIndex(sessions).search(text, { prefix: true, fuzzy: MOST_WRONG, combineWith: 'AND' });
  const withId = sessions.filter(({ id }) => id.startsWith(text.trim().toLowerCase()));
  return [...new Set([...withId, ...found.flatMap(({ id }) => sessions[Number(id)] ?? [])])];
}

/** The share of the letters of a word that may differ. */
const MOST_WRONG = 0.2;
const FIELDS = ['title', 'project', 'agent', 'model'];
/** The index of the sessions found so far, which every letter needs again. */
const buildSearchIndex = memoizeByObject((sessions: readonly PickerSession[]): MiniSearch => {
  const index = new MiniSearch({ fields: FIELDS });
  index.addAll(sessions.map((session, id) => ({ ...session, id })));
  return index;
});
