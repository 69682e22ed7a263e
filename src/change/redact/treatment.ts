import type { Token } from './json-tokens.js';

/**
 * What is done with a token. `searched`: secrets in it are replaced. `structure`: the session hangs on it, so it stays
 * as it is. `opaque`: it is no text, and nobody can change a part of it.
 */
export type Treatment = 'searched' | 'structure' | 'opaque';

export function treatmentOf(token: Token): Treatment {
  const { kind, key, frame } = token;
  const { isFree, hasNames } = frame;
  if (kind === 'key') return isFree || !KEYS.has(String(key)) || hasNames ? 'searched' : 'structure';
  if (kind === 'number') return isFree ? 'searched' : 'structure';
  if (key === 'data' && frame.type === 'image') return 'opaque';
  if (isFree) return 'searched';
  if (SIGNATURES.has(String(key))) return 'opaque';
  return STRUCTURE.has(String(key)) && !hasNames ? 'structure' : 'searched';
}

/** Given back to the provider as they came; nobody else can read them. */
const SIGNATURES: ReadonlySet<string> = new Set(['thinkingSignature', 'textSignature', 'thoughtSignature']);

/** Keys whose values link or tell apart entries, messages, calls and ops. */
const STRUCTURE: ReadonlySet<string> = new Set(
  'type role id parentId timestamp targetId firstKeptEntryId fromId toolCallId responseId stopReason op scope'.split(
    ' ',
  ),
);

/** The keys of the format. */
export const KEYS: ReadonlySet<string> = new Set(
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
