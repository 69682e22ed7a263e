import { asString, asText, type JsonObject } from '#base/json.js';
import { clip, count, plural } from '#base/words.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { ContextEnvelope, Provenance } from '#context/replay/envelope.js';
import { BY_CHARACTERS, type TokenMethod, tokensOfMessage } from '#context/replay/tokens.js';
import { blocksOf } from '#context/words/message-text.js';
import { type Block, type Doc, line, type Span, span, verbatim } from '../doc/doc.js';

/** A message of an envelope with its place: numbered from 1, cached ones first. */
export interface NumberedMessage {
  readonly number: number;
  readonly message: LlmMessage;
  readonly provenance: Provenance | undefined;
  readonly isCached: boolean;
  /** How its tokens are counted. */
  readonly method: TokenMethod;
}

export function numbered(
  { messages, meta }: ContextEnvelope,
  method: TokenMethod = BY_CHARACTERS,
): readonly NumberedMessage[] {
  const all = [...messages.cached, ...messages.uncached];
  return all.map((message, at) => ({
    number: at + 1,
    message,
    provenance: meta.provenance[at],
    isCached: at < messages.cached.length,
    method,
  }));
}

/** Where a message comes from, in a word or two, for all that is not plainly an entry. */
export function originText({ provenance, isCached }: Pick<NumberedMessage, 'provenance' | 'isCached'>): string {
  if (!isCached) return 'ephemeral';
  switch (provenance?.origin) {
    case 'edit':
      return `edited by ${provenance.editId}`;
    case 'compaction':
      return 'summary';
    case 'transform':
      return 'from a transform';
    default:
      return '';
  }
}

/** A message with all of its content; long texts are cut unless `isFull`. */
export function messageDoc(item: NumberedMessage, isFull: boolean): Doc {
  const { number, message, provenance, method } = item;
  const origin = originText(item);
  const head = line(
    span(`#${number} `, 'faint'),
    span(message.role, 'strong'),
    span(message.role === 'toolResult' ? ` ${asText(message['toolName'] ?? '?')}` : '', 'tools'),
    '  ',
    span(provenance?.entryId ?? '', 'id'),
    span(`  ${plural(tokensOfMessage(message, method), 'token')}${origin === '' ? '' : `, ${origin}`}`, 'faint'),
  );
  return [head, ...contentDoc(message, isFull)];
}

/** What a message says, without a heading. */
export function contentDoc(message: LlmMessage, isFull: boolean): Doc {
  return [...blocksOf(message).flatMap((block) => blockDoc(block, isFull)), ...failureOf(message)];
}

function failureOf(message: LlmMessage): readonly Block[] {
  const stop = asString(message['stopReason']);
  if (message['isError'] === true) return [note('the tool reported an error', 'error')];
  if (stop !== 'error' && stop !== 'aborted') return [];
  return [note(`${stop}: ${asText(message['errorMessage'] ?? 'no message')}`, 'error')];
}

function blockDoc(block: JsonObject, isFull: boolean): readonly Block[] {
  switch (block['type']) {
    case 'text':
      return [verbatim(clip(asString(block['text']) ?? '', isFull))];
    case 'thinking':
      return [note('thinking'), verbatim(clip(asString(block['thinking']) ?? '', isFull))];
    case 'toolCall':
      return [
        note(`calls ${asText(block['name'])}`),
        verbatim(clip(JSON.stringify(block['arguments'] ?? {}, null, 2), isFull), 'json'),
      ];
    case 'image':
      return [
        note(
          `image, ${asText(block['mimeType'] ?? 'of unknown type')}, ${count(asString(block['data'])?.length ?? 0)} characters of base64`,
        ),
      ];
    default:
      return [note('unknown block'), verbatim(clip(JSON.stringify(block, null, 2), isFull), 'json')];
  }
}

function note(text: string, tone: Span['tone'] = 'faint'): Block {
  return { kind: 'bullets', items: [[span(text, tone)]] };
}
