import { Buffer } from 'node:buffer';
import { CtxError } from '#base/errors.js';
import { shellWord } from '#base/visible.js';
import { type ByteSource, bytesIn } from '#session/scan/bytes.js';
import type { Session } from '#session/session.js';
import { StockEntries } from './stock-entries.js';

/**
 * The lines of another agent's session as a session of Pi, version 3, which stock Pi shows too. The active leaf is
 * last, as Pi expects.
 */
export function* importedLines(session: Session, entries = new StockEntries(session)): Generator<Uint8Array> {
  const { leaf, heads } = session.tree;
  yield lineOf(session.header.fields);
  for (const head of heads) if (head.index !== leaf?.index) yield* entries.of(head).map(lineOf);
  if (leaf) yield* entries.of(leaf).map(lineOf);
}

/** Like `importedLines`, but in memory, for a change that is planned on it. */
export function importedSource(session: Session): ByteSource {
  return bytesIn(Buffer.concat([...importedLines(session)]));
}

function lineOf(value: unknown): Uint8Array {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

/** Throws a CtxError (refused) for a session of another agent, whose files are never written to. */
export function refuseForeignFile({ foreign, file }: Session): void {
  if (!foreign) return;
  const output = `${file.replace(/^.*[\\/]/, '').replace(/\.jsonl?$/, '')}.pi.jsonl`;
  throw new CtxError('refused', `a session of ${foreign.title} is never written to`, {
    where: file,
    hint: `import it first: ctx import ${shellWord(file)} --output ${shellWord(output)}`,
  });
}
