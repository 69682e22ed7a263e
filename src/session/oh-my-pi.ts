import { isObject, type JsonObject } from '#base/json.js';
import { memoizeByObject } from '#base/memoize.js';
import type { Session } from './session.js';

/** The types of entries that only oh-my-pi writes. Apart from `reset_boundary`, they add nothing to the context. */
export const OH_MY_PI_TYPES: ReadonlySet<string> = new Set([
  'reset_boundary',
  'model_usage',
  'mode_change',
  'service_tier_change',
  'session_init',
  'title_change',
  'ttsr_injection',
  'credential_pin',
  'archive',
]);

/** The roles of messages that only oh-my-pi writes. */
export const OH_MY_PI_ROLES: ReadonlySet<string> = new Set(['fileMention', 'pythonExecution', 'developer']);

/** Tests whether oh-my-pi wrote a session, which has Pi's format with rules of its own: by what only oh-my-pi records. */
export const isOhMyPiSession = memoizeByObject((session: Session): boolean => {
  const { scan, header, tree, agent } = session;
  if (agent) return false;
  if (scan.titles.length > 0 || 'title' in header.fields) return true;
  const { heads } = tree;
  for (let index = 0; index < heads.length; index += 1)
    if (OH_MY_PI_TYPES.has(heads.typeAt(index) ?? '') || OH_MY_PI_ROLES.has(heads.roleAt(index) ?? '')) return true;
  const change = heads.ofType('model_change').next().value;
  return change !== undefined && typeof session.entry(change)['model'] === 'string';
});

/** The history with which a provider of OpenAI's kind replaced the messages, as oh-my-pi records it with a compaction. */
interface ReplacementHistory {
  readonly items: readonly JsonObject[];
  /** The last entry that the history covers; null if it covers all before the compaction. */
  readonly throughId: unknown;
}

/** The replacement history of a compaction; null for one that is only a summary. */
export function readReplacementHistory(compaction: JsonObject): ReplacementHistory | null {
  const { preserveData, providerReplayThroughEntryId } = compaction;
  const remote = isObject(preserveData) ? preserveData['openaiRemoteCompaction'] : null;
  if (!isObject(remote) || typeof remote['provider'] !== 'string' || !Array.isArray(remote['replacementHistory']))
    return null;
  return { items: remote['replacementHistory'].filter(isObject), throughId: providerReplayThroughEntryId ?? null };
}
