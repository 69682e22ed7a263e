import * as z from 'zod/mini';
import { goingOnDocument } from '#analysis/check/provider/going-on.js';
import { jsonDocument } from '#base/schema.js';
import { contextSize } from '#context/replay/envelope.js';

/** The output of `ctx doctor --json`. */
export const doctorDocument = jsonDocument('ctx/doctor', {
  file: z.string(),
  /** The agent with its version, as sentences name it. */
  agent: z.string(),
  /** Whether it can go on, and what stops it. */
  goingOn: goingOnDocument,
  /** The errors and warnings that `ctx check` finds, by rule. */
  findings: z.record(z.string(), z.int()),
  /** The fill of the context, and the window of the model; null if that is unknown. */
  size: contextSize,
  limit: z.nullable(z.number()),
});

export type DoctorDocument = z.infer<typeof doctorDocument>;
