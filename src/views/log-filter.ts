import { contributionOf } from '../context/contribution.js';
import type { LlmMessage } from '../context/content.js';
import { toLlm } from '../context/convert.js';
import type { Heads } from '../session/heads.js';
import type { Session } from '../session/session.js';
import type { JsonObject } from '../session/values.js';
import { toolNames } from './message-text.js';

/** Which entries a log takes; what is undefined does not restrict. Times are milliseconds since 1970. */
export interface LogFilter {
  readonly type: string | undefined;
  readonly role: string | undefined;
  readonly tool: string | undefined;
  readonly since: number | undefined;
  readonly until: number | undefined;
}

/** Whether an entry may pass, as far as its head can tell. */
export function mayPass(heads: Heads, { type, role, tool, since, until }: LogFilter): (index: number) => boolean {
  return (index) =>
    (type === undefined || heads.typeAt(index) === type) &&
    (role === undefined || heads.roleAt(index) === role) &&
    (tool === undefined || TOOL_ROLES.has(heads.roleAt(index))) &&
    (since === undefined || heads.timeAt(index) >= since) &&
    (until === undefined || heads.timeAt(index) <= until);
}

/** Whether an entry that may pass does: only its line says which tools it calls or answers. */
export function passes(entry: JsonObject, { tool }: LogFilter): boolean {
  if (tool === undefined) return true;
  const message = contributionOf(entry);
  const sent: LlmMessage | null = message && toLlm(message);
  return sent !== null && toolNames(sent).includes(tool);
}

/** The last `most` of these entries that pass, in their order. */
export function lastThatPass(
  session: Session,
  candidates: readonly number[],
  filter: LogFilter,
  most: number,
): readonly number[] {
  const found: number[] = [];
  for (let at = candidates.length - 1; at >= 0 && found.length < most; at -= 1) {
    const index = candidates[at] ?? 0;
    const head = filter.tool === undefined ? undefined : session.tree.heads.at(index);
    if (!head || passes(session.entry(head), filter)) found.push(index);
  }
  return found.toReversed();
}

const TOOL_ROLES: ReadonlySet<string | null> = new Set(['assistant', 'toolResult']);
