import { sortLargestFirst } from '#base/lists.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { toOverview } from '#context/replay/overview.js';
import { type Doc, gap, line, span } from '#ui/doc/doc.js';
import type { View } from '#ui/doc/renderer.js';
import { renderMessages } from '#ui/parts/message-list.js';
import { type NumberedMessage, numberMessages, renderMessage } from '#ui/parts/message-view.js';
import { renderEnvelopeSummary } from '#ui/parts/overview.js';
import { renderOptions, renderSystemPrompt, renderTools, separateDocs } from '#ui/parts/regions-view.js';
import { renderEnvelopeMarkdown } from './markdown.js';
import { hasSelection, type MessageSelection, selectMessages } from './selection.js';

/** The selection of an envelope, and how it is shown. */
export interface EnvelopeQuery extends MessageSelection {
  readonly part?: 'system' | 'tools' | 'messages' | 'options' | undefined;
  readonly sort?: 'tokens' | undefined;
  /** Texts are not cut. */
  readonly isFull: boolean;
  /** The name of the token method, if it is not Pi's. */
  readonly method: string | null;
  readonly title: string;
  /** The session and the revision as the user named them. */
  readonly where: readonly string[];
  /** The name of the file for people. */
  readonly file: string;
}

/** The selected part of an envelope, or all of it. */
export function renderSelected(envelope: ContextEnvelope, query: EnvelopeQuery, view: View): Doc {
  const { part, method, isFull } = query;
  if (part === 'options') return renderOptions(envelope);
  const selected = renderPart(envelope, query);
  if (selected !== null) {
    // If everything is shown, the sum tells how it was counted.
    return method === null ? selected : [...selected, gap, line(span(`tokens estimated (${method})`, 'faint'))];
  }
  return view.format === 'markdown' ? renderEnvelopeMarkdown(envelope, isFull) : renderEnvelope(envelope, query);
}

/** The selected part of the envelope, or messages; null for the whole envelope. */
function renderPart(envelope: ContextEnvelope, query: EnvelopeQuery): Doc | null {
  const { part, tool, sort, isFull } = query;
  if (part === 'tools') return renderTools(envelope, { isFull: isFull || tool !== undefined, only: tool });
  const items = numberMessages(envelope);
  if (hasSelection(query)) return renderMessageSelection(items, query);
  if (part === 'system') return renderSystemPrompt(envelope, isFull);
  if (part !== 'messages') return null;
  if (isFull) return separateDocs(items.map((item) => renderMessage(item, true)));
  return renderMessages(toOverview(envelope), { rows: Infinity, bySize: sort !== undefined });
}

function renderMessageSelection(items: readonly NumberedMessage[], query: EnvelopeQuery): Doc {
  const found = selectMessages(items, query);
  if (found.length === 0) return [line(span('no message matches', 'faint'))];
  const listed = query.sort ? sortLargestFirst(found, ({ share }) => share.tokens) : found;
  return separateDocs(listed.map((item) => renderMessage(item, query.isFull)));
}

/** Everything in the envelope, for a terminal. */
function renderEnvelope(envelope: ContextEnvelope, { title, where, file }: EnvelopeQuery): Doc {
  return separateDocs([
    renderEnvelopeSummary(toOverview(envelope), title, { where, file, rows: Infinity }),
    renderSystemPrompt(envelope, true),
    renderTools(envelope, { isFull: true }),
    renderOptions(envelope),
    ...numberMessages(envelope).map((item) => renderMessage(item, true)),
  ]);
}
