import { pluralize } from '#base/numbers.js';
import { toShellWord } from '#base/shell.js';
import { countSavedTokens } from '#change/plan/draft.js';
import type { PruneCheck } from '#change/prune/document.js';
import { commandLine, type Doc, line } from '#ui/doc/doc.js';
import { type Outcome, toOutcome } from '../define.js';
import type { PruneInput } from './flags.js';
import { type ContextToPrune, draftPrune, prepareChosen } from './plan-prune.js';
import { chooseStrategies, type ChosenStrategies } from './policy.js';

/** Reports why nothing is pruned. Where strategies were named, it says what those of the policy would save. */
export function reportNothingToPrune(
  input: PruneInput,
  context: ContextToPrune,
  { why, zone }: Pick<ChosenStrategies, 'zone'> & { readonly why: string },
): Outcome {
  const { flags } = input;
  const { session, envelope } = context;
  const { size, limit } = envelope.meta;
  const next = flags.strategy === undefined ? null : findPolicyPrune(input, context);
  const data: PruneCheck = {
    schema: 'ctx/prune-check',
    schemaVersion: 1,
    file: session.file,
    pruned: false,
    why,
    zone,
    tokens: size.tokens,
    limit,
    next,
  };
  const inZone = zone === null ? '' : ` in zone ${zone}`;
  const doc: Doc = [line(`nothing to prune${inZone}: ${why}`), ...renderPolicyPrune(next)];
  return toOutcome({ data, doc: () => doc }, session, flags['if-needed'] ? 1 : 0);
}

/** Finds what the strategies of the policy would save; null if they save nothing. */
function findPolicyPrune({ io, args, flags }: PruneInput, context: ContextToPrune): PruneCheck['next'] {
  const { envelope, active } = context;
  if (flags.zone === undefined && envelope.meta.limit === null) return null;
  const chosen = chooseStrategies(active.policy, envelope, { ...flags, strategy: undefined });
  if (chosen.strategies.length === 0) return null;
  const prune = prepareChosen(context, chosen, flags.as);
  if (prune.saved <= 0) return null;
  const tokensSaved = countSavedTokens(draftPrune(io, context, prune));
  return { tokensSaved, command: formatDryRun(args[0], flags) };
}

/** The command that shows what the strategies of the policy would do. */
function formatDryRun(name: string | undefined, flags: PruneInput['flags']): string {
  const words = ['ctx', 'prune'];
  if (name !== undefined) words.push(name);
  for (const flag of KEPT_FLAGS) {
    const value = flags[flag];
    if (value !== undefined) words.push(`--${flag}`, String(value));
  }
  if (flags['no-config']) words.push('--no-config');
  words.push('--dry-run');
  return words.map(toShellWord).join(' ');
}

/** The flags with a value that decide what the strategies of the policy do. */
const KEPT_FLAGS = ['at', 'zone', 'policy', 'limit', 'recent-turns', 'as', 'baseline', 'config'] as const;

function renderPolicyPrune(next: PruneCheck['next']): Doc {
  if (next === null) return [];
  return [
    line(`the strategies of the policy would save ~${pluralize(next.tokensSaved, 'token')}:`),
    commandLine('  ', next.command),
  ];
}
