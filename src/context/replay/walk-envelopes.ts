import type { Problem } from '#base/errors.js';
import type { Head } from '#session/heads/head.js';
import type { OpenSession } from '../open.js';
import { walk } from '../walk.js';
import type { EnvelopeContent } from './content.js';
import type { TokenCount } from './envelope.js';
import type { ReplayOptions } from './replay.js';

/** An entry of a path with the context after it. */
export interface EnvelopeStep {
  readonly head: Head;
  readonly content: EnvelopeContent;
  /** Estimated tokens of the sent content. */
  tokens(): TokenCount;
  readonly diagnostics: readonly Problem[];
}

/** The contents of all entries of a path, in order. Uncached messages are not included. */
export function* walkEnvelopes(
  session: OpenSession,
  path: readonly Head[],
  options: ReplayOptions = {},
): Generator<EnvelopeStep> {
  for (const step of walk(session, path, options).steps) {
    const replay = step.take();
    const tokens = replay.countTokens();
    yield { head: step.head, content: replay.content(), tokens: () => tokens, diagnostics: replay.diagnostics };
  }
}
