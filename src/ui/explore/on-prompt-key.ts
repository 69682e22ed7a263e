import { matchInPage, pageExtent } from './page.js';
import { patternOf } from './pattern.js';
import { topWithin } from './scroll.js';
import type { Page, State, Updated } from './state.js';

/** What a key does while somebody types what to search for. */
export function onPromptKey(state: State, key: string): Updated {
  const typed = state.prompt ?? '';
  if (key === 'escape') return { state: { ...state, prompt: null }, effects: [] };
  if (key === 'enter') return searched({ ...state, prompt: null, pattern: typed || state.pattern }, 1);
  if (key === 'backspace') {
    const shorter = Array.from(typed).slice(0, -1).join('');
    return { state: { ...state, prompt: typed === '' ? null : shorter }, effects: [] };
  }
  if (key === 'ctrl-u') return { state: { ...state, prompt: '' }, effects: [] };
  return Array.from(key).length === 1
    ? { state: { ...state, prompt: typed + key }, effects: [] }
    : { state, effects: [] };
}

/** Goes on to the next match, of the page or else of the list. */
export function searched(state: State, step: 1 | -1): Updated {
  const { pattern, page, list } = state;
  if (pattern === null) return { state: { ...state, notice: 'nothing to search for: / begins a search' }, effects: [] };
  if (page) return { state: searchedInPage(state, page, { pattern: patternOf(pattern), step }), effects: [] };
  return { state: { ...state, searching: 0 }, effects: [{ kind: 'search', pattern, from: list.cursor, step }] };
}

function searchedInPage(state: State, page: Page, wish: { pattern: RegExp; step: 1 | -1 }): State {
  const at = matchInPage(state, page, wish);
  if (at === null) return { ...state, notice: `nothing matches ${state.pattern ?? ''}` };
  return { ...state, page: { ...page, found: at, top: topWithin(at, pageExtent(state, page)) } };
}
