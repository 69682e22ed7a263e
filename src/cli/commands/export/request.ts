import { readMessageText } from '#analysis/facts/text.js';
import { isEncryptedSummary } from '#analysis/loss/hollow.js';
import { buildWarning, CtxError, type Problem } from '#base/errors.js';
import { asString, listObjects } from '#base/json.js';
import { pluralize } from '#base/numbers.js';
import { moveResultsToCalls } from '#change/migrate/result-order.js';
import { envelopeAt } from '#context/envelope-at.js';
import { findAssumedWindow } from '#context/models/registry.js';
import type { OpenSession } from '#context/open.js';
import type { EnvelopeOptions } from '#context/replay/build-envelope.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { omitTools } from '#context/replay/system-messages.js';
import type { AgentOrigin } from '#session/agents/define.js';
import { resolveRevision } from '#session/tree/revision.js';
import type { ExportedRequest, RequestFormat, RequestToExport } from './formats/define.js';
import { exportFormats } from './formats/index.js';
import openaiResponses from './formats/openai-responses.js';

/** The entry of a request, its context, and how a provider is asked. */
type RequestChoice = EnvelopeOptions &
  Partial<Pick<RequestToExport, 'model' | 'maxTokens'>> & { readonly revision?: string | undefined };

/** Writes the request at an entry in a format. A tool without an implementation is not sent. */
export function formatRequest(
  session: OpenSession,
  format: RequestFormat,
  choice: RequestChoice,
): ExportedRequest & { readonly sent: ContextEnvelope } {
  const { revision = 'HEAD', model, maxTokens, ...options } = choice;
  const at = resolveRevision(session, revision);
  const envelope = envelopeAt(session, revision, options);
  const sent = format.isPayload ? toSentEnvelope(envelope, session) : envelope;
  const { pieces, problems } = format.write({ session, at, envelope: sent, model, maxTokens });
  const { agent } = session;
  const others =
    format.isPayload && agent ? [...listMovedResults(sent, envelope), ...listMissing(sent, agent, format.name)] : [];
  return { pieces, problems: [...envelope.meta.diagnostics, ...problems, ...others], sent };
}

/** A context as a provider accepts it: in that of another agent, results come directly after their calls. */
function toSentEnvelope(context: ContextEnvelope, { agent }: OpenSession): ContextEnvelope {
  const envelope = omitTools(context, context.meta.toolsWithoutImplementation);
  if (!agent) return envelope;
  const { messages } = envelope;
  return { ...envelope, messages: { ...messages, cached: moveResultsToCalls(messages.cached) } };
}

function listMovedResults({ messages: { cached } }: ContextEnvelope, recorded: ContextEnvelope): readonly Problem[] {
  const moved = cached.filter((message, at) => {
    return message.role === 'toolResult' && message !== recorded.messages.cached[at];
  });
  const results = pluralize(moved.length, 'result');
  if (moved.length === 0) return [];
  return [
    buildWarning('moved-results', `${results} placed directly after the call, before a message recorded between`),
  ];
}

/** Warnings about what another agent did not record, or not in a form that the request can have. */
function listMissing(
  { system, tools, options, messages, meta }: ContextEnvelope,
  { parts, title }: AgentOrigin,
  format: string,
): readonly Problem[] {
  const isMissing = {
    'the system prompt': system.parts.length === 0 && parts.system !== 'recorded',
    'the tools': tools.length === 0 && parts.tools !== 'recorded',
    'the thinking level': meta.thinkingLevel === 'unknown' && typeof options.reasoning !== 'string',
  };
  const names = Object.entries(isMissing).flatMap(([name, isSo]) => (isSo ? [name] : []));
  const sealed = format === openaiResponses.name ? 0 : messages.cached.filter(isEncrypted).length;
  return [
    ...(names.length === 0 ? [] : [warnNotRecorded(title, names)]),
    ...(messages.cached.some((message) => isEncryptedSummary(readMessageText(message))) ? [ENCRYPTED_SUMMARY] : []),
    ...(sealed === 0 ? [] : [buildWarning('encrypted-thinking', `${pluralize(sealed, 'answer')} ${ENCRYPTED}`)]),
  ];
}

function warnNotRecorded(title: string, names: readonly string[]): Problem {
  const list = new Intl.ListFormat('en').format(names);
  return buildWarning('not-recorded', `${title} did not record ${list}, so the request lacks them: see --baseline`);
}

const ENCRYPTED_SUMMARY = buildWarning(
  'encrypted-summary',
  'a summary is encrypted in the file: the request has a note with its length instead',
);

/** Whether an answer has thinking that only the Responses API can read. */
function isEncrypted({ content }: LlmMessage): boolean {
  return listObjects(content).some(({ type, thinkingSignature }) => {
    return type === 'thinking' && asString(thinkingSignature)?.includes('"encrypted_content"');
  });
}

const ENCRYPTED = 'with encrypted thinking, which only the Responses API accepts: it is left out';

/**
 * The request at an entry as a provider receives it, as `ctx export --format NAME` writes it: `anthropic`, `openai-chat`
 * or `openai-responses`. Throws a CtxError (usage) for another format or an unknown revision.
 */
export function exportRequest(
  session: OpenSession,
  format: string,
  choice: RequestChoice = {},
): Omit<ExportedRequest, 'pieces'> & { readonly text: string } {
  const found = exportFormats.find(({ name }) => name === format);
  if (found?.takes !== 'request')
    throw new CtxError('usage', `"${format}" is no format of a request`, { hint: 'use anthropic or openai-chat' });
  const { pieces, problems } = formatRequest(session, found, { assumedWindow: findAssumedWindow, ...choice });
  return { text: [...pieces].join(''), problems };
}
