import { asString, asText, isObject, type JsonObject } from '#base/json.js';
import { clip, count, plural } from '#base/words.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { ContextEnvelope, Provenance } from '#context/replay/envelope.js';
import { BY_CHARACTERS, type TokenMethod, tokensOfMessage } from '#context/replay/tokens.js';
import { blocksOf, callText, isSummary, shortened } from '#context/words/message-text.js';
import { type Block, type Doc, line, type Span, span, verbatim } from '../doc/doc.js';

/** A message of an envelope with its place: numbered from 1, cached ones first. */
export interface NumberedMessage {
  readonly number: number;
  readonly message: LlmMessage;
  readonly provenance: Provenance | undefined;
  readonly isCached: boolean;
  /** The tool call that a result answers, where it is known. */
  readonly call?: JsonObject | undefined;
  /** How its tokens are counted. */
  readonly method: TokenMethod;
}

export function numbered(
  { messages, meta }: ContextEnvelope,
  method: TokenMethod = BY_CHARACTERS,
): readonly NumberedMessage[] {
  const all = [...messages.cached, ...messages.uncached];
  return all.map((message, index) => ({
    number: index + 1,
    message,
    provenance: meta.provenance[index],
    isCached: index < messages.cached.length,
    call: answeredCall((at) => all[at], index),
    method,
  }));
}

/** The results of parallel calls that are passed on the way up from a result to its call. */
const MOST_PARALLEL = 64;

/** The tool call that a result answers, in the answer above the results; undefined for other messages. */
export function answeredCall(
  messageAt: (index: number) => LlmMessage | undefined,
  index: number,
): JsonObject | undefined {
  const result = messageAt(index);
  if (result?.role !== 'toolResult') return undefined;
  for (let at = index - 1; at >= Math.max(0, index - MOST_PARALLEL); at -= 1) {
    const message = messageAt(at);
    if (message?.role === 'toolResult') continue;
    return blocksOf(message ?? {}).find(({ type, id }) => type === 'toolCall' && id === result['toolCallId']);
  }
  return undefined;
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
      return 'from transform';
    default:
      return '';
  }
}

/** A message with all of its content; long texts are cut unless `isFull`. */
export function messageDoc(item: NumberedMessage, isFull: boolean): Doc {
  const { number, message, provenance, method, call } = item;
  const origin = originText(item);
  const head = line(
    span(`#${number} `, 'faint'),
    span(message.role, 'strong'),
    span(message.role === 'toolResult' ? ` ${resultName(message, call)}` : '', 'tools'),
    '  ',
    span(provenance?.entryId ?? '', 'id'),
    span(`  ${plural(tokensOfMessage(message, method), 'token')}${origin === '' ? '' : `, ${origin}`}`, 'faint'),
  );
  return [head, ...contentDoc(message, isFull, call)];
}

const NAME_CHARACTERS = 80;

function resultName(message: LlmMessage, call: JsonObject | undefined): string {
  return call ? shortened(callText(call), NAME_CHARACTERS) : asText(message['toolName'] ?? '?');
}

/** The content of a message, without a heading. `call`: the tool call that it answers, where it is known. */
export function contentDoc(message: LlmMessage, isFull: boolean, call?: JsonObject): Doc {
  const languageIn = (text: string): string => languageOf(message, text, call);
  return [...blocksOf(message).flatMap((block) => blockDoc(block, languageIn, isFull)), ...failureOf(message)];
}

/**
 * Models write Markdown, in answers and in summaries, and a file that was read is in the language of its name. Other
 * texts of users and tools may hold marks without meaning them.
 */
function languageOf({ role }: LlmMessage, text: string, call: JsonObject | undefined): string {
  if (role === 'assistant' || isSummary(text)) return 'markdown';
  if (call?.['name'] !== 'read' || !isObject(call['arguments'])) return '';
  return /\.(\w{1,12})$/.exec(asString(call['arguments']['path']) ?? '')?.[1]?.toLowerCase() ?? '';
}

function failureOf(message: LlmMessage): readonly Block[] {
  const stop = asString(message['stopReason']);
  if (message['isError'] === true) return [note('the tool reported an error', 'error')];
  if (stop !== 'error' && stop !== 'aborted') return [];
  return [note(`${stop}: ${asText(message['errorMessage'] ?? 'no message')}`, 'error')];
}

function blockDoc(block: JsonObject, languageIn: (text: string) => string, isFull: boolean): readonly Block[] {
  const textOf = (text: string): Block => verbatim(clip(text, isFull), languageIn(text));
  switch (block['type']) {
    case 'text':
      return [textOf(asString(block['text']) ?? '')];
    case 'thinking':
      return [note('thinking'), textOf(asString(block['thinking']) ?? '')];
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
