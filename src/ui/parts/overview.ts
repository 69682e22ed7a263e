import { listLargest } from '#analysis/composition/largest.js';
import { sumBy } from '#base/lists.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { formatModel } from '#context/models/model-name.js';
import type { EnvelopeOverview } from '#context/replay/overview.js';
import { findWindowOverrun, toWindow } from '#context/size/window.js';
import { describeUnseen } from '#context/words/describe-unseen.js';
import { describeWindowOverrun } from '#context/words/window-overrun.js';
import { type Block, commandLine, type Doc, fileSpan, gap, hangingLine, heading, line, span } from '../doc/doc.js';
import { renderComposition, renderUsageBar, suggestLook } from './composition-view.js';
import { renderChanges } from './context-changes.js';
import { type MessageListing, renderMessages } from './message-list.js';
import { describeAgentParts } from './size-words.js';

const FEWEST_MESSAGES = 4;
/** The lines of a screen that has room for the whole composition. */
const LARGE_SCREEN = 30;

/** The way in which an envelope is shown. */
export interface OverviewStyle extends MessageListing {
  /** The session and the revision as the user named them, for the next command. */
  readonly where: readonly string[];
  /** The name of the file for people. */
  readonly file: string;
  readonly columns: number;
}

/** The envelope on one short screen. `title` is what the session is called. */
export function renderOverview(envelope: EnvelopeOverview, title: string, style: OverviewStyle): Doc {
  const above = renderEnvelopeSummary(envelope, title, style);
  const used = sumBy(above, (block) => countLines(block, style.columns));
  const sum = style.rows < LARGE_SCREEN ? [] : renderMessageSum(envelope);
  const rows = Math.max(FEWEST_MESSAGES, style.rows - 4 - sum.length - used);
  return [...above, gap, ...sum, ...renderMessages(envelope, { ...style, rows })];
}

/** The lines that a block takes at least. */
function countLines(block: Block, columns: number): number {
  if (block.kind === 'table') return block.rows.length;
  if (block.kind !== 'line') return 1;
  return Math.max(1, Math.ceil(sumBy(block.spans, ({ text }) => text.length) / columns));
}

/** The number of messages, and the sum of those that are listed. */
function renderMessageSum({ messages, meta }: EnvelopeOverview): Doc {
  const { cached, uncached } = messages;
  if (cached.length + uncached.length === 0) return [];
  const more = uncached.length === 0 ? '' : ` and ${formatCount(uncached.length)} for this request only`;
  const tokens = sumBy(meta.composition.messages, (share) => share.tokens);
  return [line(span(`  ${pluralize(cached.length, 'message')}${more}, ~${pluralize(tokens, 'token')}`, 'faint'))];
}

/** Everything but the messages: identity, composition and changes. */
export function renderEnvelopeSummary(
  envelope: EnvelopeOverview,
  title: string,
  { rows, where, file }: Omit<OverviewStyle, 'bySize' | 'columns'>,
): Doc {
  const isSmall = rows < LARGE_SCREEN;
  const largest = listLargest(envelope);
  const look = suggestLook(largest, where);
  const changes = renderChanges(envelope);
  const blocks: Block[] = [heading(1, title), ...renderPlace(envelope, file)];
  if (!isSmall) blocks.push(gap);
  blocks.push(renderUsageBar(envelope), ...renderComposition(envelope, largest, isSmall ? 'small' : 'large'));
  if (look !== null) blocks.push(commandLine('  next: ', look));
  blocks.push(...renderUnseen(envelope), ...renderAboveWindow(envelope));
  if (changes.length > 0) blocks.push(gap, ...changes);
  return blocks;
}

function renderPlace({ session, at, meta }: EnvelopeOverview, file: string): readonly Block[] {
  const model = formatModel(meta.model);
  const place =
    at.entryId === null ? 'no entries in ' : `${at.entryId === at.leafId ? 'HEAD, ' : ''}line ${at.line} of `;
  const identity = line(
    span(at.entryId ?? '', 'id'),
    span(at.entryId === null ? '' : '  '),
    span(place, 'faint'),
    fileSpan(file, session.file, 'faint'),
  );
  const agent = session.agent ? [line(span(describeAgentParts(session.agent), 'faint'))] : [];
  const request = `turn ${meta.turnIndex}, before request ${formatCount(meta.requestIndex + 1)}`;
  return [identity, ...agent, line(`${model}, thinking ${meta.thinkingLevel}, ${request}`)];
}

function renderUnseen({ meta: { unseen } }: EnvelopeOverview): Doc {
  return unseen === null
    ? []
    : [hangingLine(2, span('  '), span(`${describeUnseen(unseen)} (${unseen.entryId})`, 'warning'))];
}

function renderAboveWindow({ meta }: EnvelopeOverview): Doc {
  const found = findWindowOverrun(meta.size, toWindow(meta));
  return found === null ? [] : [hangingLine(2, span('  '), span(describeWindowOverrun(found), 'warning'))];
}
