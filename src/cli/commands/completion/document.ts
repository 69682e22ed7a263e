import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';

/** The output of `ctx completion SHELL --json`. */
export const completionDocument = jsonDocument('ctx/completion', {
  shell: z.enum(['bash', 'zsh', 'fish', 'powershell']),
  /** The script that the shell reads. */
  script: z.string(),
  /** The file that `install` wrote the script to. */
  file: z.optional(z.string()),
});

export type CompletionDocument = z.infer<typeof completionDocument>;

/** The output of `ctx completion SHELL --json -- WORD…`: the completions of the last word. */
export const candidatesDocument = jsonDocument('ctx/candidates', {
  /** The candidates in the order in which they are offered. A word is as the shell inserts it. */
  candidates: z.array(z.object({ word: z.string(), about: z.string() })),
  /** The files that the shell adds. */
  files: z.enum(['files', 'folders', 'none']),
});

export type CandidatesDocument = z.infer<typeof candidatesDocument>;
