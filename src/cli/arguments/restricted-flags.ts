/**
 * Flags that a configuration cannot set, because they write or replace files, run a program, or send or show data: the
 * configuration may come with a folder from someone else.
 */
export const NEVER_DEFAULT: ReadonlySet<string> = new Set([
  'allow-content',
  'base-url',
  'config',
  'engine',
  'force',
  'hook',
  'in-place',
  'install',
  'key-from',
  'model-command',
  'no-config',
  'open',
  'output',
  'plan',
  'print-config',
  'questions',
  'root',
  'shell',
  'show-secrets',
  'side-files',
  'snapshot',
  'summarizer',
  'summarizer-command',
  'summary',
  'to',
  'update',
  'write',
  'write-baseline',
  'write-known',
  'yes',
]);

/** Flags that instruct a model, which only a configuration that the user has allowed can set. */
export const NEEDS_TRUST: ReadonlySet<string> = new Set(['instructions']);
