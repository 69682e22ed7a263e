import type { JsonToken } from './json-tokens.js';

/**
 * The treatment of a token. `searched`: secrets in it are replaced. `structure`: the session depends on it, so it stays
 * unchanged. `opaque`: it is not text, so no part of it can be replaced.
 */
type Treatment = 'searched' | 'structure' | 'opaque';

export function findTreatment(token: JsonToken): Treatment {
  const { kind, key, frame } = token;
  const { isFree, hasNames } = frame;
  if (kind === 'key') return isFree || !FORMAT_KEYS.has(String(key)) || hasNames ? 'searched' : 'structure';
  if (kind === 'number') return isFree ? 'searched' : 'structure';
  if (key === 'data' && frame.type === 'image') return 'opaque';
  if (isFree) return 'searched';
  if (SIGNATURES.has(String(key))) return 'opaque';
  return STRUCTURE.has(String(key)) && !hasNames ? 'structure' : 'searched';
}

/** Signatures, which go back to the provider unchanged, and which only the provider can read. */
const SIGNATURES: ReadonlySet<string> = new Set(['thinkingSignature', 'textSignature', 'thoughtSignature']);

/** Keys whose values link or tell apart entries, messages, calls and ops. */
const STRUCTURE: ReadonlySet<string> = new Set(
  'type role id parentId timestamp targetId firstKeptEntryId fromId toolCallId responseId stopReason op scope'.split(
    ' ',
  ),
);

/** The keys of the format. */
export const FORMAT_KEYS: ReadonlySet<string> = new Set(
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
