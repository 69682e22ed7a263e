import { readAnswer, type RecordedAnswer } from '#analysis/cache/recorded.js';
import { commandOf, fileOf } from '#analysis/facts/tool-uses.js';
import { asCount, asString, isObject, type JsonObject, objectsIn } from '#base/json.js';
import { transformerName } from '#context/replay/selection.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';

/** A tool call of an answer, by what it asks for. */
export interface RecordedCall {
  readonly callId: string;
  readonly tool: string;
  /** The file or the command: calls with the same one are about the same content. null: it names neither. */
  readonly what: string | null;
}

/** Something that is recorded between two requests and has made the context smaller. */
interface RecordedShrink {
  readonly kind: 'compaction' | 'prune';
  readonly reason: string;
  /** As recorded in the session. */
  readonly tokensBefore: number | null;
}

/** The record of one request and its answer. It does not depend on the engine. */
export interface RequestFacts extends RecordedAnswer {
  /** Counted from 1 along the path. */
  readonly number: number;
  /** Tokens of the answer as they were billed, 0 where nothing is recorded, and dollars; null: they are not recorded. */
  readonly output: { readonly tokens: number; readonly cost: number | null };
  /** The time of the newest cache warming since the request before; NaN where there is none. */
  readonly warmed: number;
  readonly calls: readonly RecordedCall[];
  /** Since the request before. */
  readonly shrinks: readonly RecordedShrink[];
}

/** The requests of a path, in order. */
export function requestFacts(session: Session, path: readonly Head[]): readonly RequestFacts[] {
  const all: RequestFacts[] = [];
  let warmed = NaN;
  let shrinks: RecordedShrink[] = [];
  for (const head of path) {
    if (head.type === 'usage' && session.entry(head)['kind'] === 'cache_warm') warmed = head.time;
    if (SHRINKING.has(head.type)) shrinks.push(...shrinkOf(session.entry(head)));
    if (head.role !== 'assistant') continue;
    const entry = session.entry(head);
    const { usage, content } = isObject(entry['message']) ? entry['message'] : {};
    const asked = { output: outputIn(usage), calls: objectsIn(content).flatMap(askedBy) };
    all.push({ ...readAnswer(head, entry), ...asked, number: all.length + 1, warmed, shrinks });
    warmed = NaN;
    shrinks = [];
  }
  return all;
}

const SHRINKING: ReadonlySet<string | null> = new Set(['compaction', 'context_transform', 'context_edit']);

function shrinkOf(entry: JsonObject): readonly RecordedShrink[] {
  const { tokensBefore } = entry;
  const known = asCount(tokensBefore);
  switch (entry['type']) {
    case 'compaction':
      return [{ kind: 'compaction', reason: 'recorded', tokensBefore: known }];
    case 'context_edit':
      return [{ kind: 'prune', reason: 'recorded edit', tokensBefore: null }];
    default: {
      const name = transformerName(entry);
      if (name === 'compaction') return [{ kind: 'compaction', reason: 'recorded', tokensBefore: null }];
      return [{ kind: 'prune', reason: `recorded transform ${name}`, tokensBefore: null }];
    }
  }
}

function outputIn(usage: unknown): RequestFacts['output'] {
  if (!isObject(usage)) return { tokens: 0, cost: null };
  const cost = isObject(usage['cost']) ? asCount(usage['cost']['output']) : null;
  return { tokens: asCount(usage['output']) ?? 0, cost };
}

function askedBy(block: JsonObject): readonly RecordedCall[] {
  const callId = asString(block['id']);
  if (block['type'] !== 'toolCall' || callId === null) return [];
  const tool = asString(block['name']) ?? 'unknown';
  const args = isObject(block['arguments']) ? block['arguments'] : {};
  return [{ callId, tool, what: fileOf({ name: tool, args })?.path ?? commandOf({ args }) }];
}
