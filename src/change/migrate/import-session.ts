import { Buffer } from 'node:buffer';
import type { JsonObject } from '#base/json.js';
import { type ByteSource, toByteSource } from '#session/scan/byte-source.js';
import { IMPORTED_FROM } from '#session/scan/imported-from.js';
import type { Session } from '#session/session.js';
import type { ResultOrder } from './result-order.js';
import { StockEntryBuilder } from './stock-entries.js';

/**
 * The lines of another agent's session as a session of Pi, version 3, which stock Pi shows too. The active leaf is
 * last, as Pi expects. `id`: that of the new session, if it is not to keep the one of the session.
 */
export function* buildImportLines(
  session: Session,
  entries = new StockEntryBuilder(session),
  id = session.header.id,
): Generator<Uint8Array> {
  yield encodeLine(buildImportHeader(session, id));
  for (const { values } of listImportedEntries(session, entries)) yield* values.map(encodeLine);
}

/** The header of an import, with what the session tells of its model and Pi's format has no place for. */
function buildImportHeader({ header, agent }: Session, id: string): JsonObject {
  if (!agent) return header.fields;
  const { name, version, contextWindow } = agent;
  // With the id of the original, a reader can tell that a session and its import share entries.
  const origin = id === header.id ? {} : { sessionId: header.id };
  return { ...header.fields, id, [IMPORTED_FROM]: { agent: name, version, contextWindow, ...origin } };
}

/** The entries that an import has for one of the other agent. */
interface ImportedEntry {
  readonly values: readonly JsonObject[];
  /** The line of that entry in the file of the agent. */
  readonly line: number;
}

function* listImportedEntries(
  { tree: { leaf, heads } }: Session,
  entries: StockEntryBuilder,
): Generator<ImportedEntry> {
  for (const head of entries.results.heads()) yield { values: entries.buildEntries(head), line: head.line };
  const start = leaf ? null : entries.buildStart();
  if (start) yield { values: [start], line: heads.last?.line ?? 0 };
}

/** An import in memory, for a change that is planned on it. */
interface ImportedSource {
  readonly source: ByteSource;
  /** The line in the file of the other agent that a line of the import comes from; null for a line after its end. */
  recordedLine(line: number): number | null;
  readonly results: Pick<ResultOrder, 'moved' | 'left'>;
  /** Damaged lines of that file, which the import lacks. */
  readonly lostLines: number;
}

/** Builds an import in memory. See `buildImportLines`. */
export function buildImportSource(session: Session): ImportedSource {
  const written = [encodeLine(buildImportHeader(session, session.header.id))];
  const recorded = [1];
  const entries = new StockEntryBuilder(session);
  for (const { values, line } of listImportedEntries(session, entries))
    for (const value of values) {
      written.push(encodeLine(value));
      recorded.push(line);
    }
  const { results } = entries;
  const recordedLine = (line: number): number | null => recorded[line - 1] ?? null;
  return {
    source: toByteSource(Buffer.concat(written)),
    recordedLine,
    results,
    lostLines: session.scan.damaged.length,
  };
}

function encodeLine(value: unknown): Uint8Array {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}
