import type { Plan } from './plan.js';

/** The exact bytes that a plan appends: one line for each entry, behind the newline that the file may lack. */
export function linesOf({ session, entries }: Pick<Plan, 'session' | 'entries'>): Uint8Array {
  const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
  return new TextEncoder().encode(session.endsWithNewline ? lines : `\n${lines}`);
}
