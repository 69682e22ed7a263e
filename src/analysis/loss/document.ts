import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';
import { FACT_CLASSES } from './fact-classes.js';
import { HOLLOW_FAULTS } from './hollow.js';

/**
 * The reason why an entry is in no summary: the previous compaction had kept it, and Pi summarised only later
 * entries; the first kept entry does not precede the compaction, so its input is unknown; or Pi ignored
 * the previous summary.
 */
export const UNSUMMARISED_REASONS = ['kept-before', 'kept-from-elsewhere', 'summary-forgotten'] as const;

const FATES = ['kept', 'summarised', 'edited', 'unaccounted'] as const;
const MENTIONS = ['quoted', 'named', 'partly', 'missing'] as const;

const entry = z.object({
  entryId: z.nullable(z.string()),
  line: z.int(),
  type: z.nullable(z.string()),
  role: z.nullable(z.string()),
  /** Its fate: kept verbatim, part of the input of a summary, removed by an edit, or in no summary. */
  fate: z.enum(FATES),
  /** The entry that removed it from the context. */
  by: z.nullable(z.string()),
  /** The reason why it is in no summary. */
  reason: z.nullable(z.enum(UNSUMMARISED_REASONS)),
});

/** A removed fact, and its mention in the summary. */
const fact = z.object({
  /** The kind of fact, such as a file, an error or an instruction. */
  class: z.enum(FACT_CLASSES),
  /** One line; at most 300 characters. */
  text: z.string(),
  /** The entry that contains it. */
  entryId: z.nullable(z.string()),
  line: z.int(),
  /** The fate of that entry. */
  fate: z.enum(FATES),
  /** Its mention in the summary: literally, by all of its names, by some, or not at all. */
  mention: z.enum(MENTIONS),
});

const classCount = z.object({
  class: z.enum(FACT_CLASSES),
  /** Facts of this class that left the context; the sum of the four that follow. */
  left: z.int(),
  /** The facts that the summary has literally. */
  quoted: z.int(),
  /** The facts of which the summary has every name. */
  named: z.int(),
  /** The facts of which the summary has some names. */
  partly: z.int(),
  /** The facts that the summary does not have. */
  missing: z.int(),
});

const place = z.object({ entryId: z.nullable(z.string()), line: z.int(), type: z.nullable(z.string()) });

/** A compaction of the path. */
const pathCompaction = z.object({
  ...place.shape,
  /** The number of entries that it removed. */
  removed: z.int(),
  /** The number of facts in them that its summary does not mention. */
  missing: z.int(),
  /**
   * The reason why its summary says nothing: it is empty, a placeholder, or repeats the one before; null if it says
   * something.
   */
  hollow: z.nullable(z.enum(HOLLOW_FAULTS)),
  /** Its losses, with the flag `--all`. */
  classes: z.exactOptional(z.array(classCount)),
  left: z.exactOptional(z.array(entry)),
  facts: z.exactOptional(z.array(fact)),
});

/** A message whose content an edit has replaced or removed: a result that was cleared, masked, shortened or pruned. */
const change = z.object({
  entryId: z.nullable(z.string()),
  line: z.int(),
  role: z.nullable(z.string()),
  /** The newest entry that edits it. */
  by: z.nullable(z.string()),
  /** Whether the message was removed, or has other content. */
  change: z.enum(['removed', 'replaced']),
  /** Its characters before and after. */
  characters: z.object({ before: z.int(), after: z.int() }),
});

/** The losses along the whole path. */
const pathLoss = z.object({
  /** All compactions of the path, oldest first. */
  compactions: z.array(pathCompaction),
  /** Edits in force, which are no compaction. */
  changes: z.array(change),
  /** The number of entries that other transforms and edits removed. */
  edited: z.int(),
  /** The number of facts that all compactions removed, by their mention in the newest summary. */
  classes: z.array(classCount),
  /** The facts that earlier compactions removed. */
  facts: z.array(fact),
  /** The reason why something may have been lost that the file does not record; null if all is recorded. */
  unproven: z.nullable(z.string()),
});

/** The entries and facts that a compaction removed from the context. */
export const lossDocument = jsonDocument('ctx/loss', {
  /** The session that was read. */
  session: z.object({
    /** The id in the header of the session. */
    id: z.string(),
    /** The file, as it was passed. */
    file: z.string(),
  }),
  /** The compaction; null if there is none on the active path, so that nothing was removed. */
  boundary: z.nullable(
    z.object({
      /** The id of its entry; null if that has none. */
      entryId: z.nullable(z.string()),
      /** Its line in the file, from 1. */
      line: z.int(),
      /** The type of its entry. */
      type: z.nullable(z.string()),
    }),
  ),
  /** The rule by which Pi chose the input of the summary, and its evidence; null for a transform. */
  inputRule: z.nullable(
    z.object({
      /** Whether Pi's summary read the entries before the first kept one, or those after the last compaction. */
      rule: z.enum(['kept-boundary', 'after-compaction']),
      /** The caller, the date of the entry (before the fixed version), fields of later versions, or none. */
      from: z.enum(['said', 'date', 'fields', 'assumed']),
    }),
  ),
  /** Entries before the boundary that were part of the context, by their fate; `total` is their sum. */
  counts: z.object({
    /** The entries in the context after the boundary. */
    kept: z.int(),
    /** The entries in the input of a summary. */
    summarised: z.int(),
    /** Removed by an edit. */
    edited: z.int(),
    /** Removed, and in no summary. */
    unaccounted: z.int(),
    total: z.int(),
  }),
  /** The number of facts by class; a class without facts is left out. */
  classes: z.array(classCount),
  /**
   * The entries that were removed at this boundary, and those that are in no summary. `ctx loss` lists the latter, up
   * to a limit; `--full` all.
   */
  left: z.array(entry),
  /**
   * The facts of these entries. `ctx loss` lists those that the summary does not mention, up to a limit; `--full` all.
   */
  facts: z.array(fact),
  /** The entries and facts that are not listed; left out if all are. */
  leftOut: z.exactOptional(z.object({ left: z.int(), facts: z.int() })),
  /** The losses along the whole path; left out for a compaction that was named, and for a plan. */
  path: z.exactOptional(pathLoss),
});

export type PathLoss = z.infer<typeof pathLoss>;
export type LossDocument = z.infer<typeof lossDocument>;
/** The entry of a compaction. */
export type LossBoundary = NonNullable<LossDocument['boundary']>;
export type LostEntry = LossDocument['left'][number];
export type LostFact = LossDocument['facts'][number];
