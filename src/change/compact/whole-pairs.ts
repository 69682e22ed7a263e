import { asString, objectsIn } from '#base/json.js';
import type { Projected } from './projection.js';
import { canBeFirst } from './turn-start.js';

/**
 * The nearest place at or above a cut where no tool call is parted from its result. Pi cuts between them where a
 * message of the user stands there.
 */
export function abovePairs(entries: readonly Projected[], cut: number, start: number): number {
  const results = resultsOf(entries.slice(cut));
  const calls = new Set<string>();
  for (const entry of entries.slice(start, cut)) for (const id of callsIn(entry)) calls.add(id);
  for (const entry of entries.slice(cut)) for (const id of callsIn(entry)) calls.delete(id);
  const open = new Set([...results].filter((id) => calls.has(id)));
  for (let at = cut; at >= start; at -= 1) {
    const entry = entries[at];
    if (!entry) continue;
    if (at < cut) {
      for (const id of resultsOf([entry])) if (calls.has(id)) open.add(id);
      for (const id of callsIn(entry)) open.delete(id);
    }
    if (open.size === 0 && (at === cut || canBeFirst(entry))) return at;
  }
  return cut;
}

function resultsOf(entries: readonly Projected[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { messages } of entries) {
    for (const { role, toolCallId } of messages) {
      const id = role === 'toolResult' ? asString(toolCallId) : null;
      if (id !== null) ids.add(id);
    }
  }
  return ids;
}

function callsIn({ messages }: Projected): readonly string[] {
  return messages.flatMap(({ role, content }) =>
    role === 'assistant'
      ? objectsIn(content).flatMap(({ type, id }) => (type === 'toolCall' ? (asString(id) ?? []) : []))
      : [],
  );
}
