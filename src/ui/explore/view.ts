import { entryLines } from './entry-lines.js';
import { envelopeLines } from './envelope-lines.js';
import type { Line } from './lines.js';
import { type ExplorerState, layout } from './state.js';

/** A state with what its screen shows of the session. */
export interface View {
  readonly state: ExplorerState;
  /** The visible rows of the list. */
  readonly rows: readonly Line[];
  /** The visible lines of the envelope. */
  readonly inside: readonly Line[];
}

/** Reads what a screen shows of the session: only the visible entries and messages. Throws if the file has changed. */
export function viewOf(state: ExplorerState): View {
  const { list, envelope } = layout(state);
  state.known.previews.start();
  return {
    state,
    rows: state.page || list === 0 ? [] : entryLines(state),
    inside: state.page || envelope === 0 ? [] : envelopeLines(state),
  };
}
