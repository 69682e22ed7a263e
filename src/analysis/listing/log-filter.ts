import { CtxError } from '#base/errors.js';
import type { LlmMessage } from '#context/replay/content.js';
import { readEntryMessage, toLlmMessage } from '#context/replay/convert.js';
import { listToolNames } from '#context/words/message-blocks.js';
import { AGENT_TYPES, type Entry } from '#session/entry.js';
import type { Heads } from '#session/heads/heads.js';
import { PI_ROLES, PI_TYPES } from '#session/scan/line-scanner.js';
import type { Session } from '#session/session.js';

/** The filters of a log; undefined filters match everything. Times are milliseconds since 1970. */
export interface LogFilter {
  /** The type of an entry, or the name that the log prints: the role of a message. */
  readonly type: string | undefined;
  readonly role: string | undefined;
  readonly tool: string | undefined;
  readonly since: number | undefined;
  readonly until: number | undefined;
}

/** The type of an entry that a short name means: `edit` is `context_edit`. Other names mean themselves. */
export function typeOfName(name: string): string {
  return SHORT_TYPES[name] ?? name;
}

const SHORT_TYPES: Readonly<Record<string, string>> = {
  edit: 'context_edit',
  transform: 'context_transform',
  prompt: 'context_transform',
  model: 'model_change',
  thinking: 'thinking_level_change',
  summary: 'branch_summary',
};

/** Builds a test of heads: whether an entry may match, as far as its head shows. */
export function buildHeadFilter(
  heads: Heads,
  { type, role, tool, since, until }: LogFilter,
): (index: number) => boolean {
  return (index) =>
    (type === undefined || heads.typeAt(index) === type || heads.roleAt(index) === type) &&
    (role === undefined || heads.roleAt(index) === role) &&
    (tool === undefined || TOOL_ROLES.has(heads.roleAt(index))) &&
    (since === undefined || heads.timeAt(index) >= since) &&
    (until === undefined || heads.timeAt(index) <= until);
}

/** Whether the heads contain entries of the requested type and role. */
export function hasMatchingHeads(heads: Heads, filter: LogFilter): boolean {
  return findUnknown(heads, filter) === null;
}

/**
 * Throws a CtxError (usage) if no entry of a whole file has the requested type or role, which is then
 * likely mistyped.
 */
export function refuseUnknownFilter(heads: Heads, filter: LogFilter): void {
  const unknown = heads.length === 0 ? null : findUnknown(heads, filter);
  if (unknown === null) return;
  const { flag, value } = unknown;
  const types = listTypes(heads);
  const names = flag === 'type' ? types : listRoles(heads);
  throw new CtxError('usage', `no entry has the ${flag} "${value}"`, {
    hint: `${describeElsewhere(unknown, types)}the ${flag}s of the session: ${names.toSorted().map(quoteUnknown).join(', ') || 'none'}`,
  });
}

const KNOWN_NAMES: ReadonlySet<string> = new Set([...PI_TYPES, ...PI_ROLES, ...AGENT_TYPES]);

/** A type or role for a sentence: one that a session made up is quoted, since it may be a sentence itself. */
function quoteUnknown(name: string): string {
  return KNOWN_NAMES.has(name) ? name : JSON.stringify(name);
}

function describeElsewhere({ flag, value }: UnknownFilter, types: readonly string[]): string {
  if (flag === 'role' && types.includes(value)) return `use --type ${value}, since it is a type; `;
  // Sessions of other agents have a compaction as a transform, if it replaced all messages.
  const isTransform = value === 'compaction' && types.includes('context_transform');
  return isTransform ? 'use --type transform, which also has compactions; ' : '';
}

interface UnknownFilter {
  readonly flag: 'type' | 'role';
  readonly value: string;
}

function findUnknown(heads: Heads, { type, role }: LogFilter): UnknownFilter | null {
  if (type !== undefined && ![...listTypes(heads), ...listRoles(heads)].includes(type))
    return { flag: 'type', value: type };
  if (role !== undefined && !listRoles(heads).includes(role)) return { flag: 'role', value: role };
  return null;
}

function listTypes(heads: Heads): readonly string[] {
  return listNames(heads, (index) => heads.typeAt(index));
}

function listRoles(heads: Heads): readonly string[] {
  return listNames(heads, (index) => heads.roleAt(index));
}

function listNames({ length }: Heads, nameAt: (index: number) => string | null): readonly string[] {
  const names = new Set<string>();
  for (let index = 0; index < length; index += 1) {
    const name = nameAt(index);
    if (name !== null) names.add(name);
  }
  return [...names];
}

/** Whether an entry that may match does: only its line contains the tools that it calls or answers. */
export function passesFilter(entry: Entry, { tool }: LogFilter): boolean {
  if (tool === undefined) return true;
  const message = readEntryMessage(entry);
  const sent: LlmMessage | null = message && toLlmMessage(message);
  return sent !== null && listToolNames(sent).includes(tool);
}

/** The last `most` of these entries that match, in their order. */
export function findLastMatching(
  session: Session,
  candidates: readonly number[],
  filter: LogFilter,
  most: number,
): readonly number[] {
  const found: number[] = [];
  for (let at = candidates.length - 1; at >= 0 && found.length < most; at -= 1) {
    const index = candidates[at] ?? 0;
    const head = filter.tool === undefined ? undefined : session.tree.heads.at(index);
    if (!head || passesFilter(session.entry(head), filter)) found.push(index);
  }
  return found.toReversed();
}

const TOOL_ROLES: ReadonlySet<string | null> = new Set(['assistant', 'toolResult']);
