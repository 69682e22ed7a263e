import { Buffer } from 'node:buffer';
import { CtxError } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import { type OpenSession, toOpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { ConversationWriter, PortableMessage } from '#session/agents/conversation.js';
import type { CopyStamps } from '#session/agents/copier.js';
import { findCopier, findFormat } from '#session/agents/index.js';
import { readAgentSession } from '#session/agents/reader.js';
import { toByteSource } from '#session/scan/byte-source.js';
import { findMessageDifference } from '../copy/build-copy.js';
import { readForCopy } from '../copy/session-to-copy.js';
import { type CarriedMessages, carryMessages } from './carry-messages.js';

/** A session that was converted, and read again. */
export interface ConvertedSession extends CarriedMessages {
  readonly bytes: Uint8Array;
  /** The context that the new session shows. */
  readonly context: ContextEnvelope;
}

/**
 * Writes the context at the leaf of a session as a session of another agent, and reads it again: its messages are the carried
 * ones. `cwd`: the working directory of a session that records none. Throws a CtxError (refused) if no message is left, or if
 * the new session would show other ones.
 */
export async function convertSession(
  session: OpenSession,
  writer: ConversationWriter,
  stamps: CopyStamps,
  cwd: string,
): Promise<ConvertedSession> {
  const source = await dropRequests(session);
  const envelope = buildEnvelope(source, source.tree.leaf);
  const { marksFailures } = writer;
  const from = findFormat(session);
  const carried = carryMessages(source, envelope, { from, marksFailures, timestamp: stamps.timestamp });
  const { messages } = carried;
  if (messages.length === 0) {
    throw new CtxError('refused', 'the session has no message that another agent can go on with', {
      where: session.file,
      hint: 'ctx show prints what it has',
    });
  }
  const { name: title, cwd: own } = envelope.session;
  const records = writer.write({ cwd: own || cwd, title, messages }, stamps);
  const bytes = Buffer.concat(Array.from(records, (record) => Buffer.from(`${JSON.stringify(record)}\n`)));
  const read = readAgentSession(toByteSource(bytes), session.file);
  const converted = read && (await toOpenSession(read));
  const context = converted && buildEnvelope(converted, converted.tree.leaf);
  const difference = context
    ? findMessageDifference(messages.map(toJson), context.messages.cached)
    : 'it has no messages';
  if (context && difference === null) return { ...carried, bytes, context };
  throw new CtxError('refused', `the new session would not show the converted messages: ${difference}`, {
    where: session.file,
    hint: 'report this with the version of ctx, please; nothing was written',
  });
}

function toJson(message: PortableMessage): JsonObject {
  return { ...message };
}

/**
 * A session without the requests that its client recorded, which join what the client says to the words of the user.
 */
async function dropRequests(session: OpenSession): Promise<OpenSession> {
  const copier = findCopier(session);
  if (!copier) return session;
  for (const { value } of session.native?.all() ?? []) {
    if (copier.records.isDerived(value)) return readForCopy(session, copier);
  }
  return session;
}
