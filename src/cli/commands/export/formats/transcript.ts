import { buildEntryBlocks, buildReadingBlocks, type ReadingOptions } from '#analysis/reading/reading-blocks.js';
import { asString, asText, isObject } from '#base/json.js';
import { formatTime } from '#base/time.js';
import { formatModel } from '#context/models/model-name.js';
import { describeEdit, describeKept } from '#context/words/describe-changes.js';
import { describeEntry, entryName } from '#context/words/entry-text.js';
import { findSessionTitle } from '#context/words/session-title.js';
import { CallFinder } from '#context/words/tool-call.js';
import { type AssistantMessage, type Entry, messageOf } from '#session/entry.js';
import { formatId, type Head, type RawId } from '#session/heads/head.js';
import { answersRequest } from '#session/tree/turns.js';
import { type Block, type Doc, heading, line, span, verbatim } from '#ui/doc/doc.js';
import { renderReading } from '#ui/parts/message-view.js';
import type { SessionFormat, SessionToExport } from './define.js';

/** Information that every transcript omits. */
const LEFT_OUT: readonly string[] = [
  'Images: only named.',
  'System prompts and transforms: only named; ctx show --full prints them.',
  'Other branches: --at selects one.',
];

/**
 * The entries of a path as they are in the file, including those that a compaction removed from the context or an edit
 * changed: the compaction or edit is an entry of the transcript too.
 */
async function* renderTranscript({ session, path }: SessionToExport): AsyncGenerator<Doc | string> {
  const { header } = session;
  const where = header.cwd === null ? '' : ` in ${header.cwd}`;
  yield [heading(1, findSessionTitle(session)), line(`session ${header.id}${where}`)];
  const renderWhole = createEntryRenderer({ session, path });
  for (const head of path) {
    yield '\n';
    yield renderWhole(head);
  }
}

/** Returns a function that makes the document of an entry: its heading and its texts in full, or one line if it has none. */
export function createEntryRenderer({ session, path }: SessionToExport): (head: Head) => Doc {
  const { cwd } = session.header;
  const edits = new Map<RawId, string | null>();
  for (const { type, target, id } of path) if (type === 'context_edit') edits.set(target, formatId(id));
  const calls = new CallFinder(session);
  return (head) => {
    const entry = session.entry(head);
    const body = renderBody(head, entry, { call: calls.of(head, entry) ?? undefined, cwd: cwd ?? '' });
    if (body === null) return [renderSetting(head, entry)];
    const edit = (head.id !== undefined && edits.get(head.id)) || null;
    return [...renderHeading(head, entry, edit), ...body];
  };
}

/** The line of an entry without a text, such as a change of the model. */
function renderSetting(head: Head, entry: Entry): Block {
  const id = formatId(head.id);
  const preview = describeEntry(entry);
  const words = entryName(head).replaceAll('_', ' ');
  return line(
    ...(id === null ? [] : [span(id, 'id'), '  ']),
    span(preview === '' ? words : `${words}: ${preview}`, 'faint'),
  );
}

function renderHeading(head: Head, entry: Entry, edit: string | null): Doc {
  const message = messageOf(entry);
  const facts = [
    formatTime(head.time),
    answersRequest(head) && message?.role === 'assistant' ? formatModel(toModel(message)) : null,
    edit === null ? null : `edited by ${edit}`,
  ];
  const id = formatId(head.id);
  return [
    heading(2, message?.role === 'toolResult' ? `result of ${asText(message.toolName ?? '?')}` : entryName(head)),
    line(
      ...(id === null ? [] : [span(id, 'id'), '  ']),
      span(facts.filter((part) => part !== null).join(', '), 'faint'),
    ),
  ];
}

function toModel({ provider, model }: AssistantMessage): { provider?: string; modelId?: string } {
  const by = asString(provider);
  const id = asString(model);
  return { ...(by === null ? {} : { provider: by }), ...(id === null ? {} : { modelId: id }) };
}

/** null: the entry has no text of its own. */
function renderBody(head: Head, entry: Entry, reading: ReadingOptions): Doc | null {
  const blocks = head.type === 'compaction' ? null : buildEntryBlocks(entry, reading);
  return blocks ? renderReading(blocks, true) : renderOther(head, entry);
}

function renderOther(head: Head, entry: Entry): Doc | null {
  switch (entry.type) {
    case 'compaction':
      return [
        line(
          `From here on the context ${describeKept(formatId(head.id), asString(entry.firstKeptEntryId))}, behind this summary:`,
        ),
        verbatim(asText(entry.summary), 'markdown'),
      ];
    case 'context_edit': {
      const target = asText(head.target);
      if (!isObject(entry.replacement)) return [line(describeEdit(target, true))];
      const { content } = entry.replacement;
      return [line(describeEdit(target, false)), ...renderReading(buildReadingBlocks({ role: 'user', content }), true)];
    }
    default:
      return null;
  }
}

export const markdownTranscript = {
  name: 'markdown',
  takes: 'session',
  summary: 'the transcript of a path as Markdown, with every text in a fence',
  leavesOut: LEFT_OUT,
  write: renderTranscript,
} satisfies SessionFormat;

export const textTranscript = {
  name: 'text',
  takes: 'session',
  summary: 'the transcript of a path for a terminal',
  leavesOut: LEFT_OUT,
  write: renderTranscript,
} satisfies SessionFormat;
