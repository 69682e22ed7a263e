import path from 'node:path';
import type { Problem } from '#base/errors.js';
import { asObject, asString, isObject, type JsonObject } from '#base/json.js';
import type { Heads } from '../../table/heads.js';
import { type AgentFormat, type ForeignLines, type ForeignSession, piHeader } from '../define.js';
import { RolloutEntries } from './entries.js';
import { historyBaseOf, isHeader, payloadOf } from './items.js';
import { dynamicTools } from './replacement.js';
import { Rollout } from './rows.js';

/** Reads a rollout in two passes: an answer ends at its token count, so the file is searched for these first. */
function read(lines: ForeignLines, file: string): ForeignSession {
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
    header: piHeader({ id, timestamp: asString(own['timestamp']), cwd: own['cwd'], parentSession: parentOf(own) }),
    isSubagent: isObject(own['source']) && 'subagent' in own['source'],
    version: asString(own['cli_version']),
    contextWindow: entries.contextWindow === null ? null : { tokens: entries.contextWindow, source: 'recorded' },
    ...table,
    ...copyIn(rollout, table.entries.heads, own),
    ...use,
    problems: problemsOf(first, parts[0]?.header?.line ?? 0),
    parts: {
      system: instructionsIn(metas),
      tools: metas.some((meta) => dynamicTools(meta['dynamic_tools']).length > 0) ? 'approximate' : 'missing',
      messages: historyBaseOf(first) ? 'approximate' : 'recorded',
      compactions: 'recorded',
      usage: rollout.hasUsage ? 'recorded' : 'missing',
    },
  };
}

/** The entries that a fork has copied from its origin; those before 0.153 copied all, with new ids and times. */
function copyIn(rollout: Rollout, heads: Heads, { id, forked_from_id: origin, ...meta }: JsonObject): Copies {
  if (typeof id !== 'string' || typeof origin !== 'string' || historyBaseOf(meta)) return {};
  const end = rollout.endOfCopy(id);
  return end === 0 ? {} : { copiedFrom: (index) => (heads.lineAt(index) <= end ? origin : null) };
}

type Copies = Pick<ForeignSession, 'copiedFrom'>;

/** Codex may leave out sections of a model's own instructions, such as those for a tool that is off. */
function instructionsIn(metas: readonly JsonObject[]): ForeignSession['parts']['system'] {
  const base = metas.findLast((meta) => isObject(meta['base_instructions']))?.['base_instructions'];
  if (!isObject(base)) return 'missing';
  return asObject(base['provenance'])['type'] === 'model' ? 'approximate' : 'recorded';
}

/** The id of the thread that it continues or that started it; null for one that only went back in its own history. */
function parentOf(meta: JsonObject): string | null {
  const { forked_from_id: fork, parent_thread_id: parent } = meta;
  const base = asString(historyBaseOf(meta)?.['thread_id']);
  return asString(fork) ?? asString(parent) ?? (base === meta['id'] ? null : base);
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
  const name = path.basename(file).replace(/\.jsonl(?:\.zst)?$/, '');
  return /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.exec(name)?.[0] ?? name;
}

function problemsOf(meta: JsonObject, line: number): readonly Problem[] {
  const base = historyBaseOf(meta);
  if (base === null) return [];
  const rollout = asString(base['thread_id']) ?? 'without an id';
  return [
    {
      code: 'history-elsewhere',
      severity: 'warning',
      message: `this history begins in another rollout, which was not found, or lacks the place: ${rollout}`,
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
  isSession: (file) => /^rollout-.*\.jsonl(?:\.zst)?$/.test(path.basename(file)),
  read,
};

const TYPES: ReadonlySet<unknown> = new Set(['response_item', 'event_msg', 'turn_context', 'compacted']);

function isRecord({ type, payload }: JsonObject): boolean {
  return TYPES.has(type) && isObject(payload);
}
