import type { ReadingBlock, TextSource } from '#analysis/reading/reading-block.js';
import { buildReadingBlocks } from '#analysis/reading/reading-blocks.js';
import { asText, type JsonObject } from '#base/json.js';
import { formatBytes } from '#base/numbers.js';
import type { LlmMessage } from '#context/replay/content.js';
import { readSentRole } from '#context/replay/convert.js';
import type { ContextEnvelope, Provenance } from '#context/replay/envelope.js';
import type { Share } from '#context/size/composition.js';
import { listBlocks } from '#context/words/message-blocks.js';
import { formatCall, shorten } from '#context/words/message-text.js';
import { type Block, type Doc, line, type Span, span, verbatim } from '../doc/doc.js';
import { clipText } from './clip-text.js';
import { formatShare } from './size-words.js';

/** A message of an envelope with its place: numbered from 1, cached ones first. */
export interface NumberedMessage {
  readonly number: number;
  readonly message: LlmMessage;
  readonly provenance: Provenance | undefined;
  readonly isCached: boolean;
  /** The tool call that a result answers, where it is known. */
  readonly call?: JsonObject | undefined;
  /** The working folder of the session, which paths omit. */
  readonly cwd?: string | undefined;
  /** The share of the message in the size of the context, and its estimate. */
  readonly share: Share;
}

/** The messages of an envelope with their sources, and the session where it is known. */
interface Numberable extends Pick<ContextEnvelope, 'messages'> {
  readonly session?: Pick<ContextEnvelope['session'], 'cwd'>;
  readonly meta: Pick<ContextEnvelope['meta'], 'provenance'> & {
    readonly composition: Pick<ContextEnvelope['meta']['composition'], 'messages'>;
  };
}

export function numberMessages({ session, messages, meta }: Numberable): readonly NumberedMessage[] {
  const all = [...messages.cached, ...messages.uncached];
  return all.map((message, index) => ({
    number: index + 1,
    message,
    provenance: meta.provenance[index],
    isCached: index < messages.cached.length,
    call: findAnsweredCall((at) => all[at], index),
    cwd: session?.cwd ?? '',
    share: meta.composition.messages[index] ?? { tokens: 0, tokensEstimated: 0 },
  }));
}

/** The results of parallel calls that are passed on the way up from a result to its call. */
const MOST_PARALLEL = 64;

/** The tool call that a result answers, in the answer above the results; undefined for other messages. */
export function findAnsweredCall(
  messageAt: (index: number) => LlmMessage | undefined,
  index: number,
  roleAt = (at: number) => messageAt(at)?.role,
  result = messageAt(index),
): JsonObject | undefined {
  if (result?.role !== 'toolResult') return undefined;
  for (let at = index - 1; at >= Math.max(0, index - MOST_PARALLEL); at -= 1) {
    // Reading a message may parse a long line again.
    if (roleAt(at) === 'toolResult') continue;
    return listBlocks(messageAt(at) ?? {}).find(({ type, id }) => type === 'toolCall' && id === result.toolCallId);
  }
  return undefined;
}

/** The origin of a message in a word or two, unless it is plainly an entry. */
export function describeOrigin({ provenance, isCached }: Pick<NumberedMessage, 'provenance' | 'isCached'>): string {
  if (!isCached) return 'ephemeral';
  switch (provenance?.origin) {
    case 'edit':
      return `edited by ${provenance.editId}`;
    case 'compaction':
      return 'summary';
    case 'transform':
      return `from ${shorten(provenance.transformerName ?? 'transform', ORIGIN_CHARACTERS)}`;
    default:
      return '';
  }
}

const ORIGIN_CHARACTERS = 24;

/** A message with all of its content; long texts are cut unless `isFull`. */
export function renderMessage(item: NumberedMessage, isFull: boolean): Doc {
  const { number, message, provenance, share, call, cwd } = item;
  const origin = describeOrigin(item);
  const name = call ? shorten(formatCall(call, cwd), NAME_CHARACTERS) : asText(message.toolName ?? '?');
  const head = line(
    span(`#${number} `, 'faint'),
    span(readSentRole(message), 'strong'),
    span(message.role === 'toolResult' ? ` ${name}` : '', 'tools'),
    '  ',
    span(provenance?.entryId ?? '', 'id'),
    span(`  ${formatShare(share)}${origin === '' ? '' : `, ${origin}`}`, 'faint'),
  );
  return [head, ...renderReading(buildReadingBlocks(message, { call, cwd }), isFull)];
}

const NAME_CHARACTERS = 80;

/**
 * Blocks of a message as a document; long texts are cut unless `isFull`. A text after thinking has a title, as thinking
 * has.
 */
export function renderReading(blocks: readonly ReadingBlock[], isFull: boolean): Doc {
  return blocks.filter(isWorthShowing).flatMap((block, at, shown) => {
    const isBelowThinking = block.kind === 'text' && shown[at - 1]?.kind === 'thinking';
    const own = renderReadingBlock(block, isFull);
    return isBelowThinking ? [buildNote('answer'), ...own] : own;
  });
}

/** Models begin answers with an empty text. */
function isWorthShowing(block: ReadingBlock): boolean {
  return (block.kind !== 'text' && block.kind !== 'output') || block.content.text.trim() !== '';
}

function renderReadingBlock(block: ReadingBlock, isFull: boolean): readonly Block[] {
  switch (block.kind) {
    case 'text':
    case 'output':
    case 'diff':
      return [renderSource(block.content, isFull)];
    case 'thinking':
      return block.content.text === ''
        ? [buildNote('thinking, without its text')]
        : [buildNote('thinking'), renderSource(block.content, isFull)];
    case 'call':
      return [renderCall(block)];
    case 'argument':
      return UNNAMED.has(block.name)
        ? [renderSource(block.content, isFull)]
        : [buildNote(block.name), renderSource(block.content, isFull)];
    case 'image':
      return [buildNote(`image, ${block.type}, ${formatBytes(block.bytes)}`)];
    case 'failure':
      return [buildNote(block.text, 'error')];
    case 'unknown':
      return [buildNote('unknown block'), renderSource(block.content, isFull)];
  }
}

/** Arguments that the line of their call explains. */
const UNNAMED: ReadonlySet<string> = new Set(['', 'command', 'content']);

function renderSource({ text, language }: TextSource, isFull: boolean): Block {
  return verbatim(clipText(text, isFull), language);
}

function renderCall({ tool, subject, details }: Extract<ReadingBlock, { kind: 'call' }>): Block {
  const others = details.length === 0 ? [] : [span(`  ${details.join(', ')}`, 'faint')];
  return { kind: 'bullets', items: [[span(tool, 'tools'), span(subject === '' ? '' : ` ${subject}`), ...others]] };
}

function buildNote(text: string, tone: Span['tone'] = 'faint'): Block {
  return { kind: 'bullets', isTitle: true, items: [[span(text, tone)]] };
}
