import type { FlagHelp } from '#cli/arguments/command-flags.js';
import type { Command } from '../define.js';

/** The kinds of words on a line. */
export type WordKind =
  | 'nothing'
  | 'file'
  | 'folder'
  | 'session'
  | 'revision'
  /** Several, separated by commas. */
  | 'revisions'
  /** A revision, or two of them as A..B. */
  | 'range'
  | 'session or range'
  | 'agents'
  | 'rules'
  | 'rules and groups'
  | 'strategies'
  /** A built-in engine, or a file. */
  | 'engines'
  /** `isList`: several of them, separated by commas. */
  | { readonly choices: readonly string[]; readonly isList?: true };

/** The kind of a flag's value. */
export function findFlagKind({ name, placeholder, choices, list }: FlagHelp): WordKind {
  if (list) return { choices: list, isList: true };
  if (choices) return { choices };
  if (name === 'agent') return 'agents';
  if (name === 'rules') return 'rules and groups';
  if (name === 'strategy') return 'strategies';
  if (name === 'type') return WORD_KINDS.TYPE ?? 'nothing';
  return WORD_KINDS[placeholder ?? ''] ?? 'nothing';
}

/** The kinds by the word for a value, or by the name of an argument. */
export const WORD_KINDS: Readonly<Record<string, WordKind>> = {
  DIR: 'folder',
  FILE: 'file',
  'NAME|FILE': 'engines',
  REV: 'revision',
  REVS: 'revisions',
  ROLE: { choices: ['user', 'assistant', 'toolResult', 'bashExecution', 'custom', 'branchSummary', 'system'] },
  RULE: 'rules',
  STRATEGY: 'strategies',
  TYPE: {
    choices: [
      'message',
      'compaction',
      'branch_summary',
      'custom_message',
      'context_edit',
      'context_transform',
      'ephemeral',
      'label',
      'model_change',
      'thinking_level_change',
      'session_info',
      'usage',
      'custom',
    ],
  },
  engine: 'engines',
  configuration: 'file',
  files: 'session',
  folder: 'folder',
  patch: 'file',
  range: 'range',
  rev: 'range',
  revision: 'range',
  session: 'session',
  sessions: 'session',
  what: 'session or range',
};

/** The kind of the argument at a place, counted from 0. */
export function findArgumentKind({ args }: Command, at: number): WordKind {
  const last = args.at(-1);
  const arg = args[at] ?? (last?.isMany ? last : undefined);
  if (arg?.choices) return { choices: arg.choices };
  return WORD_KINDS[arg?.name ?? ''] ?? 'nothing';
}
