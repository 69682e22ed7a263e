import { asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import { pluralize } from '#base/numbers.js';
import { type Entry, readTransformerName, toEntry } from '#session/entry.js';
import { type Block, cell, line, listingRow, span } from '#ui/doc/doc.js';

/** The entries, or the first of them and how many there are more. */
export function renderEntries(entries: readonly JsonObject[], most: number): readonly Block[] {
  if (entries.length <= most) return entries.map(renderEntry);
  const shown = entries.slice(0, most - 1);
  const more = pluralize(entries.length - shown.length, 'more entry', 'more entries');
  return [...shown.map(renderEntry), line(span(`   … ${more}: --json lists all`, 'faint'))];
}

function renderEntry(json: JsonObject): Block {
  const entry = toEntry(json);
  const { id, type } = json;
  return listingRow([
    cell('', 1),
    cell(asString(id) ?? '', 8, 'id'),
    cell(asString(type) ?? '', 17),
    cell(describeEntry(entry)),
  ]);
}

function describeEntry(entry: Entry): string {
  switch (entry.type) {
    case 'context_transform': {
      const ops = listObjects(entry.patch).map(({ op }) => String(op));
      const title = isObject(entry.display) ? asString(entry.display.title) : null;
      return `${readTransformerName(entry)}: ${title ?? ops.join(', ')}`;
    }
    case 'context_edit':
      return `${String(entry.targetId)} ${entry.replacement === null ? 'omitted' : 'text replaced'}`;
    case 'compaction':
      return `keeps from ${String(entry.firstKeptEntryId)}`;
    case 'ephemeral':
      return `${pluralize(Array.isArray(entry.messages) ? entry.messages.length : 0, 'message')} for one request`;
    case 'custom':
      return asString(entry.customType) ?? '';
    default:
      return '';
  }
}
