import { batchItems } from '#base/batches.js';
import type { Problem } from '#base/errors.js';
import { eachEnvelope } from '#context/envelope-at.js';
import type { OpenSession } from '#context/open.js';
import type { EnvelopeOptions } from '#context/replay/build-envelope.js';
import type { EnvelopeHash } from '#context/replay/envelope-hash.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { EnvelopeStep } from '#context/replay/walk-envelopes.js';
import { formatId } from '#session/heads/head.js';
import type { Printable } from '#ui/doc/renderer.js';
import { type NumberedMessage, numberMessages } from '#ui/parts/message-view.js';
import type { Outcome } from '../define.js';
import type { EnvelopeLine, EnvelopeMessageLine } from './document.js';
import { hasSelection, selectMessages } from './selection.js';
import type { EnvelopeQuery } from './view.js';

/** A selection as JSON Lines: a part of the envelope under its name, or a line for each message. */
export function* listSelectedLines(envelope: ContextEnvelope, query: Selection): Generator<Printable> {
  const { part, tool } = query;
  if (part === 'tools' && tool !== undefined) {
    yield toJsonLine({ tools: envelope.tools.filter(({ name }) => name === tool) });
  } else if (part !== undefined && !hasSelection(query)) {
    yield toJsonLine({ [part]: envelope[part] });
  } else {
    for (const item of selectMessages(numberMessages(envelope), query)) yield toJsonLine(toMessageLine(item));
  }
}

type Selection = Omit<EnvelopeQuery, 'isFull' | 'method' | 'title' | 'where' | 'file'>;

function toJsonLine(data: unknown): Printable {
  return { data, doc: () => [] };
}

function toMessageLine({ number, message, provenance, isCached, share }: NumberedMessage): EnvelopeMessageLine {
  return {
    schema: 'ctx/message',
    schemaVersion: 1,
    number,
    entryId: provenance?.entryId ?? null,
    line: provenance?.line ?? null,
    origin: provenance?.origin ?? null,
    isCached,
    ...share,
    message: { ...message },
  };
}

/** A line of data for every entry from the root to a revision. */
export async function streamEachEntry(
  session: OpenSession,
  revision: string | undefined,
  options: EnvelopeOptions,
): Promise<Outcome> {
  // Hashing needs a Node module that the rest of this command does not load.
  const { EnvelopeHash: Hash } = await import('#context/replay/envelope-hash.js');
  const problems = [...session.problems];
  const lines = listEntryLines(eachEnvelope(session, revision, options), new Hash(), problems);
  return { kind: 'stream', batches: batchItems(lines), format: 'json', end: () => ({ file: session.file, problems }) };
}

/** A line for each step. After the last one, the diagnostics are added to `problems`. */
function* listEntryLines(steps: Iterable<EnvelopeStep>, hash: EnvelopeHash, problems: Problem[]): Generator<Printable> {
  let found: readonly Problem[] = [];
  for (const { head, content, tokens: count, diagnostics } of steps) {
    found = diagnostics;
    const tokens = count();
    const data: EnvelopeLine = {
      schema: 'ctx/envelope-line',
      schemaVersion: 1,
      entryId: formatId(head.id),
      line: head.line,
      type: head.type,
      envelopeSha256: hash.of(content),
      tokens: tokens.total,
      tokenMethod: tokens.method,
      messages: content.messages.cached.length,
    };
    yield toJsonLine(data);
  }
  for (const problem of found) problems.push(problem);
}
