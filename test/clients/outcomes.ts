import { readFileSync } from 'node:fs';
import path from 'node:path';
import { projectFolder } from '../support/files.js';

/** What a client does with a broken session. */
export type Outcome =
  | 'goes on'
  | 'goes on after a refusal'
  | 'goes on without the beginning'
  | 'is refused'
  | 'never answers';

/** Whether a client cannot go on. */
export function isStuck(outcome: Outcome): boolean {
  return outcome === 'is refused' || outcome === 'never answers';
}

/** The outcomes of each fault, by the client. */
export type Outcomes = Record<string, Record<string, Outcome>>;

/** The tried outcomes. `UPDATE=1 npm run test:clients` writes them. */
export const outcomesFile = path.join(projectFolder, 'test/clients/outcomes.json');

export function readOutcomes(): Outcomes {
  return JSON.parse(readFileSync(outcomesFile, 'utf8')) as Outcomes;
}
