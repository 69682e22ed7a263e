import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { projectFolder } from '../support/files.js';
import type { Tried } from './copied-sessions.js';

/** The numbers of copies, by the client, by the kind of sessions, and by what became of them. */
export type CopiedOutcomes = Readonly<Record<string, Readonly<Record<SessionKind, Tally>>>>;

export type SessionKind = 'recorded' | 'generated';
type Tally = Readonly<Partial<Record<Tried['outcome'], number>>>;

/** The result of the newest study: `UPDATE=1` with `CTX_COPIES_REPORT` writes it from the whole report. */
const file = path.join(projectFolder, 'test/clients/copied-outcomes.json');

export function readCopiedOutcomes(): CopiedOutcomes {
  return JSON.parse(readFileSync(file, 'utf8')) as CopiedOutcomes;
}

/** Writes what a report counts, for the manual. */
export function writeCopiedOutcomes(report: string): void {
  writeFileSync(file, `${JSON.stringify(countCopiedOutcomes(report), null, 2)}\n`);
}

/** Counts the lines of a report. A session is counted once for each client and command: its newest line is. */
export function countCopiedOutcomes(report: string): CopiedOutcomes {
  const newest = new Map<string, readonly [client: string, kind: SessionKind, outcome: Tried['outcome']]>();
  for (const line of report.split('\n')) {
    const [, client = '', title = '', command = '', outcome = ''] = LINE.exec(line) ?? [];
    if (client === '') continue;
    const kind = title.startsWith('generated ') ? 'generated' : 'recorded';
    newest.set(`${client} ${title} ${command}`, [client, kind, outcome as Tried['outcome']]);
  }
  const counts: Record<string, Record<SessionKind, Record<string, number>>> = {};
  for (const [client, kind, outcome] of newest.values()) {
    const tally = (counts[client] ??= { recorded: {}, generated: {} })[kind];
    tally[outcome] = (tally[outcome] ?? 0) + 1;
  }
  const sorted = Object.entries(counts).toSorted(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }));
  return Object.fromEntries(sorted);
}

const LINE = /^(.*? [\d.]+): (.*): (\w*): (equal|known|original|none|refused|differs)\b/;
