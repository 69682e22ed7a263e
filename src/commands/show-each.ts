import type { EnvelopeOptions, EnvelopeStep } from '../context/build.js';
import { hashEnvelope } from '../context/hash.js';
import type { Problem } from '../errors.js';
import { eachEnvelope, type OpenSession } from '../open.js';
import type { Report } from '../render/define.js';
import type { EnvelopeLine } from '../schemas.js';
import { idText } from '../session/head.js';
import type { Outcome } from './define.js';

/** A line of data for every entry from the root to a revision. */
export function showEach(session: OpenSession, revision: string | undefined, options: EnvelopeOptions): Outcome {
  const problems = [...session.problems];
  const items = eachLine(eachEnvelope(session, revision, options), problems);
  return { kind: 'stream', items, format: 'json', end: () => ({ file: session.file, problems }) };
}

/** What is noted on the way is added to `problems` when the last line has been taken. */
function* eachLine(steps: Iterable<EnvelopeStep>, problems: Problem[]): Generator<Report> {
  let noted: readonly Problem[] = [];
  for (const { head, content, tokens: count, diagnostics } of steps) {
    noted = diagnostics;
    const tokens = count();
    const data: EnvelopeLine = {
      schema: 'ctx/envelope-line',
      schemaVersion: 1,
      entryId: idText(head.id),
      line: head.line,
      type: head.type,
      envelopeSha256: hashEnvelope(content),
      tokens: tokens.total,
      tokenMethod: tokens.method,
      messages: content.messages.cached.length,
    };
    yield { data, doc: () => [] };
  }
  for (const problem of noted) problems.push(problem);
}
