import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { projectFolder } from '../support/files.js';
import type { Tried } from './copied-sessions.js';

/** The numbers of copies, by the client, by the kind of sessions, and by what became of them; and by the command. */
export type CopiedOutcomes = Readonly<Record<string, ClientOutcomes>>;

export type SessionKind = 'recorded' | 'generated';

/** `rewound`: how many of them the client then went back in. */
type Tally = Readonly<Partial<Record<Tried['outcome'] | 'rewound', number>>>;

interface ClientOutcomes extends Readonly<Record<SessionKind, Tally>> {
  /** The copies that the client opened, by the command that made them. */
  readonly commands: Readonly<Record<string, number>>;
}

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
  const newest = new Map<string, CopyLine>();
  for (const line of report.split('\n')) {
    const read = readLine(line);
    if (read) newest.set(`${read.client} ${read.title} ${read.command}`, read);
  }
  const counts: Record<string, Record<keyof ClientOutcomes, Record<string, number>>> = {};
  for (const { client, title, command, outcome, isRewound } of newest.values()) {
    const own = (counts[client] ??= { recorded: {}, generated: {}, commands: {} });
    const tally = own[title.startsWith('generated ') ? 'generated' : 'recorded'];
    addOne(tally, outcome);
    if (isRewound) addOne(tally, 'rewound');
    if (outcome !== 'none' && outcome !== 'refused') addOne(own.commands, STRATEGIES.has(command) ? 'prune' : command);
  }
  const sorted = Object.entries(counts).toSorted(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }));
  return Object.fromEntries(sorted);
}

function addOne(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

/** The names of the study for other strategies of a prune. */
const STRATEGIES: ReadonlySet<string> = new Set(['fold', 'turns']);

/** A line of a report. */
interface CopyLine {
  readonly client: string;
  readonly title: string;
  readonly command: string;
  readonly outcome: string;
  readonly isRewound: boolean;
}

const LINE = /^(.*? [\d.]+): (.*): (\w*): (equal|known|original|none|refused|differs)(, rewound)?(?= |$)/;

function readLine(line: string): CopyLine | null {
  const [, client, title, command, outcome, rewound] = LINE.exec(line) ?? [];
  if (client === undefined || title === undefined || command === undefined || outcome === undefined) return null;
  return { client, title, command, outcome, isRewound: rewound !== undefined };
}
