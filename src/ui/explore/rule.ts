import { span } from '../doc/doc.js';
import { fitted, type Line, widthOf } from './lines.js';
import type { State } from './state.js';

/** A title in a line that runs across a pane. */
export function rule(title: Line, cells: number, { ruler }: Pick<State, 'ruler'>): Line {
  const line = [span('─ ', 'faint'), ...title, span(' ')];
  const rest = cells - widthOf(line, ruler);
  return rest > 0 ? [...line, span('─'.repeat(rest), 'faint')] : fitted(line, cells, ruler);
}
