import type { JsonObject } from '#base/json.js';
import type { Conversation, ConversationWriter, PortableMessage } from '../../conversation.js';
import type { CopyStamps } from '../../copier.js';
import { buildBoundary, buildSummary, toNativeBlock, toPlainContent } from './new-records.js';

/** Writes conversations as sessions that `claude --resume` opens. */
export const claudeWriter: ConversationWriter = { marksFailures: true, write };

/** The version of Claude Code whose records these are. */
const VERSION = '2.1.332';

/**
 * The model of answers that the client itself wrote: no model of Anthropic gave those of another agent, and none is
 * charged.
 */
const NO_MODEL = '<synthetic>';

/** The records of a conversation are one chain. */
function* write({ cwd, title, messages }: Conversation, stamps: CopyStamps): Generator<JsonObject> {
  const { sessionId, newId } = stamps;
  let parentUuid: string | null = null;
  for (const message of messages) {
    for (const fields of toRecords(message, stamps)) {
      const uuid = newId();
      const { timestamp } = message;
      const place = { userType: 'external', entrypoint: 'cli', cwd, sessionId, version: VERSION };
      yield { parentUuid, isSidechain: false, ...fields, uuid, timestamp, ...place };
      parentUuid = uuid;
    }
  }
  if (title !== null) yield { type: 'custom-title', customTitle: title, sessionId };
}

function toRecords(message: PortableMessage, stamps: CopyStamps): readonly JsonObject[] {
  const content = message.content.map(toNativeBlock);
  switch (message.role) {
    case 'user':
      return message.isSummary
        ? [buildBoundary(0), buildSummary(toPlainContent(content))]
        : [toUserRecord(toPlainContent(content))];
    case 'assistant':
      return toAnswerRecords(content, stamps);
    case 'toolResult': {
      const result = { type: 'tool_result', tool_use_id: message.toolCallId, content: toPlainContent(content) };
      return [toUserRecord([message.isError ? { ...result, is_error: true } : result])];
    }
  }
}

function toUserRecord(content: unknown): JsonObject {
  return { type: 'user', message: { role: 'user', content } };
}

/** The client writes one record for each block of an answer, with the id of the answer in all of them. */
function toAnswerRecords(content: readonly JsonObject[], { newId }: CopyStamps): readonly JsonObject[] {
  const id = `msg_${newId().replaceAll('-', '')}`;
  const isCall = content.some(({ type }) => type === 'tool_use');
  const answer = {
    id,
    type: 'message',
    role: 'assistant',
    model: NO_MODEL,
    stop_reason: isCall ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  };
  return content.map((block) => ({ type: 'assistant', message: { ...answer, content: [block] } }));
}
