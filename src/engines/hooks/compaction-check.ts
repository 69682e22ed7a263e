import type { CompactionSettings } from '#change/compact/settings.js';
import { type OverflowRecovery, recoveryAt, type Trigger, triggerAt } from '#change/compact/triggers.js';
import { countTokens } from '#context/replay/tokens.js';
import { windowAt } from '#context/size/size.js';
import { type WindowOptions } from '#context/size/window.js';
import type { HookedPath } from './hooked-path.js';

/** Whether Pi would compact at a step of the pipeline. */
export interface HookCompactionCheck extends Pick<Trigger, 'reason' | 'tokens' | 'threshold'> {
  readonly isEnabled: boolean;
  /** Hooks have changed the envelope, so what a provider reported does not hold: `tokens` is an estimate of it. */
  readonly isEstimated: boolean;
  /** Of an overflow; null without one. */
  readonly recovery: OverflowRecovery | null;
}

/** Pi's rule for the context as hooks have left it. */
export function checkCompaction(
  hooked: HookedPath,
  { settings, window }: { readonly settings: CompactionSettings; readonly window: WindowOptions },
): HookCompactionCheck {
  const { session, heads: path, isChanged, readPatch } = hooked;
  const contextWindow = windowAt(session, path, window).tokens;
  const found = triggerAt(session, { path, contextWindow, maxOutput: null, settings, readPatch });
  const { reason, tokens, threshold } = isChanged ? estimated(found, countTokens(hooked.content()).total) : found;
  const recovery = reason === 'overflow' ? recoveryAt(session, path) : null;
  return { isEnabled: settings.enabled, reason, tokens, threshold, isEstimated: isChanged, recovery };
}

function estimated({ reason, threshold }: Trigger, tokens: number): Pick<Trigger, 'reason' | 'tokens' | 'threshold'> {
  if (reason === 'overflow') return { reason, tokens, threshold };
  return { reason: threshold !== null && tokens > threshold ? 'threshold' : null, tokens, threshold };
}
