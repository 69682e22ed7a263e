import { readFileSync } from 'node:fs';
import type { ContextEngine } from '#lab/contract.js';
import { engine, sizeOf } from './engines.js';

/** Shows what the session file holds beyond the transcript: what the session has yet to say, if the file knew it. */
export function futureReader(seen: (lines: readonly string[], known: number) => void): ContextEngine {
  let known = 0;
  const look = (file: string): void => seen(readFileSync(file, 'utf8').trimEnd().split('\n'), known);
  return engine({
    bootstrap: ({ sessionFile }) => {
      look(sessionFile);
      return Promise.resolve({ bootstrapped: true, importedMessages: 0 });
    },
    assemble: ({ messages }) => {
      known = messages.length;
      return Promise.resolve({ messages, estimatedTokens: sizeOf(messages) });
    },
    afterTurn: ({ sessionFile }) => Promise.resolve(look(sessionFile)),
  });
}
