import type { Problem, Severity } from '#base/errors.js';
import { asCount, type JsonObject } from '#base/json.js';
import type { LineSpan } from '../scan/lines.js';

/** The fields of a session that its agent recorded. */
interface RecordedHeader {
  readonly id: string | null;
  readonly timestamp: string | null;
  readonly cwd?: unknown;
  readonly parentSession?: unknown;
}

/** Pi's header of a session, with those of its fields that an agent recorded. */
export function buildPiHeader({ id, timestamp, cwd, parentSession }: RecordedHeader): JsonObject {
  return {
    type: 'session',
    version: 3,
    id,
    timestamp: timestamp ?? '',
    ...(typeof cwd === 'string' ? { cwd } : {}),
    ...(typeof parentSession === 'string' ? { parentSession } : {}),
  };
}

/** A problem of some lines. Their entry is not named. */
export function buildSpanProblem(span: LineSpan, code: string, severity: Severity, message: string): Problem {
  return { code, severity, message, line: span.line, offset: span.offset, length: span.length, entryId: null };
}

/** A block of text in Pi's format. */
export function toTextBlock(text: string): JsonObject {
  return { type: 'text', text };
}

/** The block of an image in a data URL; null for any other address. */
export function parseImageUrl(url: string): JsonObject | null {
  const [, mimeType, data] = /^data:(image\/[\w.+-]+);base64,(.*)$/s.exec(url) ?? [];
  return data ? { type: 'image', data, mimeType } : null;
}

/** The result of a call that ended without one. The client says so in words of its own, which are not recorded. */
export function buildMissingResult(toolCallId: string, toolName: string, time: number): JsonObject {
  const content = [toTextBlock('[the client reports that the call was interrupted]')];
  return { role: 'toolResult', toolCallId, toolName, content, isError: true, timestamp: time };
}

/** A number of tokens that a file records; 0 for any other value. */
export function toTokens(value: unknown): number {
  return Math.max(0, asCount(value) ?? 0);
}

/** The fields of a transform that replaces all messages, as agents do that record the history after a compaction. */
export function buildReplacement(messages: readonly JsonObject[], transformerName = 'compaction'): JsonObject {
  const op = { op: 'messages_cached_replace', scope: 'cached', invalidateCacheReason: transformerName, messages };
  return { schemaVersion: 1, transformerName, patch: [op] };
}

/** The fields of a transform that declares the system prompt. `reason`: why it breaks the cache. */
export function buildPromptDeclaration(text: string, reason = 'the prompt of the request'): JsonObject {
  const parts = [{ name: 'system', text }];
  const op = { op: 'system_parts_replace', scope: 'cached', invalidateCacheReason: reason, parts };
  return { schemaVersion: 1, transformerName: 'declaration', patch: [op] };
}

/** The reason why an answer with this content ended, where the client records none. */
export function inferStopReason(content: readonly JsonObject[]): string {
  return content.some(({ type }) => type === 'toolCall') ? 'toolUse' : 'stop';
}
