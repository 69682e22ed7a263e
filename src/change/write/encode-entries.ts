import type { Plan } from '../plan/plan.js';

/**
 * The bytes that a plan appends: one line for each entry, after the newline that the file may lack. A plan names entries,
 * and only this function knows how Pi writes them, so a writer for the files of another agent begins here.
 */
export function encodeEntries({ session, entries }: Pick<Plan, 'session' | 'entries'>): Uint8Array {
  const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
  return new TextEncoder().encode(session.endsWithNewline || lines === '' ? lines : `\n${lines}`);
}
