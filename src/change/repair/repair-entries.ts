import type { ToolCall } from '#analysis/check/provider/tool-call.js';
import type { JsonObject } from '#base/json.js';
import { parseTimestamp } from '#base/time.js';
import type { RawId } from '#session/heads/head.js';

/** A call without a result after it. */
export interface MissingResult {
  readonly id: string;
  readonly parentId: RawId;
  /** The time of the entry of the call. */
  readonly timestamp: unknown;
  readonly call: ToolCall;
  /** The result, if it is too far from the call; null if the file has none. */
  readonly lateResult: JsonObject | null;
}

/** Formats the entry of a missing result as Pi would write it. */
export function formatResultEntry({ id, parentId, timestamp, call, lateResult }: MissingResult): string {
  const message = lateResult ?? {
    role: 'toolResult',
    toolCallId: call.id,
    toolName: call.name ?? 'unknown',
    content: [{ type: 'text', text: MISSING_RESULT }],
    isError: true,
    timestamp: toMilliseconds(timestamp),
  };
  return JSON.stringify({ type: 'message', id, parentId, timestamp: formatTimestamp(timestamp), message });
}

/** The text of a result in place of one that is missing. */
export const MISSING_RESULT = 'The result of this call is missing from the session file.';

interface OmittingEdit {
  readonly id: string;
  readonly parentId: RawId;
  readonly timestamp: unknown;
  readonly targetId: RawId;
}

/** An edit that omits an entry from the context, as Pi writes it. */
export function formatOmittingEdit(edit: OmittingEdit): string {
  return formatEdit(edit, null);
}

/** An edit that replaces the content of a message in the context, as Pi writes it. */
export function formatReplacingEdit({
  content,
  ...edit
}: OmittingEdit & { readonly content: readonly unknown[] }): string {
  return formatEdit(edit, { content });
}

function formatEdit({ id, parentId, timestamp, targetId }: OmittingEdit, replacement: unknown): string {
  return JSON.stringify({
    type: 'context_edit',
    id,
    parentId: parentId ?? null,
    timestamp: formatTimestamp(timestamp),
    targetId,
    replacement,
  });
}

function formatTimestamp(timestamp: unknown): string {
  return new Date(toMilliseconds(timestamp)).toISOString();
}

function toMilliseconds(timestamp: unknown): number {
  const time = parseTimestamp(timestamp);
  return Number.isNaN(time) ? 0 : time;
}
