import type { Problem } from '#base/errors.js';
import { envelopeAt, type OpenSession } from '#context/open.js';
import type { EnvelopeOptions } from '#context/replay/build.js';
import { withoutTools } from '#context/replay/implemented.js';
import { resolveRevision } from '#session/tree/revision.js';
import type { RequestFormat, RequestToExport } from './formats/define.js';

/** The entry of a request, its context, and how a provider is asked. */
export type RequestChoice = EnvelopeOptions &
  Partial<Pick<RequestToExport, 'model' | 'maxTokens'>> & { readonly revision?: string | undefined };

/** A request as text in pieces, and what it cannot express. */
export interface WrittenRequest {
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
