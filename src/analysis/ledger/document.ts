import * as z from 'zod/mini';
import type { Session } from '#session/session.js';
import { type Head, idText } from '#session/table/head.js';
import { type Candidate, KINDS } from './candidate.js';
import type { Ledger, Listing } from './ledger.js';

const fact = z.object({
  /** One line; at most 400 characters. */
  text: z.string(),
  /** The outcome that the answer reports; null where it reports none. */
  outcome: z.nullable(z.string()),
  time: z.nullable(z.string()),
  /** The entry that says so last. */
  source: z.object({ entryId: z.nullable(z.string()), line: z.int(), kind: z.enum(KINDS) }),
});

/** The newest facts, oldest first, and how many older ones are left out. */
const listing = z.object({ facts: z.array(fact), more: z.int() });

/** The goal, constraints, decisions and tasks of a conversation. */
export const ledgerDocument = z.object({
  schema: z.literal('ctx/ledger'),
  schemaVersion: z.literal(1),
  session: z.object({ id: z.string(), file: z.string() }),
  at: z.object({ entryId: z.nullable(z.string()), line: z.nullable(z.int()) }),
  goal: z.nullable(fact),
  constraints: listing,
  decisions: listing,
  tasks: listing,
  blockers: listing,
  done: listing,
  /** The ledger as a model would read it; its tokens are estimated. */
  packet: z.object({ text: z.string(), tokens: z.int() }),
});

export type LedgerDocument = z.infer<typeof ledgerDocument>;

interface About {
  readonly session: Session;
  readonly at: Head | null;
  readonly packet: LedgerDocument['packet'];
}

export function documentOf(ledger: Ledger, { session, at, packet }: About): LedgerDocument {
  return {
    schema: 'ctx/ledger',
    schemaVersion: 1,
    session: { id: session.header.id, file: session.file },
    at: { entryId: idText(at?.id), line: at?.line ?? null },
    goal: ledger.goal && factOf(ledger.goal),
    constraints: listingOf(ledger.constraints),
    decisions: listingOf(ledger.decisions),
    tasks: listingOf(ledger.tasks),
    blockers: listingOf(ledger.blockers),
    done: listingOf(ledger.done),
    packet,
  };
}

function listingOf({ facts, more }: Listing): LedgerDocument['tasks'] {
  return { facts: facts.map(factOf), more };
}

function factOf({
  text,
  outcome,
  time,
  source: { entryId, line, kind },
}: Candidate): LedgerDocument['tasks']['facts'][number] {
  return { text, outcome, time: isoTime(time), source: { entryId, line, kind } };
}

/** null where no entry above says when it was. */
export function isoTime(time: number): string | null {
  return time === 0 ? null : new Date(time).toISOString();
}
