import { CtxError, type Problem } from '#base/errors.js';
import { assumedWindow } from '#context/models/registry.js';
import { envelopeAt, type OpenSession } from '#context/open.js';
import type { EnvelopeOptions } from '#context/replay/build.js';
import { withoutTools } from '#context/replay/implemented.js';
import { resolveRevision } from '#session/tree/revision.js';
import anthropic from './anthropic.js';
import { json, parquet } from './data.js';
import type { ExportFormat, RequestFormat, RequestToExport } from './define.js';
import openaiChat from './openai-chat.js';
import openaiResponses from './openai-responses.js';
import { markdown, plainText as text } from './transcript.js';

/** Every form in which sessions leave. */
export const exportFormats: readonly ExportFormat[] = [
  text,
  markdown,
  json,
  anthropic,
  openaiResponses,
  openaiChat,
  parquet,
];

/** The entry of a request, its context, and how a provider is asked. */
type RequestChoice = EnvelopeOptions &
  Partial<Pick<RequestToExport, 'model' | 'maxTokens'>> & { readonly revision?: string | undefined };

/** A request as text in pieces, and what it cannot express. */
interface WrittenRequest {
  readonly pieces: Iterable<string>;
  readonly problems: readonly Problem[];
}

/** Writes the request at an entry in a format. A tool without an implementation is not sent. */
export function writeRequest(session: OpenSession, format: RequestFormat, choice: RequestChoice): WrittenRequest {
  const { revision = 'HEAD', model, maxTokens, ...options } = choice;
  const at = resolveRevision(session, revision);
  const envelope = envelopeAt(session, revision, options);
  const sent = format.isPayload ? withoutTools(envelope, envelope.meta.toolsWithoutImplementation) : envelope;
  const { pieces, problems } = format.write({ session, at, envelope: sent, model, maxTokens });
  return { pieces, problems: [...envelope.meta.diagnostics, ...problems] };
}

/**
 * The request at an entry as a provider receives it, as `ctx export --format NAME` writes it: `anthropic`, `openai-chat`
 * or `openai-responses`. Throws a CtxError (usage) for another format or an unknown revision.
 */
export function exportRequest(
  session: OpenSession,
  format: string,
  choice: RequestChoice = {},
): Omit<WrittenRequest, 'pieces'> & { readonly text: string } {
  const found = exportFormats.find(({ name }) => name === format);
  if (found?.takes !== 'request')
    throw new CtxError('usage', `"${format}" is no format of a request`, { hint: 'use anthropic or openai-chat' });
  const { pieces, problems } = writeRequest(session, found, { assumedWindow, ...choice });
  return { text: [...pieces].join(''), problems };
}
