import { isObject, type JsonObject } from '#base/json.js';
import { IMPORTED_FROM } from '../../scan/imported-from.js';

/** Tests whether oh-my-pi wrote a session that begins with these records. */
export function isOhMyPi(first: readonly JsonObject[]): boolean {
  if (first[0]?.['type'] === 'title' && first[0]['v'] === 1) return true;
  const [start] = first;
  // A conversion keeps entries of other agents.
  if (start?.['type'] !== 'session' || typeof start['id'] !== 'string' || IMPORTED_FROM in start) return false;
  if (OWN_HEADER_MEMBERS.some((name) => name in start)) return true;
  return first.some(isOwnEntry);
}

/** The types of entries that only oh-my-pi writes. */
export const OWN_TYPES: ReadonlySet<unknown> = new Set([
  'reset_boundary',
  'mode_change',
  'service_tier_change',
  'session_init',
  'title_change',
  'ttsr_injection',
  'credential_pin',
  'model_usage',
]);

/** The roles of messages that only oh-my-pi writes. */
export const OWN_ROLES: ReadonlySet<unknown> = new Set(['fileMention', 'pythonExecution', 'developer']);

/** The members of a header that only oh-my-pi writes. */
export const OWN_HEADER_MEMBERS = [
  'title',
  'titleSource',
  'additionalDirectories',
  'previousSessionFiles',
  'providerPromptCacheKey',
];

function isOwnEntry({ type, message, model, modelId, customType }: JsonObject): boolean {
  if (OWN_TYPES.has(type) || (type === 'custom' && customType === 'session_exit')) return true;
  if (type === 'model_change') return typeof model === 'string' && modelId === undefined;
  return type === 'message' && isObject(message) && OWN_ROLES.has(message['role']);
}
