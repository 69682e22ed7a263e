import * as z from 'zod/mini';
import type { Session } from '#session/session.js';
import { idText } from '#session/table/head.js';
import type { LossAudit } from './audit.js';
import { CLASSES, type FactClass } from './facts.js';
import { type Account, REASONS } from './ledger.js';

const FATES = ['kept', 'summarised', 'edited', 'unaccounted'] as const;
const MENTIONS = ['quoted', 'named', 'partly', 'missing'] as const;

const entry = z.object({
  entryId: z.nullable(z.string()),
  line: z.int(),
  type: z.nullable(z.string()),
  role: z.nullable(z.string()),
  fate: z.enum(FATES),
  /** The entry that took it out of the context. */
  by: z.nullable(z.string()),
  /** Why it is in no summary. */
  reason: z.nullable(z.enum(REASONS)),
});

const fact = z.object({
  class: z.enum(CLASSES),
  /** One line; at most 300 characters. */
  text: z.string(),
  entryId: z.nullable(z.string()),
  line: z.int(),
  fate: z.enum(FATES),
  /** How the summary mentions it: word for word, by all of its names, by some, or not at all. */
  mention: z.enum(MENTIONS),
});

const classCount = z.object({
  class: z.enum(CLASSES),
  left: z.int(),
  quoted: z.int(),
  named: z.int(),
  partly: z.int(),
  missing: z.int(),
});

/** The entries and facts that a compaction took out of the context. */
export const lossDocument = z.object({
  schema: z.literal('ctx/loss'),
  schemaVersion: z.literal(1),
  session: z.object({ id: z.string(), file: z.string() }),
  /** The compaction; null where there is none on the active path, and nothing left the context. */
  boundary: z.nullable(z.object({ entryId: z.nullable(z.string()), line: z.int(), type: z.nullable(z.string()) })),
  /** The rule by which Pi chose the input of the summary, and its source; null for a transform. */
  inputRule: z.nullable(
    z.object({
      rule: z.enum(['kept-boundary', 'after-compaction']),
      from: z.enum(['said', 'date', 'fields', 'assumed']),
    }),
  ),
  /** Entries above the boundary that had a part in the context, by what became of them; `total` is their sum. */
  counts: z.object({
    kept: z.int(),
    summarised: z.int(),
    edited: z.int(),
    unaccounted: z.int(),
    total: z.int(),
  }),
  classes: z.array(classCount),
  /** The entries that left at this boundary, and those that are in no summary. */
  left: z.array(entry),
  /** The facts that they held. */
  facts: z.array(fact),
});

export type LossDocument = z.infer<typeof lossDocument>;

/** For a session without a compaction on its active path. */
export function documentOfNothing({ header: { id }, file }: Session): LossDocument {
  return {
    schema: 'ctx/loss',
    schemaVersion: 1,
    session: { id, file },
    boundary: null,
    inputRule: null,
    counts: { kept: 0, summarised: 0, edited: 0, unaccounted: 0, total: 0 },
    classes: [],
    left: [],
    facts: [],
  };
}

export function documentOf(session: Session, audit: LossAudit): LossDocument {
  const { boundary, counts, rule } = audit;
  return {
    schema: 'ctx/loss',
    schemaVersion: 1,
    session: { id: session.header.id, file: session.file },
    boundary: { entryId: idText(boundary.id), line: boundary.line, type: boundary.type },
    inputRule: rule && { rule: rule.rule, from: rule.from },
    counts: { ...counts, total: audit.accounts.length },
    classes: classCounts(audit),
    left: audit.left.map(entryOf),
    facts: audit.facts.map(({ class: factClass, text, account, mention }) => ({
      class: factClass,
      text,
      entryId: idText(account.head.id),
      line: account.head.line,
      fate: account.fate,
      mention,
    })),
  };
}

function entryOf({ head, fate, by, reason }: Account): LossDocument['left'][number] {
  const { id, line, type, role } = head;
  return { entryId: idText(id), line, type, role, fate, by: idText(by?.id), reason };
}

/** How many facts of each class left, and how the summary mentions them. Classes of which nothing left are not there. */
export function classCounts({ facts }: Pick<LossAudit, 'facts'>): LossDocument['classes'] {
  const counts = new Map<FactClass, LossDocument['classes'][number]>();
  for (const { class: factClass, mention } of facts) {
    const known = counts.get(factClass) ?? { class: factClass, left: 0, quoted: 0, named: 0, partly: 0, missing: 0 };
    counts.set(factClass, { ...known, left: known.left + 1, [mention]: known[mention] + 1 });
  }
  return CLASSES.flatMap((name) => counts.get(name) ?? []);
}
