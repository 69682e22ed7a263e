import path from 'node:path';
import type { Problem } from '#base/errors.js';
import { asString, isObject, type JsonObject } from '#base/json.js';
import type { LineSpan } from '../../scan/bytes.js';
import { spanOf } from '../../scan/scan.js';
import type { ForeignLine, ForeignSession } from '../define.js';
import { RolloutEntries } from './entries.js';
import { dynamicTools } from './replacement.js';
import { payloadOf, type RolloutRow, rowOf } from './rows.js';

/** Reads a rollout in two passes: an answer ends at its token count, so the file is searched for these first. */
export function read(lines: Iterable<ForeignLine>, file: string): ForeignSession {
  const rows: RolloutRow[] = [];
  let first: ForeignLine | null = null;
  for (const line of lines) {
    if (first === null && isHeader(line.value)) first = { ...spanOf(line), value: headerFields(line.value) };
    rows.push(rowOf(line));
  }
  const meta = first?.value ?? {};
  const id = asString(meta['id']) ?? idIn(file);
  const entries = new RolloutEntries(id, meta, rows);
  if (first) entries.declare(spanOf(first));
  const unused = rows.filter((row) => !entries.take(row)).map(({ span }) => span);
  return {
    header: headerOf(meta, id),
    version: asString(meta['cli_version']),
    contextWindow: entries.contextWindow,
    entries: entries.list.entries,
    leafId: entries.list.leafId,
    unused,
    problems: problemsOf(meta, first),
    parts: {
      system: isObject(meta['base_instructions']) ? 'recorded' : 'missing',
      tools: dynamicTools(meta['dynamic_tools']).length > 0 ? 'approximate' : 'missing',
      messages: isObject(meta['history_base']) ? 'approximate' : 'recorded',
      compactions: 'recorded',
      usage: entries.hasUsage ? 'recorded' : 'missing',
    },
  };
}

/** The first versions wrote the fields of the session without an envelope. */
export function isHeader(value: JsonObject): boolean {
  if (value['type'] === 'session_meta') return isObject(value['payload']);
  return !('type' in value) && typeof value['id'] === 'string' && 'instructions' in value && 'timestamp' in value;
}

/** The fields without long texts. */
function headerFields(value: JsonObject): JsonObject {
  const { instructions: _, ...fields } = payloadOf(value);
  return { timestamp: value['timestamp'], ...fields };
}

function headerOf(meta: JsonObject, id: string): JsonObject {
  const { timestamp, cwd, forked_from_id: fork, parent_thread_id: parent } = meta;
  const parentSession = asString(fork) ?? asString(parent);
  return {
    type: 'session',
    version: 3,
    id,
    timestamp: asString(timestamp) ?? '',
    ...(typeof cwd === 'string' ? { cwd } : {}),
    ...(parentSession === null ? {} : { parentSession }),
  };
}

/** The name of a rollout ends with the id of its thread. */
function idIn(file: string): string {
  const name = path.basename(file, '.jsonl');
  return /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.exec(name)?.[0] ?? name;
}

function problemsOf(meta: JsonObject, line: LineSpan | null): readonly Problem[] {
  const base = meta['history_base'];
  if (!isObject(base) || line === null) return [];
  const thread = asString(base['thread_id']) ?? 'ID';
  return [
    {
      code: 'history-elsewhere',
      severity: 'warning',
      message: `the beginning of this history is in another rollout: ctx show ${thread}`,
      line: line.line,
      entryId: null,
    },
  ];
}
