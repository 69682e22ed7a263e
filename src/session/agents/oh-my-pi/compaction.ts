import { asObject, asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import type { RawId } from '../../heads/head.js';
import { toCodexMessages } from '../codex/messages.js';

/**
 * Builds a compaction as it is replayed. Instead of its summary it may have the history that a provider of OpenAI's
 * kind made of the messages, or the text that a compaction into images left.
 */
export function buildCompaction(entry: JsonObject, time: number): JsonObject {
  const { preserveData, ...fields } = entry;
  const kept = asObject(preserveData);
  const remote = readRemote(kept['openaiRemoteCompaction']);
  const keepsAfter = findKeptAfter(entry);
  const common = { ...fields, ...(keepsAfter !== undefined && { keepsAfter }) };
  if (remote) {
    const history = toCodexMessages(remote.items, { provider: remote.provider, model: 'unknown', time });
    return { ...common, history };
  }
  const archive = kept['snapcompact'];
  if (!isObject(archive)) return common;
  return { ...common, summary: joinArchive(asString(entry['summary']) ?? '', archive), sentVerbatim: true };
}

/**
 * The entry after which the messages of a compaction are kept; null keeps none, and undefined is up to
 * `firstKeptEntryId`.
 */
export function findKeptAfter({ preserveData, firstKeptEntryId, providerReplayThroughEntryId }: JsonObject): RawId {
  const kept = asObject(preserveData);
  const through = asString(providerReplayThroughEntryId) || null;
  if (readRemote(kept['openaiRemoteCompaction'])) return through;
  const { provider, content } = asObject(kept['anthropicCompaction']);
  const isNative = Boolean(asString(provider)) && Boolean(asString(content));
  return isNative && firstKeptEntryId === '' ? through : undefined;
}

function readRemote(value: unknown): { readonly provider: string; readonly items: readonly JsonObject[] } | null {
  const { provider, replacementHistory } = asObject(value);
  if (typeof provider !== 'string' || provider === '' || !Array.isArray(replacementHistory)) return null;
  return replacementHistory.every(isObject) ? { provider, items: replacementHistory } : null;
}

/** The summary of a compaction into images, with the texts before and after them. */
function joinArchive(summary: string, { text, textHead, textTail, frames }: JsonObject): string {
  const images = listObjects(frames).length;
  const parts = [
    summary,
    asString(textHead) ?? '',
    images > 0 ? `[${images} images of the older messages]` : (asString(text) ?? ''),
    asString(textTail) ?? '',
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}
