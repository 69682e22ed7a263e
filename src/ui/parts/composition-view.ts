import type { LargePart } from '#analysis/composition/largest.js';
import { type CompositionRow, listCompositionRows, type NamedTokens } from '#analysis/composition/rows.js';
import { sumBy } from '#base/lists.js';
import { formatCount, formatPercent } from '#base/numbers.js';
import { toShellWord } from '#base/shell.js';
import type { EnvelopeOverview } from '#context/replay/overview.js';
import { formatCall, previewMessage, shorten } from '#context/words/message-text.js';
import { type Block, type Doc, flexible, hangingLine, left, right, type Span, span, table } from '../doc/doc.js';
import type { Tone } from '../doc/tone.js';
import { describeOrigin, findAnsweredCall } from './message-view.js';
import { describeSizeSource, describeWindowUse, formatShortSize, formatSize, toSizeShares } from './size-words.js';

/** An envelope with its composition. */
type ComposedEnvelope = Pick<EnvelopeOverview, 'session' | 'meta'>;

/** The share of the context window that is used; no bar for an unknown window. */
export function renderUsageBar({ meta }: ComposedEnvelope): Block {
  const { size, limit, sources, composition } = meta;
  if (limit === null) return { kind: 'line', spans: [span(`  ${formatShortSize(size)} tokens of an unknown window`)] };
  const segments = listCompositionRows(composition, '').map(({ kind, tokens }) => ({
    tone: chooseTone(kind),
    value: tokens,
  }));
  return {
    kind: 'bar',
    segments: BAR_ORDER.map((tone) => ({
      tone,
      value: sumBy(segments, (each) => (each.tone === tone ? each.value : 0)),
    })),
    total: Math.max(limit, size.tokens),
    label: [span(`${formatShortSize(size)}${describeWindowUse(size, limit, sources.limit === 'assumed')}`)],
  };
}

const BAR_ORDER: readonly Tone[] = ['system', 'tools', 'messages', 'plain'];

/** The colour of a row: what the agent adds to every request, its tools, and the conversation. */
export function chooseTone(kind: CompositionRow['kind']): Tone {
  switch (kind) {
    case 'prompt':
    case 'memory files':
    case 'skills':
    case 'agents':
    case 'hooks':
    case 'reminders':
      return 'system';
    case 'tools':
      return 'tools';
    case 'not recorded':
    case 'others':
      return 'plain';
    default:
      return 'messages';
  }
}

/** The rows of a composition as cells: what it is, its tokens, its share, and what it consists of. */
export function renderCompositionCells(
  { session, meta }: ComposedEnvelope,
  most?: number,
): readonly (readonly Span[])[] {
  const { composition, size } = meta;
  return listCompositionRows(composition, session.cwd ?? '', most).map((row) => [
    span(row.title, chooseTone(row.kind)),
    span(formatCount(row.tokens)),
    span(formatPercent(row.tokens, size.tokens), 'faint'),
    span(row.kind === 'not recorded' ? describeNotRecorded({ session, meta }) : formatNames(row.names), 'faint'),
  ]);
}

const COMPOSITION_COLUMNS = [left('part'), right('tokens'), right('share'), flexible('what')];

/** The rows of the composition on a small screen, and on any other. */
const MOST_ROWS = { small: 5, large: 10 };

/** The size of a context, what it consists of, which adds up to the size, and the largest things in it by name. */
export function renderComposition(
  envelope: EnvelopeOverview,
  largest: readonly LargePart[],
  screen: keyof typeof MOST_ROWS,
): Doc {
  const { size, model, tokens, sources } = envelope.meta;
  const isWhole = size.recorded > 0 || (sources.system !== 'unknown' && sources.tools !== 'unknown');
  const source = describeSizeSource(size, { model, method: tokens.method });
  const missing = isWhole ? '' : ', without the parts that are not recorded';
  const things = screen === 'large' ? renderLargest(envelope, largest) : renderLargestInLine(envelope, largest);
  const rows = [...renderCompositionCells(envelope, MOST_ROWS[screen]), ...things];
  const summary = hangingLine(2, `  ${formatSize(size)} tokens: `, span(`${source}${missing}`, 'faint'));
  return rows.length === 0 ? [summary] : [summary, table(COMPOSITION_COLUMNS, rows, { hasTitles: false })];
}

const MOST_NAMES = 6;

function formatNames(names: readonly NamedTokens[]): string {
  const shown = names.slice(0, MOST_NAMES).map(({ name, tokens }) => `${name} ${formatCount(tokens)}`);
  return `${shown.join(', ')}${names.length > shown.length ? ', …' : ''}`;
}

/** Describes the tokens that the provider counted beside what the file has. */
function describeNotRecorded({ session, meta }: ComposedEnvelope): string {
  const { notInFile, notItemised } = toSizeShares(meta);
  const texts = `~${formatCount(notInFile)} of messages whose text is not in the file`;
  if (notInFile > 0 && notInFile === notItemised) return texts;
  const { system, tools } = meta.sources;
  const parts: string[] = [];
  if (system === 'unknown') parts.push('prompt', 'memory files');
  if (tools === 'unknown') parts.push('tools');
  const what = parts.length === 0 ? 'what the file does not have' : `${parts.join(', ')} and other texts`;
  const by = session.agent ? `; ${session.agent.title} does not record it` : ', from the first request';
  return `${what}${by}${notInFile > 0 ? `; ${texts}` : ''}`;
}

/** The largest things of a context by name, as cells below the composition. */
export function renderLargest(envelope: EnvelopeOverview, largest: readonly LargePart[]): readonly (readonly Span[])[] {
  return largest.map((thing, at) => [
    span(at === 0 ? 'largest' : '', 'strong'),
    span(formatCount(thing.tokens)),
    span(formatPercent(thing.tokens, envelope.meta.size.tokens), 'faint'),
    span(describeThing(envelope, thing)),
  ]);
}

const SHORT_NAME = 24;

/** The largest things in one row, for a small screen. */
function renderLargestInLine(envelope: EnvelopeOverview, largest: readonly LargePart[]): readonly (readonly Span[])[] {
  if (largest.length === 0) return [];
  const names = largest.map((thing) => {
    return `${shorten(describeThing(envelope, thing), SHORT_NAME)} ${formatCount(thing.tokens)}`;
  });
  return [[span('largest', 'strong'), span(''), span(''), span(names.join(', '))]];
}

function describeThing({ messages, session }: EnvelopeOverview, { number, name }: LargePart): string {
  if (number === null) return name ?? '';
  const { cached } = messages;
  const index = number - 1;
  const { message, from } = cached.at(index) ?? {};
  if (!message) return `#${number}`;
  const cwd = session.cwd ?? '';
  const origin = describeOrigin({ provenance: from, isCached: true });
  const call = findAnsweredCall((at) => cached.at(at)?.message, index, cached.roleAt, message);
  const words = call ? formatCall(call, cwd) : previewMessage(message, null, cwd);
  return `#${number} ${origin === '' ? '' : `[${origin}] `}${words}`;
}

/**
 * The command that prints the largest thing of a context; null if it is empty. `where`: the words that name its place.
 */
export function suggestLook([first]: readonly LargePart[], where: readonly string[]): string | null {
  if (!first) return null;
  const command = ['ctx show', ...where.map(toShellWord)].join(' ');
  if (first.number !== null) return `${command} --message ${first.number}`;
  return first.part === null ? `${command} --sort tokens` : `${command} --part ${first.part}`;
}
