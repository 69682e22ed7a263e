import type { ToolCall } from '#analysis/check/provider/tool-call.js';
import type { JsonObject } from '#base/json.js';
import { parseTimestamp } from '#base/time.js';
import type { RawId } from '#session/heads/head.js';

/** A result for a call that has none where it should be. */
export interface MissingResult {
  readonly id: string;
  readonly parentId: RawId;
  /** That of the entry of the call. */
  readonly timestamp: unknown;
  readonly call: ToolCall;
  /** The result, if it is too far from the call; null if it is lost. */
  readonly said: JsonObject | null;
}

/** The entry of a tool result, as Pi writes it. */
export function formatResultEntry({ id, parentId, timestamp, call, said }: MissingResult): string {
  const message = said ?? {
    role: 'toolResult',
    toolCallId: call.id,
    toolName: call.name ?? 'unknown',
    content: [{ type: 'text', text: LOST }],
    isError: true,
    timestamp: milliseconds(timestamp),
  };
  return JSON.stringify({ type: 'message', id, parentId, timestamp: stamp(timestamp), message });
}

const LOST = 'The result of this call is missing from the session file.';

interface OmittingEdit {
  readonly id: string;
  readonly parentId: RawId;
  readonly timestamp: unknown;
  readonly targetId: RawId;
}

/** An edit that takes an entry out of the context, as Pi writes it. */
export function formatOmittingEdit(edit: OmittingEdit): string {
  return editEntry(edit, null);
}

/** An edit that replaces the content of a message in the context, as Pi writes it. */
export function formatReplacingEdit({
  content,
  ...edit
}: OmittingEdit & { readonly content: readonly unknown[] }): string {
  return editEntry(edit, { content });
}

function editEntry({ id, parentId, timestamp, targetId }: OmittingEdit, replacement: unknown): string {
  return JSON.stringify({
    type: 'context_edit',
    id,
    parentId: parentId ?? null,
    timestamp: stamp(timestamp),
    targetId,
    replacement,
  });
}

/** No time is recorded, so it is the time of the entry before. */
function stamp(timestamp: unknown): string {
  return new Date(milliseconds(timestamp)).toISOString();
}

function milliseconds(timestamp: unknown): number {
  const time = parseTimestamp(timestamp);
  return Number.isNaN(time) ? 0 : time;
}
