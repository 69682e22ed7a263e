import { asString, asText, isObject, type JsonObject } from '#base/json.js';
import { timeText } from '#base/time.js';
import { byteSize, clip, count, dollars, plural } from '#base/words.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { ContextEnvelope, Provenance } from '#context/replay/envelope.js';
import { BY_CHARACTERS, type TokenMethod, tokensOfMessage, usageNumbers } from '#context/replay/tokens.js';
import { entryName } from '#context/words/entry-text.js';
import { blocksOf, callText, shortened } from '#context/words/message-text.js';
import { CallFinder } from '#context/words/tool-call.js';
import type { Session } from '#session/session.js';
import { type Head, idText } from '#session/table/head.js';
import { type Block, type Doc, line, type Span, span, verbatim } from '../doc/doc.js';
import { messageBlocks, type Reading, readingBlocks } from '../reading/message.js';
import type { ReadingBlock, Source } from '../reading/model.js';

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
  /** The method of counting its tokens. */
  readonly method: TokenMethod;
}

/** The messages of an envelope with their sources, and the session where it is known. */
interface Numberable extends Pick<ContextEnvelope, 'messages'> {
  readonly session?: Pick<ContextEnvelope['session'], 'cwd'>;
  readonly meta: Pick<ContextEnvelope['meta'], 'provenance'>;
}

export function numbered(
  { session, messages, meta }: Numberable,
  method: TokenMethod = BY_CHARACTERS,
): readonly NumberedMessage[] {
  const all = [...messages.cached, ...messages.uncached];
  return all.map((message, index) => ({
    number: index + 1,
    message,
    provenance: meta.provenance[index],
    isCached: index < messages.cached.length,
    call: answeredCall((at) => all[at], index),
    cwd: session?.cwd ?? '',
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

/** The origin of a message in a word or two, unless it is plainly an entry. */
export function originText({ provenance, isCached }: Pick<NumberedMessage, 'provenance' | 'isCached'>): string {
  if (!isCached) return 'ephemeral';
  switch (provenance?.origin) {
    case 'edit':
      return `edited by ${provenance.editId}`;
    case 'compaction':
      return 'summary';
    case 'transform':
      return `from ${shortened(provenance.transformerName ?? 'transform', ORIGIN_CHARACTERS)}`;
    default:
      return '';
  }
}

const ORIGIN_CHARACTERS = 24;

/** A message with all of its content; long texts are cut unless `isFull`. */
export function messageDoc(item: NumberedMessage, isFull: boolean): Doc {
  const { number, message, provenance, method, call, cwd } = item;
  const origin = originText(item);
  const head = line(
    span(`#${number} `, 'faint'),
    span(message.role, 'strong'),
    span(message.role === 'toolResult' ? ` ${resultName(message, item)}` : '', 'tools'),
    '  ',
    span(provenance?.entryId ?? '', 'id'),
    span(`  ${plural(tokensOfMessage(message, method), 'token')}${origin === '' ? '' : `, ${origin}`}`, 'faint'),
  );
  return [head, ...readingDoc(readingBlocks(message, { call, cwd }), isFull)];
}

const NAME_CHARACTERS = 80;

function resultName(message: LlmMessage, { call, cwd }: NumberedMessage): string {
  return call ? shortened(callText(call, cwd), NAME_CHARACTERS) : asText(message['toolName'] ?? '?');
}

/** Blocks of a message as a document; long texts are cut unless `isFull`. */
export function readingDoc(blocks: readonly ReadingBlock[], isFull: boolean): Doc {
  return blocks.flatMap((block) => blockDoc(block, isFull));
}

function blockDoc(block: ReadingBlock, isFull: boolean): readonly Block[] {
  switch (block.kind) {
    case 'text':
    case 'output':
    case 'diff':
      return [textDoc(block.content, isFull)];
    case 'thinking':
      return block.content.text === ''
        ? [note('thinking, without its text')]
        : [note('thinking'), textDoc(block.content, isFull)];
    case 'call':
      return [callLine(block)];
    case 'argument':
      return [...(UNNAMED.has(block.name) ? [] : [note(block.name)]), textDoc(block.content, isFull)];
    case 'image':
      return [note(`image, ${block.type}, ${byteSize(block.bytes)}`)];
    case 'failure':
      return [note(block.text, 'error')];
    case 'unknown':
      return [note('unknown block'), textDoc(block.content, isFull)];
  }
}

/** Arguments that the line of their call explains. */
const UNNAMED: ReadonlySet<string> = new Set(['', 'command', 'content']);

function textDoc({ text, language }: Source, isFull: boolean): Block {
  return verbatim(clip(text, isFull), language);
}

function callLine({ tool, subject, details }: Extract<ReadingBlock, { kind: 'call' }>): Block {
  const others = details.length === 0 ? [] : [span(`  ${details.join(', ')}`, 'faint')];
  return { kind: 'bullets', items: [[span(tool, 'tools'), span(subject === '' ? '' : ` ${subject}`), ...others]] };
}

function note(text: string, tone: Span['tone'] = 'faint'): Block {
  return { kind: 'bullets', items: [[span(text, tone)]] };
}

/** An entry in full: its place, the recorded usage and its whole content. */
export function entryDoc(session: Session, head: Head): Doc {
  const [entry, usage] = [session.entry(head), session.usage(head)];
  const reading = { call: new CallFinder(session).of(head, entry) ?? undefined, cwd: session.header.cwd ?? '' };
  return [...headingOf(head, entry), ...(usage ? [usageLine(usage)] : []), ...bodyOf(entry, reading)];
}

function headingOf(head: Head, entry: JsonObject): Doc {
  const message = isObject(entry['message']) ? entry['message'] : {};
  const tool = head.role === 'toolResult' ? ` ${asString(message['toolName']) ?? '?'}` : '';
  const time = timeText(head.time) ?? 'no time';
  const parent = idText(head.parentId);
  return [
    line(
      span(entryName(head), 'strong'),
      span(tool, 'tools'),
      '  ',
      span(idText(head.id) ?? 'no id', 'id'),
      span(`  line ${head.line}, ${plural(head.length, 'byte')}, ${time}`, 'faint'),
    ),
    line(span(parent === null ? 'no parent' : `parent ${parent}`, 'faint')),
  ];
}

function usageLine(usage: JsonObject): Block {
  const { input, output, cacheRead, cacheWrite, total, cost } = usageNumbers(usage);
  const money = cost === null ? '' : `, ${dollars(cost)}`;
  const parts = `${count(input)} in, ${count(cacheRead)} cache read, ${count(cacheWrite)} cache write, ${count(output)} out`;
  return line(span(`recorded ${plural(total, 'token')}: ${parts}${money}`, 'faint'));
}

function bodyOf(entry: JsonObject, reading: Reading): Doc {
  const blocks = messageBlocks(entry, reading);
  return blocks ? readingDoc(blocks, true) : fieldsDoc(isObject(entry['message']) ? entry['message'] : entry, '');
}

/** A text up to this length has room beside its name. */
const SHORT = 60;

const SAID_ABOVE: ReadonlySet<string> = new Set(['type', 'role', 'id', 'parentId', 'timestamp', 'usage']);

/** Fields by their names: texts as they read, the sections of a prompt one by one, all else as JSON. */
function fieldsDoc(fields: JsonObject, prefix: string): Doc {
  return Object.entries(fields).flatMap(([key, value]) => {
    const name = `${prefix}${key}`;
    if (value === undefined || (prefix === '' && SAID_ABOVE.has(key))) return [];
    if (isObject(value) && prefix === '' && Object.values(value).some((text) => typeof text === 'string'))
      return fieldsDoc(value, `${key}.`);
    if (value === '' || typeof value === 'number' || typeof value === 'boolean' || value === null)
      return [named(name, JSON.stringify(value))];
    if (typeof value !== 'string') return [named(name), verbatim(JSON.stringify(value, null, 2), 'json')];
    return value.length > SHORT || value.includes('\n') ? [named(name), verbatim(value)] : [named(name, value)];
  });
}

function named(name: string, value?: string): Block {
  const spans = value === undefined ? [span(name, 'faint')] : [span(`${name}: `, 'faint'), span(value)];
  return { kind: 'bullets', items: [spans] };
}
