import { type Block, line, span } from '../doc/doc.js';

/** A command that the user may want next, and what it does. */
export function renderSuggestedCommand(command: string, what: string): Block {
  return line({ ...span(command), isCommand: true }, span(`  ${what}`, 'faint'));
}
