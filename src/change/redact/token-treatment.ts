import type { RecordMembers } from '#session/agents/record-members.js';
import type { JsonToken } from './json-tokens.js';

/**
 * The treatment of a token. `searched`: secrets in it are replaced. `structure`: the session depends on it, so it stays
 * unchanged. `opaque`: it is not text, so no part of it can be replaced.
 */
type Treatment = 'searched' | 'structure' | 'opaque';

export function findTreatment(token: JsonToken, members: RecordMembers): Treatment {
  const { kind, key, frame } = token;
  const { isFree, hasNames } = frame;
  const name = String(key);
  if (kind === 'key') return isFree || !members.isOfFormat(name) || hasNames ? 'searched' : 'structure';
  if (kind === 'number') return isFree ? 'searched' : 'structure';
  if (key === 'data' && frame.type !== null && members.images.has(frame.type)) return 'opaque';
  if (isFree) return 'searched';
  if (members.opaque.has(name)) return 'opaque';
  return members.links.has(name) && !hasNames ? 'structure' : 'searched';
}

/** The names of Pi's format. */
const FORMAT_KEYS: ReadonlySet<string> = new Set(
  (
    'type role id parentId timestamp targetId firstKeptEntryId firstKeptEntryIndex firstKeptMessageIndex fromId ' +
    'toolCallId responseId stopReason version cwd parentSession branchedFrom provider modelId model responseModel api ' +
    'thinkingLevel message messages content text textSignature thinking thinkingSignature thoughtSignature redacted ' +
    'name namespace arguments data mimeType summary details fromHook usage tokensBefore systemMessage customType display ' +
    'replacement label kind note schemaVersion transformerName patch title markdown sections toolsAdded toolsRemoved ' +
    'toolNames description parameters errorMessage durationMs toolName isError command output exitCode cancelled ' +
    'truncated fullOutputPath excludeFromContext input cacheRead cacheWrite cacheWrite1h reasoning reasoningTokens ' +
    'totalTokens cost total op scope invalidateCacheReason part parts tool tools options temperature maxTokens reason'
  ).split(' '),
);

/** The members of an entry of Pi. */
export const PI_MEMBERS: RecordMembers = {
  isOfFormat: (name) => FORMAT_KEYS.has(name),
  links: new Set(
    'type role id parentId timestamp targetId firstKeptEntryId fromId toolCallId responseId stopReason op scope'.split(
      ' ',
    ),
  ),
  // Signatures go back to the provider unchanged.
  opaque: new Set(['thinkingSignature', 'textSignature', 'thoughtSignature']),
  free: new Set(['arguments', 'details', 'data', 'parameters']),
  named: new Set(['sections']),
  images: new Set(['image']),
};
