import { promptUsage, type PromptUsage } from '#analysis/cache/recorded.js';
import { commandOf, fileOf } from '#analysis/facts/tool-uses.js';
import { asCount, asString, isObject, type JsonObject, objectsIn } from '#base/json.js';
import { transformerName } from '#context/replay/selection.js';
import { type Target, targetOf } from '#context/request/wire-messages.js';
import type { Session } from '#session/session.js';
import { type Head, idText } from '#session/table/head.js';

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
  /** As the session says it. */
  readonly tokensBefore: number | null;
}

/** The record of one request and its answer. It does not depend on the engine. */
export interface RequestFacts {
  /** Counted from 1 along the path. */
  readonly number: number;
  /** Of the answer. */
  readonly entryId: string | null;
  readonly target: Target;
  /** As `provider/id`. */
  readonly model: string;
  /** Milliseconds since 1970; NaN where nothing says it. */
  readonly time: number;
  readonly usage: PromptUsage | null;
  /** Tokens of the answer as they were billed, 0 where nothing is recorded, and dollars; null: they are not recorded. */
  readonly output: { readonly tokens: number; readonly cost: number | null };
  /** It failed before anything of it was billed. */
  readonly isUnbilled: boolean;
  /** When somebody has kept the cache warm since the request before; NaN where nobody has. */
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
    all.push({ ...factsOf(session, head), number: all.length + 1, warmed, shrinks });
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

type OfAnswer = Omit<RequestFacts, 'number' | 'warmed' | 'shrinks'>;

function factsOf(session: Session, head: Head): OfAnswer {
  const entry = session.entry(head);
  const message = isObject(entry['message']) ? entry['message'] : {};
  const { timestamp, stopReason } = message;
  const target = targetOf(message);
  const usage = promptUsage(isObject(message['usage']) ? message['usage'] : null);
  return {
    entryId: idText(head.id),
    target,
    model: `${target.provider ?? '?'}/${target.model ?? '?'}`,
    time: typeof timestamp === 'number' ? timestamp : head.time,
    usage,
    output: outputIn(message['usage']),
    isUnbilled: usage === null && (stopReason === 'error' || stopReason === 'aborted'),
    calls: objectsIn(message['content']).flatMap(askedBy),
  };
}

function outputIn(usage: unknown): OfAnswer['output'] {
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
