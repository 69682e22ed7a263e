import { commandLine } from './command-line.js';
import { searched } from './on-prompt-key.js';
import { pageExtent } from './page.js';
import { target, topWithin } from './scroll.js';
import type { Page, State, Updated } from './state.js';

/** What a key does on a page. */
export function onPageKey(state: State, page: Page, key: string): Updated {
  switch (key) {
    case 'q':
    case 'escape':
    case 'left':
      return { state: { ...state, page: null }, effects: page.isRunning ? [{ kind: 'stop' }] : [] };
    case 'n':
      return searched(state, 1);
    case 'N':
      return searched(state, -1);
    case 'w':
      return toWrite(state, page);
    case 'enter':
      return scrolled(state, page, 'down');
    default:
      return scrolled(state, page, key);
  }
}

/** Nothing is written here: who wants that leaves, and is told the command. */
function toWrite(state: State, { argv }: Page): Updated {
  if (!argv?.includes(DRY)) return { state, effects: [] };
  const say = commandLine(argv.filter((word) => word !== DRY));
  return { state, effects: [{ kind: 'quit', say }] };
}

const DRY = '--dry-run';

function scrolled(state: State, page: Page, key: string): Updated {
  const extent = pageExtent(state, page);
  const wanted = target(key, page.top, extent);
  if (wanted === null) return { state, effects: [] };
  return { state: { ...state, page: { ...page, top: topWithin(wanted, extent), found: null } }, effects: [] };
}
