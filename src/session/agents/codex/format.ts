import path from 'node:path';
import type { Problem } from '#base/errors.js';
import { asString, isObject, type JsonObject } from '#base/json.js';
import { type AgentFormat, type ForeignLines, type ForeignSession, piHeader } from '../define.js';
import { RolloutEntries } from './entries.js';
import { dynamicTools } from './replacement.js';
import { isHeader, payloadOf, Rollout } from './rows.js';

/** Reads a rollout in two passes: an answer ends at its token count, so the file is searched for these first. */
function read(lines: ForeignLines, file: string): ForeignSession {
  const rollout = new Rollout(lines);
  const header = rollout.header();
  const meta = header ? headerFields(header.value) : {};
  const { timestamp, cwd, forked_from_id: fork, parent_thread_id: parent } = meta;
  const id = asString(meta['id']) ?? idIn(file);
  const entries = new RolloutEntries(rollout, id, meta);
  if (header) entries.declare(header.line);
  const use = takeAll(rollout, entries);
  return {
    header: piHeader({ id, timestamp: asString(timestamp), cwd, parentSession: asString(fork) ?? parent }),
    isSubagent: isObject(meta['source']) && 'subagent' in meta['source'],
    version: asString(meta['cli_version']),
    contextWindow: entries.contextWindow,
    ...entries.table(),
    ...use,
    problems: problemsOf(meta, header?.line ?? 0),
    parts: {
      system: isObject(meta['base_instructions']) ? 'recorded' : 'missing',
      tools: dynamicTools(meta['dynamic_tools']).length > 0 ? 'approximate' : 'missing',
      messages: isObject(meta['history_base']) ? 'approximate' : 'recorded',
      compactions: 'recorded',
      usage: rollout.hasUsage ? 'recorded' : 'missing',
    },
  };
}

/** Adds the entries of all lines. Returns the number of lines without an entry, and the bytes of all. */
function takeAll(rollout: Rollout, entries: RolloutEntries): Required<Pick<ForeignSession, 'unused' | 'bytes'>> {
  const { table } = rollout;
  let [unused, bytes] = [0, 0];
  for (let line = 0; line < table.length; line += 1) {
    if (!table.isObject(line)) continue;
    bytes += table.offsetOf(line + 1) - table.offsetOf(line);
    if (!entries.take(line)) unused += 1;
  }
  return { unused, bytes };
}

/** The fields without long texts. */
function headerFields(value: JsonObject): JsonObject {
  const { instructions: _, ...fields } = payloadOf(value);
  return { timestamp: value['timestamp'], ...fields };
}

/** The name of a rollout ends with the id of its thread. */
function idIn(file: string): string {
  const name = path.basename(file, '.jsonl');
  return /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.exec(name)?.[0] ?? name;
}

function problemsOf(meta: JsonObject, line: number): readonly Problem[] {
  const base = meta['history_base'];
  if (!isObject(base)) return [];
  const thread = asString(base['thread_id']) ?? 'ID';
  return [
    {
      code: 'history-elsewhere',
      severity: 'warning',
      message: `the beginning of this history is in another rollout: ctx show ${thread}`,
      line: line + 1,
      entryId: null,
    },
  ];
}

/** Codex: one record a line, a list whose newest turns can be rolled back. */
export const codex: AgentFormat = {
  name: 'codex',
  title: 'Codex',
  detect: (first) => first.some((line) => isHeader(line) || isRecord(line)),
  folders(env, home) {
    const root = env['CODEX_HOME'] || path.join(home, '.codex');
    return [path.join(root, 'sessions'), path.join(root, 'archived_sessions')];
  },
  isSession: (file) => /^rollout-.*\.jsonl$/.test(path.basename(file)),
  read,
};

const TYPES: ReadonlySet<unknown> = new Set(['response_item', 'event_msg', 'turn_context', 'compacted']);

function isRecord({ type, payload }: JsonObject): boolean {
  return TYPES.has(type) && isObject(payload);
}
