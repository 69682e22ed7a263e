import * as z from 'zod/mini';
import { baseline } from './context/baseline.js';
import { contextEnvelope } from './context/envelope.js';
import { patch } from './ops/index.js';

/** One line of `ctx show --each`. */
const envelopeLine = z.object({
  schema: z.literal('ctx/envelope-line'),
  schemaVersion: z.literal(1),
  entryId: z.nullable(z.string()),
  line: z.int(),
  type: z.nullable(z.string()),
  envelopeSha256: z.string(),
  tokens: z.int(),
  messages: z.int(),
});

/** An error, as `--json` prints it on stderr. */
export const errorReport = z.object({
  schema: z.literal('ctx/error'),
  schemaVersion: z.literal(1),
  kind: z.enum(['usage', 'input', 'refused', 'bug']),
  what: z.string(),
  where: z.nullable(z.string()),
  hint: z.nullable(z.string()),
  exitCode: z.int(),
});

/** The JSON that ctx prints and reads, by the name of its published JSON Schema. */
export const schemas = {
  envelope: contextEnvelope,
  'envelope-line': envelopeLine,
  error: errorReport,
  baseline,
  patch,
};

export type EnvelopeLine = z.infer<typeof envelopeLine>;
export type ErrorReport = z.infer<typeof errorReport>;
