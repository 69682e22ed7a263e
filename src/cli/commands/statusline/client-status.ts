import { asCount, asObject, asString, type JsonObject } from '#base/json.js';

/** The values that Claude Code passes to a status line. Null for one that a version does not pass. */
export interface ClientStatus {
  readonly transcript: string | null;
  /** Tokens of the newest prompt, and of the model's window. */
  readonly context: number | null;
  readonly window: number | null;
  /** The newest cache miss, which is passed since 2.1.251; null also if there was none. */
  readonly miss: { readonly time: number; readonly causes: readonly string[] } | null;
}

/** Reads the documented fields: https://code.claude.com/docs/en/statusline, as of 2.1.332. */
export function readClientStatus(input: JsonObject): ClientStatus {
  const {
    context_window_size: window,
    total_input_tokens: tokens,
    current_usage: usage,
  } = asObject(input.context_window);
  const { last_miss_at: missed, last_miss_cause: cause } = asObject(input.prompt_cache);
  const time = asCount(missed);
  return {
    transcript: asString(input.transcript_path),
    // Before the first answer, and after a compaction until the next one, the client passes no usage and zeros.
    context: usage === null ? null : asCount(tokens) || null,
    window: asCount(window) || null,
    miss: time === null ? null : { time: time * 1000, causes: listCauses(asObject(cause).causes) },
  };
}

function listCauses(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.flatMap((cause) => asString(cause) ?? []).slice(0, MOST_CAUSES) : [];
}

const MOST_CAUSES = 2;
