import * as z from 'zod/mini';

/** The output of `ctx completion SHELL --json`. */
export const completionReport = z.object({
  schema: z.literal('ctx/completion'),
  schemaVersion: z.literal(1),
  shell: z.enum(['bash', 'zsh', 'fish', 'powershell']),
  /** To be read by the shell. */
  script: z.string(),
  /** Where `install` wrote the script. */
  file: z.optional(z.string()),
});

/** The output of `ctx completion SHELL --json -- WORD…`: the completions of the last word. */
export const candidatesReport = z.object({
  schema: z.literal('ctx/candidates'),
  schemaVersion: z.literal(1),
  /** In the order in which they are offered; a word is as the shell inserts it. */
  candidates: z.array(z.object({ word: z.string(), about: z.string() })),
  /** The files that the shell adds. */
  files: z.enum(['files', 'folders', 'none']),
});
