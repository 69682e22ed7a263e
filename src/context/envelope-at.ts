import { resolveRevision } from '#session/tree/revision.js';
import { pathTo } from '#session/tree/tree.js';
import { toLenient } from './lenient.js';
import type { OpenSession } from './open.js';
import { buildEnvelope, buildOverview, type EnvelopeOptions } from './replay/build-envelope.js';
import type { ContextEnvelope } from './replay/envelope.js';
import type { EnvelopeOverview } from './replay/overview.js';
import { type EnvelopeStep, walkEnvelopes } from './replay/walk-envelopes.js';

/** The options of an envelope, for a program that opened the session without regard to them. */
export interface EnvelopeAtOptions extends EnvelopeOptions {
  /** Skip patch ops that cannot be replayed, with a diagnostic, instead of failing. */
  readonly lenient?: boolean | undefined;
}

/**
 * The context at a revision. Throws a CtxError: usage for an unknown revision, input for a
 * transform that cannot be replayed.
 */
export function envelopeAt(session: OpenSession, revision = 'HEAD', options: EnvelopeAtOptions = {}): ContextEnvelope {
  return buildEnvelope(chooseStrictness(session, options), resolveRevision(session, revision), options);
}

/** Builds an envelope like `envelopeAt`, but reads its messages on demand. The file must stay open. */
export function buildOverviewAt(
  session: OpenSession,
  revision = 'HEAD',
  options: EnvelopeAtOptions = {},
): EnvelopeOverview {
  return buildOverview(chooseStrictness(session, options), resolveRevision(session, revision), options);
}

/** The envelopes of all entries from the root to a revision, in order. */
export function eachEnvelope(
  session: OpenSession,
  revision = 'HEAD',
  options: EnvelopeAtOptions = {},
): Generator<EnvelopeStep> {
  const head = resolveRevision(session, revision);
  return walkEnvelopes(chooseStrictness(session, options), head ? pathTo(session.tree, head) : [], options);
}

function chooseStrictness(session: OpenSession, { lenient }: EnvelopeAtOptions): OpenSession {
  return lenient ? toLenient(session) : session;
}
