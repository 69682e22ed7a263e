import type { Problem } from '#base/errors.js';
import type { JsonOf } from '#cli/schemas.js';
import { eachEnvelope, type OpenSession } from '#context/open.js';
import type { EnvelopeOptions, EnvelopeStep } from '#context/replay/build.js';
import { EnvelopeHash } from '#context/replay/hash.js';
import { idText } from '#session/table/head.js';
import type { Report } from '#ui/doc/define.js';
import type { Outcome } from '../define.js';

/** A line of data for every entry from the root to a revision. */
export function showEach(session: OpenSession, revision: string | undefined, options: EnvelopeOptions): Outcome {
  const problems = [...session.problems];
  const items = eachLine(eachEnvelope(session, revision, options), problems);
  return { kind: 'stream', items, format: 'json', end: () => ({ file: session.file, problems }) };
}

/** One report for each step. After the last one, the diagnostics are added to `problems`. */
function* eachLine(steps: Iterable<EnvelopeStep>, problems: Problem[]): Generator<Report> {
  const hash = new EnvelopeHash();
  let noted: readonly Problem[] = [];
  for (const { head, content, tokens: count, diagnostics } of steps) {
    noted = diagnostics;
    const tokens = count();
    const data: JsonOf<'envelope-line'> = {
      schema: 'ctx/envelope-line',
      schemaVersion: 1,
      entryId: idText(head.id),
      line: head.line,
      type: head.type,
      envelopeSha256: hash.of(content),
      tokens: tokens.total,
      tokenMethod: tokens.method,
      messages: content.messages.cached.length,
    };
    yield { data, doc: () => [] };
  }
  for (const problem of noted) problems.push(problem);
}
