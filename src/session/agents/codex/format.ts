import path from 'node:path';
import type { Problem } from '#base/errors.js';
import { asObject, asString, isObject, type JsonObject } from '#base/json.js';
import { pluralize } from '#base/numbers.js';
import type { Heads } from '../../heads/heads.js';
import { buildPiHeader, buildSpanProblem } from '../blocks.js';
import { type AgentFormat, type AgentLines, type AgentSession } from '../define.js';
import { RolloutEntries } from './entries.js';
import { historyBaseOf, isRolloutHeader, parseIdTime, payloadOf } from './items.js';
import { listDynamicTools } from './messages.js';
import { Rollout, type RolloutPart } from './rollout.js';

/** Reads a rollout in two passes: an answer ends at its token count, so the file is searched for these first. */
function read(lines: AgentLines, file: string): AgentSession {
  const rollout = new Rollout(lines);
  const parts = rollout.parts();
  const metas = parts.map(({ header }) => (header ? headerFields(header.value) : {}));
  const [first = {}, own = {}] = [metas[0], metas.at(-1)];
  const id = asString(own['id']) ?? idIn(file);
  const entries = new RolloutEntries(
    rollout,
    parts.map((part, at) => ({ ...part, meta: { ...metas[at], id: asString(metas[at]?.['id']) ?? id } })),
  );
  const use = takeAll(rollout, entries);
  const table = entries.table();
  return {
    header: buildPiHeader({ id, timestamp: asString(own['timestamp']), cwd: own['cwd'], parentSession: parentOf(own) }),
    isSubagent: isSpawned(own),
    version: asString(own['cli_version']),
    contextWindow: entries.contextWindow === null ? null : { tokens: entries.contextWindow, source: 'recorded' },
    ...table,
    ...copyIn(rollout, { heads: table.entries.heads, parts, metas }),
    ...use,
    problems: [...problemsOf(first, rollout.table.numberOf(parts[0]?.header?.line ?? 0)), ...redactedIn(rollout)],
    parts: {
      system: instructionsIn(metas),
      tools: metas.some((meta) => listDynamicTools(meta['dynamic_tools']).length > 0) ? 'approximate' : 'missing',
      messages: historyBaseOf(first) ? 'approximate' : 'recorded',
      compactions: 'recorded',
      usage: rollout.hasUsage ? 'recorded' : 'missing',
    },
  };
}

/** Whether another thread started it. A fork of the user may name the thread that it continues as its parent, too. */
function isSpawned({ source, thread_source: by, parent_thread_id: parent, forked_from_id: fork }: JsonObject): boolean {
  if (by === 'subagent' || (isObject(source) && 'subagent' in source)) return true;
  return by === undefined && typeof parent === 'string' && typeof fork !== 'string';
}

/**
 * The entries that are another thread's: in the files that a rollout continues, and in its own file those that a fork of
 * a version before 0.153 or a spawned agent copied, the latter with their times.
 */
function copyIn(rollout: Rollout, { heads, parts, metas }: CopySources): Copies {
  const own = metas.at(-1) ?? {};
  if (typeof own['id'] !== 'string') return {};
  if (parts.length > 1) {
    const owners = parts.map(({ start }, at) => ({ start, id: asString(metas[at]?.['id']) }));
    return copiedBy(heads, (line) => {
      const owner = owners.findLast(({ start }) => start <= line)?.id ?? null;
      return owner === own['id'] ? null : owner;
    });
  }
  if (historyBaseOf(own)) return {};
  const made = parseIdTime(own['id']);
  const end = rollout.endOfCopy(Number.isNaN(made) ? Date.parse(String(own['timestamp'])) : made);
  const header = parts[0]?.header ?? null;
  const others = [parentOf(own), own['session_id'], header && rollout.threadOfHeader(header.line + 1)];
  const origin = others.find((id) => typeof id === 'string' && id !== own['id']);
  return end === 0 || typeof origin !== 'string' ? {} : copiedBy(heads, (line) => (line < end ? origin : null));
}

interface CopySources {
  readonly heads: Heads;
  readonly parts: readonly RolloutPart[];
  readonly metas: readonly JsonObject[];
}

function copiedBy(heads: Heads, originOf: (line: number) => string | null): Copies {
  return { copiedFrom: (index) => originOf(heads.lineAt(index) - 1) };
}

type Copies = Pick<AgentSession, 'copiedFrom'>;

/** Codex may leave out sections of a model's own instructions, such as those for a tool that is off. */
function instructionsIn(metas: readonly JsonObject[]): AgentSession['parts']['system'] {
  const base = metas.findLast((meta) => isObject(meta['base_instructions']))?.['base_instructions'];
  if (!isObject(base)) return 'missing';
  return asObject(base['provenance'])['type'] === 'model' ? 'approximate' : 'recorded';
}

/** The id of the thread that it continues or that started it; null for one that only went back in its own history. */
function parentOf(meta: JsonObject): string | null {
  const { forked_from_id: fork, parent_thread_id: parent, source } = meta;
  const spawn = asObject(asObject(asObject(source)['subagent'])['thread_spawn']);
  const base = asString(historyBaseOf(meta)?.['thread_id']);
  const named = asString(fork) ?? asString(parent) ?? asString(spawn['parent_thread_id']);
  return named ?? (base === meta['id'] ? null : base);
}

/** Adds the entries of all lines. Returns the number of lines without an entry, and the bytes of all. */
function takeAll(rollout: Rollout, entries: RolloutEntries): Required<Pick<AgentSession, 'unused' | 'bytes'>> {
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
  const name = path.basename(file).replace(/\.jsonl(?:\.zst)?$/, '');
  return /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.exec(name)?.[0] ?? name;
}

function problemsOf(meta: JsonObject, number: number): readonly Problem[] {
  const base = historyBaseOf(meta);
  if (base === null) return [];
  const rollout = asString(base['thread_id']) ?? 'without an id';
  return [
    {
      code: 'history-elsewhere',
      severity: 'warning',
      message: `this history begins in another rollout, which was not found, or lacks the place: ${rollout}`,
      line: number,
      entryId: null,
    },
  ];
}

/** One note for a file. */
function redactedIn(rollout: Rollout): readonly Problem[] {
  const lines = rollout.redactedReasoning();
  const [first] = lines;
  if (first === undefined) return [];
  const items = `the encrypted original of ${pluralize(lines.length, 'item')} of reasoning was removed from this file`;
  const message = `${items}: it was sent to the model, and is not counted`;
  return [buildSpanProblem(rollout.table.span(first), 'redacted-reasoning', 'note', message)];
}

/** Codex: one record a line, a list whose newest turns can be rolled back. */
export const codex: AgentFormat = {
  name: 'codex',
  title: 'Codex',
  knownVersions: ['0.31', '1.19'],
  detect: (first) => first.some((line) => isRolloutHeader(line) || isRecord(line)),
  folders(env, home) {
    const root = env['CODEX_HOME'] || path.join(home, '.codex');
    return [path.join(root, 'sessions'), path.join(root, 'archived_sessions')];
  },
  isSession: (file) => /^rollout-.*\.jsonl(?:\.zst)?$/.test(path.basename(file)),
  read,
};

const TYPES: ReadonlySet<unknown> = new Set(['response_item', 'event_msg', 'turn_context', 'compacted']);

function isRecord({ type, payload }: JsonObject): boolean {
  return TYPES.has(type) && isObject(payload);
}
