import { CtxError } from '#base/errors.js';
import { asString, isObject, type JsonObject, parseJson } from '#base/json.js';
import type { Io } from '#platform/io.js';

/**
 * The members of a hook's input that `ctx` reads, from Claude Code or Codex. Codex has no file for a session that it
 * does not save.
 */
export interface HookInput {
  readonly event: string;
  readonly sessionId: string;
  readonly transcript: string | null;
  readonly agent: 'claude-code' | 'codex';
  /** All fields of the event, such as the tool and its input. */
  readonly fields: JsonObject;
}

/** Reads the JSON object that an agent writes to standard input. Throws a CtxError (input) for anything else. */
export async function readAgentInput(io: Pick<Io, 'files' | 'canAsk'>): Promise<JsonObject> {
  if (io.canAsk()) throw buildInputError('an agent runs this command, and writes JSON to its standard input');
  const source = await io.files.open('-');
  const text = new TextDecoder().decode(source.read(0, source.size));
  const value = parseJson(text);
  if (!isObject(value)) throw buildInputError('the standard input is not a JSON object');
  return value;
}

/** Reads the input of a hook. Throws a CtxError (input) for anything else. */
export async function readHookInput(io: Pick<Io, 'files' | 'canAsk'>): Promise<HookInput> {
  const fields = await readAgentInput(io);
  const event = asString(fields.hook_event_name);
  if (event === null) throw buildInputError('the standard input is not that of a hook: it has no "hook_event_name"');
  return {
    event,
    sessionId: asString(fields.session_id) ?? '',
    transcript: asString(fields.transcript_path),
    // Codex numbers its turns; Claude Code has no such field.
    agent: 'turn_id' in fields ? 'codex' : 'claude-code',
    fields,
  };
}

function buildInputError(message: string): CtxError {
  return new CtxError('input', message, { hint: 'see docs/use/guard.md for the settings of the agent' });
}
