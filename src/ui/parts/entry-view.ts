import { buildMessageBlocks, type ReadingOptions } from '#analysis/reading/reading-blocks.js';
import { formatDollars } from '#base/dollars.js';
import { asString, isObject, type JsonObject } from '#base/json.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { formatTime } from '#base/time.js';
import { isOutputPartial, isUsageDerived, readUsageNumbers } from '#context/size/recorded-usage.js';
import { nameEntry } from '#context/words/entry-text.js';
import { CallFinder } from '#context/words/tool-call.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { type Block, type Doc, line, span, verbatim } from '../doc/doc.js';
import { renderReading } from './message-view.js';

/** An entry in full: its place, the recorded usage and its whole content. */
export function renderEntry(session: Session, head: Head): Doc {
  const entry = session.entry(head);
  const usage = session.usage(head);
  const reading = { call: new CallFinder(session).findCall(head, entry) ?? undefined, cwd: session.header.cwd ?? '' };
  return [...renderEntryHeading(session, head, entry), ...renderUsage(usage), ...renderBody(entry, reading)];
}

function renderEntryHeading(session: Session, head: Head, entry: JsonObject): Doc {
  const message = isObject(entry.message) ? entry.message : {};
  const tool = head.role === 'toolResult' ? ` ${asString(message.toolName) ?? '?'}` : '';
  const time = formatTime(head.time) ?? 'no time';
  const parent = formatId(head.parentId);
  return [
    line(
      span(nameEntry(head, session), 'strong'),
      span(tool, 'tools'),
      '  ',
      span(formatId(head.id) ?? 'no id', 'id'),
      span(`  line ${head.line}, ${pluralize(head.length, 'byte')}, ${time}`, 'faint'),
    ),
    line(span(parent === null ? 'no parent' : `parent ${parent}`, 'faint')),
  ];
}

function renderUsage(usage: JsonObject | null): readonly Block[] {
  if (!usage) return [];
  const { input, output, cacheRead, cacheWrite, total, cost } = readUsageNumbers(usage);
  const parts = [
    `${formatCount(input)} in`,
    `${formatCount(cacheRead)} cache read`,
    `${formatCount(cacheWrite)} cache write`,
    `${formatCount(output)} out${isOutputPartial(usage) ? ' (partial)' : ''}`,
  ];
  if (cost !== null) parts.push(formatDollars(cost));
  const source = isUsageDerived(usage) ? 'derived from recorded totals:' : 'recorded';
  return [line(span(`${source} ${pluralize(total, 'token')}: ${parts.join(', ')}`, 'faint'))];
}

function renderBody(entry: JsonObject, reading: ReadingOptions): Doc {
  const blocks = buildMessageBlocks(entry, reading);
  return blocks ? renderReading(blocks, true) : renderFields(isObject(entry.message) ? entry.message : entry, '');
}

/** A text up to this length has room beside its name. */
const SHORT = 60;

const IN_HEADING: ReadonlySet<string> = new Set(['type', 'role', 'id', 'parentId', 'timestamp', 'usage']);

/** Fields by their names: texts as they read, the sections of a prompt one by one, all else as JSON. */
function renderFields(fields: JsonObject, prefix: string): Doc {
  return Object.entries(fields).flatMap(([key, value]) => {
    const name = `${prefix}${key}`;
    if (value === undefined || (prefix === '' && IN_HEADING.has(key))) return [];
    if (isObject(value) && prefix === '' && Object.values(value).some((text) => typeof text === 'string'))
      return renderFields(value, `${key}.`);
    if (value === '' || typeof value === 'number' || typeof value === 'boolean' || value === null)
      return [renderField(name, JSON.stringify(value))];
    if (typeof value !== 'string') return [renderField(name), verbatim(JSON.stringify(value, null, 2), 'json')];
    return value.length > SHORT || value.includes('\n')
      ? [renderField(name), verbatim(value)]
      : [renderField(name, value)];
  });
}

function renderField(name: string, value?: string): Block {
  const spans = value === undefined ? [span(name, 'faint')] : [span(`${name}: `, 'faint'), span(value)];
  return { kind: 'bullets', items: [spans] };
}
