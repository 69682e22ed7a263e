import { sumBy } from '#base/lists.js';
import { toShellWord } from '#base/shell.js';
import { estimateTokens } from '#change/compact/estimate.js';
import { prepareCompaction } from '#change/compact/prepare.js';
import { preparePrune } from '#change/prune/prepare.js';
import { readCompactionSettings } from '#cli/config/compaction-settings.js';
import type { OpenSession } from '#context/open.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { Io } from '#platform/io.js';
import type { Head } from '#session/heads/head.js';
import type { FlagValues } from '../flags.js';
import type { ChosenStrategies, policyFlags } from '../prune/policy.js';
import type { Suggestion, ZoneStatus } from './context-status.js';

/** The flags that decide what a prune does, as they decide what its zone is. */
const PRUNE_FLAGS = ['policy', 'baseline', 'config'] as const;

/** The context for which commands are suggested. */
export interface SuggestionSource {
  /** The session, as the user named it. */
  readonly name: string;
  readonly session: OpenSession;
  readonly path: readonly Head[];
  readonly envelope: ContextEnvelope;
  readonly zoned: ZoneStatus;
  readonly chosen: ChosenStrategies;
  readonly flags: Pick<FlagValues<typeof policyFlags>, (typeof PRUNE_FLAGS)[number]>;
}

/** Lists the commands that show what the policy asks for, write nothing, and find something to do. */
export async function suggestCommands(io: Io, source: SuggestionSource): Promise<readonly Suggestion[]> {
  const { flags } = source;
  const { mode, window } = source.zoned;
  if (mode === 'watch') return [];
  const limit = window.source === 'supplied' ? ` --limit ${window.tokens}` : '';
  const pruneFlags = PRUNE_FLAGS.flatMap((flag) =>
    flags[flag] === undefined ? [] : ` --${flag} ${toShellWord(flags[flag])}`,
  );
  const toSuggestion = (command: Suggestion['name'], rest: string): Suggestion => {
    return { name: command, line: `ctx ${command} ${toShellWord(source.name)}${rest} --dry-run` };
  };
  const prune = canPrune(source) ? [toSuggestion('prune', limit + pruneFlags.join(''))] : [];
  const keepFlag = mode === 'prune' ? null : await chooseKeepFlag(io, source);
  return keepFlag === null ? prune : [toSuggestion('compact', keepFlag), ...prune];
}

/** Whether `ctx prune` finds something that can go. */
function canPrune({ session, path, envelope, chosen }: SuggestionSource): boolean {
  const { policy, zone, strategies } = chosen;
  return preparePrune(session, { path, envelope, policy, zone, strategies }).saved > 0;
}

/**
 * Chooses the flag with which a compaction cuts: none where Pi would cut, else one that keeps half of the messages.
 * Returns null if nothing can be compacted.
 */
async function chooseKeepFlag(io: Io, { session, path }: SuggestionSource): Promise<string | null> {
  const { keepRecentTokens } = await readCompactionSettings(io, session, path, {});
  const request = { path, keepsPairs: true };
  if (prepareCompaction(session, { ...request, keepRecentTokens })) return '';
  const all = prepareCompaction(session, { ...request, keepRecentTokens: 1 });
  if (!all) return null;
  const tokens = sumBy([...all.messagesToSummarize, ...all.turnPrefixMessages], estimateTokens);
  const half = Math.max(1, Number((tokens / 2).toPrecision(1)));
  const fewer = prepareCompaction(session, { ...request, keepRecentTokens: half }) ? half : 1;
  return ` --keep-recent ${fewer}`;
}
