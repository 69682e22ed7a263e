import { isObject, type JsonObject, listObjects } from '#base/json.js';
import { openSession, type OpenSession } from '#context/open.js';
import { buildEnvelope, replayContext } from '#context/replay/build-envelope.js';
import { copyHead } from '#session/heads/head.js';
import { bytesAccountedFor } from '#session/scan/scan.js';
import { bytes } from '../../../support/entries.js';
import type { Conversation, Message, TestedAgent } from './define.js';

export function open(content: string | Uint8Array): Promise<OpenSession> {
  return openSession(typeof content === 'string' ? bytes(content) : content);
}

/** The messages of the context at the leaf, without what only `ctx` adds to them. */
export function readMessages(session: OpenSession): readonly JsonObject[] {
  return replayContext(session, session.tree.leaf).messages.cached.map((message) => {
    const { role, toolCallId, toolName, isError } = message as JsonObject;
    const { content } = message as JsonObject;
    const texts = typeof content === 'string' ? [content] : listObjects(content).flatMap(toTexts);
    return role === 'toolResult' ? { role, toolCallId, toolName, isError, texts } : { role, texts };
  });
}

function toTexts({ type, text, thinking, id, name, arguments: input }: JsonObject): readonly unknown[] {
  return type === 'toolCall' ? [id, name, JSON.stringify(input)] : [thinking ?? text];
}

/** The messages of a conversation, as {@link readMessages} has those of a session. */
export function listExpected({ messages }: Conversation, agent: TestedAgent): readonly JsonObject[] {
  return messages.flatMap((message) => toExpected(message, agent.lacks ?? []));
}

function toExpected(message: Message, lacks: NonNullable<TestedAgent['lacks']>): readonly JsonObject[] {
  const { role, text } = message;
  if (role === 'user') return [{ role, texts: [text] }];
  if (role === 'assistant') {
    const { thinking, call } = message;
    const calls = call && !lacks.includes('calls') ? [call.id, call.name, JSON.stringify(call.input)] : [];
    return [{ role, texts: [...(lacks.includes('thinking') ? [] : [thinking]), text, ...calls] }];
  }
  if (lacks.includes('calls')) return [];
  const { id: toolCallId, name: toolName } = message.call;
  const isError = !lacks.includes('failures') && message.isError;
  return [{ role, toolCallId, toolName, isError, texts: [text] }];
}

/** Everything that a session tells, for a comparison with another reading of the same content. */
export function describeSession(session: OpenSession): unknown {
  const { tree, scan, problems, header, agent } = session;
  return {
    header,
    agent: agent && { ...agent, branchAt: agent.branchAt?.(Infinity), versionAt: agent.versionAt?.(Infinity) },
    problems,
    leaf: tree.leaf?.index,
    heads: Array.from(tree.heads, copyHead),
    entries: Array.from(tree.heads, (head) => session.entry(head)),
    blanks: scan.blanks,
    damaged: scan.damaged,
  };
}

/** Reads all of a session. Returns where it breaks a law that holds for any content. */
export function listFaults(session: OpenSession): readonly string[] {
  const faults: string[] = [];
  if (bytesAccountedFor(session.scan) !== session.scan.size) faults.push('the sum of all spans is not the size');
  const ids = new Set<unknown>();
  for (const head of session.tree.heads) {
    const entry = session.entry(head);
    if (!isObject(entry) || entry['id'] !== head.id || entry['type'] !== head.type)
      faults.push(`entry ${head.index} is not that of its head`);
    ids.add(head.id);
  }
  if (ids.size !== session.tree.heads.length) faults.push('two entries have one id');
  JSON.stringify(buildEnvelope(session, session.tree.leaf));
  return faults;
}
