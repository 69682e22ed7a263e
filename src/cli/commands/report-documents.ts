import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';

/** Parts of the old file that are not in the new one. */
const lost = z.array(
  z.object({
    rule: z.string(),
    line: z.int(),
    offset: z.int(),
    /** Its length in the file of lost bytes. */
    length: z.int(),
  }),
);

/** The output of `ctx compact --json` if there is nothing to compact, or with `--if-needed` if none is due. */
export const compactionCheck = jsonDocument('ctx/compaction-check', {
  file: z.string(),
  needed: z.literal(false),
  /** In words. */
  why: z.string(),
  /** The size of the context as Pi counts it: the recorded usage if it is still valid; null if no recorded usage is. */
  tokens: z.nullable(z.number()),
  /** The size above which Pi compacts: the context window without the reserve; null if the window is unknown. */
  threshold: z.nullable(z.number()),
  /** The length of a last answer that was cut off, if Pi's decision depends on the model's unknown output limit; else null. */
  cutOffAt: z.nullable(z.number()),
});

/** The output of `ctx completion SHELL --json`. */
export const completionDocument = jsonDocument('ctx/completion', {
  shell: z.enum(['bash', 'zsh', 'fish', 'powershell']),
  /** To be read by the shell. */
  script: z.string(),
  /** Where `install` wrote the script. */
  file: z.optional(z.string()),
});

/** The output of `ctx completion SHELL --json -- WORD…`: the completions of the last word. */
export const candidatesDocument = jsonDocument('ctx/candidates', {
  /** In the order in which they are offered; a word is as the shell inserts it. */
  candidates: z.array(z.object({ word: z.string(), about: z.string() })),
  /** The files that the shell adds. */
  files: z.enum(['files', 'folders', 'none']),
});

/** The output of `ctx export -o --json`: the files that it has written. */
export const exportDocument = jsonDocument('ctx/export', {
  format: z.string(),
  /** The file or the folder that was named. */
  output: z.string(),
  /** That were read. */
  sessions: z.int(),
  files: z.array(
    z.object({
      file: z.string(),
      bytes: z.int(),
      /** null for a file that is not a table. */
      rows: z.nullable(z.int()),
    }),
  ),
});

/** The output of `ctx export --list --json`. */
export const exportFormatList = jsonDocument('ctx/export-formats', {
  formats: z.array(
    z.object({
      name: z.string(),
      /** One request, one path of a session, or tables of many sessions. */
      takes: z.enum(['request', 'session', 'tables']),
      summary: z.string(),
      /** Information that the format omits, one sentence each. */
      leavesOut: z.array(z.string()),
    }),
  ),
});

/** A session, and the new file that is made of it. */
const copied = {
  file: z.string(),
  /** The new file; null if nothing was written. */
  output: z.nullable(z.string()),
};

/** The output of `ctx extract --json`. */
export const extractionDocument = jsonDocument('ctx/extraction', {
  ...copied,
  /** Of the new session. */
  sessionId: z.string(),
  /** The ends of the extracted range; null for the root. */
  from: z.nullable(z.string()),
  to: z.nullable(z.string()),
  /** Entries of the path that are in the new file. */
  entries: z.int(),
  /** Entries that represent the context before `from`. */
  checkpoint: z.int(),
  /** Labels, which follow all other entries. */
  labels: z.int(),
  /** Entries of the path before `from`, of which the new file keeps only the context. */
  leftOut: z.int(),
  /** The context could only be kept with the whole path, so `from` was passed by. */
  tookWholePath: z.boolean(),
  /** In bytes. */
  newSize: z.int(),
});

/** The output of `ctx migrate --json`. Lines, offsets and lengths are those of the old file. */
export const migrationDocument = jsonDocument('ctx/migration', {
  file: z.string(),
  /** The version in the file; null for a value that is no number. */
  version: z.nullable(z.number()),
  /** Whether the request changes anything. */
  isNeeded: z.boolean(),
  /** Compactions without an equivalent transform. */
  legacyCompactions: z.int(),
  /** The new file; null if nothing was written. */
  output: z.nullable(z.string()),
  /** The copy of the old file, if the new one replaced it. */
  backup: z.nullable(z.string()),
  /** The file of lost bytes, one part after the other. */
  lostFile: z.nullable(z.string()),
  /** In bytes. */
  oldSize: z.int(),
  /** null for `--check`, which plans nothing. */
  newSize: z.nullable(z.int()),
  /** Lines that are not in the new file as they were. */
  changedLines: z.nullable(z.int()),
  /** Transforms that are new. */
  transforms: z.array(
    z.object({
      transformId: z.nullable(z.string()),
      /** The entry that it replaces or precedes. */
      entryId: z.nullable(z.string()),
      line: z.int(),
      /** `edit`: an edit acts in Pi on what a compaction has passed by, and the transform does that. */
      for: z.enum(['compaction', 'edit']),
      ops: z.array(z.string()),
    }),
  ),
  lost,
});

/** The output of `ctx redact --json`. */
export const redactionDocument = jsonDocument('ctx/redaction', {
  ...copied,
  /** In bytes. */
  oldSize: z.int(),
  newSize: z.int(),
  /** The number of replaced places, and of distinct values. */
  replaced: z.int(),
  values: z.int(),
  /** The number of places that stay, since the session's structure depends on them. */
  kept: z.int(),
  /** Damaged lines, which are replaced completely. */
  damagedLines: z.int(),
  replacements: z.array(
    z.object({
      line: z.int(),
      /** null for the header, and for lines that hold no entry. */
      entryId: z.nullable(z.string()),
      /** Such as `message.content[0].text`; null for a line that is damaged. */
      place: z.nullable(z.string()),
      /** The rule that found it, which names the kind of secret. */
      rule: z.string(),
      /** The secret with at most a quarter of its characters visible. */
      masked: z.string(),
      /** Its replacement; null if it stays. */
      placeholder: z.nullable(z.string()),
    }),
  ),
});

/** The output of `ctx --version --json`. */
export const versionDocument = jsonDocument('ctx/version', {
  version: z.string(),
  /** The version of Node.js that runs `ctx`. */
  node: z.string(),
});

/** The output of `ctx report --json`: the page that it has written. */
export const reportDocument = jsonDocument('ctx/report', {
  /** The session or the folder. */
  file: z.string(),
  output: z.string(),
  /** Of the page. */
  bytes: z.int(),
  sessions: z.int(),
  /** Of one session; null for a folder. */
  entries: z.nullable(z.int()),
  /** Along the path; null for a folder. */
  requests: z.nullable(z.int()),
  /** The size in bytes at which texts were truncated; null if none was. */
  textLimit: z.nullable(z.int()),
});

/** The output of `ctx repair --json`. Lines, offsets and lengths are those of the old file. */
export const repairDocument = jsonDocument('ctx/repair', {
  ...copied,
  /** The file of lost bytes, one part after the other; null if none was written. Empty if nothing is lost. */
  lostFile: z.nullable(z.string()),
  /** In bytes. */
  oldSize: z.int(),
  newSize: z.int(),
  repairs: z.array(
    z.object({
      /** The rule of the repaired finding. */
      rule: z.string(),
      /** The repair. */
      message: z.string(),
      /** The id that the entry had before. */
      entryId: z.nullable(z.string()),
      line: z.int(),
      /** Of the line or a part of it, in bytes. */
      offset: z.int(),
      length: z.int(),
    }),
  ),
  lost,
});

/** The output of `ctx import --json`. */
export const importDocument = jsonDocument('ctx/import', {
  ...copied,
  /** The name of the agent that wrote the file. */
  agent: z.string(),
  /** The version of the agent; null if it is not recorded. */
  agentVersion: z.nullable(z.string()),
  /** The id of the session, which it keeps. */
  sessionId: z.string(),
  /** The entries that the session has. */
  entries: z.int(),
  /** Histories that a compaction or an edit of the agent replaced, written out for Pi. */
  replacements: z.int(),
  /** The entries that this takes beside those of the session. */
  addedEntries: z.int(),
  /** Transforms that Pi ignores: the recorded prompts and tools. */
  ignoredTransforms: z.int(),
  /** Results of tool calls that come directly after their calls, where the agent recorded a message between. */
  movedResults: z.int(),
  /** The context window in tokens that the agent's file reveals, which a session of Pi does not have; null if it does not. */
  contextWindow: z.nullable(z.int()),
  /** Lines that are not part of a context. */
  unusedLines: z.int(),
  /** Damaged lines. */
  lostLines: z.int(),
  /** Entries whose parent is not in the file, as after a damaged line: a path begins with each. */
  lostParents: z.int(),
  /** In bytes. */
  newSize: z.int(),
});

/** The configurations that the user allows to act, and what happened to one of them. */
export const trustDocument = jsonDocument('ctx/trust', {
  /** The configuration that the command is about; null with `--list`. */
  file: z.nullable(z.string()),
  /** The acts that need a permission, each as a phrase. */
  acts: z.readonly(z.array(z.string())),
  /** Whether it may do that now. */
  allowed: z.boolean(),
  /** Every configuration that was allowed. */
  trusted: z.array(
    z.strictObject({
      file: z.string(),
      /** Whether its content is still what was allowed; after a change it may not act. */
      unchanged: z.boolean(),
    }),
  ),
});
