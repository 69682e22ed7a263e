import { asCount, asObject, asString, isObject, type JsonObject, listObjects, parseJson } from '#base/json.js';
import { inferStopReason, parseImageUrl, toTextBlock } from '../blocks.js';
import { readOnce } from '../one-document.js';

/** The parts that a request adds to a conversation. */
export type ResponsePiece = MessagePiece | SummaryPiece;

/** A message of Pi, which is built when it is read. */
interface MessagePiece {
  readonly kind: 'message';
  readonly role: 'user' | 'assistant' | 'toolResult';
  /** Milliseconds since 1970, NaN if unknown. */
  readonly time: number;
  /** The id of its round; null for the words of the user, and without rounds. */
  readonly round: string | null;
  build(): JsonObject;
}

/** The messages up to the end of a round were summarised, in this request or an earlier one. */
interface SummaryPiece {
  readonly kind: 'summary';
  readonly text: string;
  readonly round: string;
}

/** Lists the parts of a request: the words of the user, the answers and results of its rounds, and a summary. */
export const listPieces = readOnce((request): readonly ResponsePiece[] => {
  const time = asCount(request['timestamp']) ?? Number.NaN;
  const { summary, toolCallRounds } = readMetadata(request);
  const rounds = listObjects(toolCallRounds);
  const input: MessagePiece = { kind: 'message', role: 'user', time, round: null, build: () => buildInput(request) };
  const answers =
    rounds.length > 0 ? rounds.flatMap((round) => listRound(request, round, time)) : listShown(request, time);
  const { toolCallRoundId: round, text } = asObject(summary);
  if (typeof round !== 'string' || typeof text !== 'string') return [input, ...answers];
  const end = answers.findLastIndex((piece) => piece.round === round) + 1;
  return [input, ...answers.slice(0, end), { kind: 'summary', text, round }, ...answers.slice(end)];
});

function readMetadata(request: JsonObject): JsonObject {
  return asObject(asObject(request['result'])['metadata']);
}

/** The model that a request names, such as `copilot/gpt-5`. */
export function readRequestModel({
  modelId,
}: JsonObject): { readonly provider: string; readonly model: string } | null {
  const [provider, ...rest] = (asString(modelId) ?? '').split('/');
  return provider && rest.length > 0 ? { provider, model: rest.join('/') } : null;
}

/** Whether a request was taken back: it is removed when the next one is sent. */
export function isTakenBack({ shouldBeRemovedOnSend, isHidden }: JsonObject): boolean {
  return isObject(shouldBeRemovedOnSend) || isHidden === true;
}

/** The message as it was rendered, or else the words of the user. */
function buildInput(request: JsonObject): JsonObject {
  const { renderedUserMessage: rendered } = readMetadata(request);
  const blocks = listObjects(rendered).flatMap(toRenderedBlock);
  return { role: 'user', content: blocks.length > 0 ? blocks : [toTextBlock(readWords(request))] };
}

function readWords({ message }: JsonObject): string {
  return asString(message) ?? asString(asObject(message)['text']) ?? '';
}

/** Parts are numbered: 0 is an image, 1 a text; 3 marks the cache and is not sent as content. */
function toRenderedBlock({ type, text, imageUrl }: JsonObject): readonly JsonObject[] {
  if (type === TEXT || type === 'text') return [toTextBlock(asString(text) ?? '')];
  if (type !== IMAGE) return [];
  return [parseImageUrl(asString(asObject(imageUrl)['url']) ?? '') ?? toTextBlock('[image]')];
}

const IMAGE = 0;
const TEXT = 1;

/** One answer with its calls, and their results. */
function listRound(request: JsonObject, round: JsonObject, time: number): readonly MessagePiece[] {
  const { id, response, toolCalls, thinking, timestamp } = round;
  const calls = listObjects(toolCalls);
  const thought = readThinking(thinking);
  const text = asString(response) ?? '';
  const own = { kind: 'message', time: asCount(timestamp) ?? time, round: asString(id) } as const;
  const build = (): JsonObject =>
    buildAnswer(request, [
      ...(thought === '' ? [] : [{ type: 'thinking', thinking: thought }]),
      ...(text === '' ? [] : [toTextBlock(text)]),
      ...calls.map(toCall),
    ]);
  const isEmpty = thought === '' && text === '' && calls.length === 0;
  const results = asObject(readMetadata(request)['toolCallResults']);
  return [
    ...(isEmpty ? [] : [{ ...own, role: 'assistant', build } as const]),
    ...calls.flatMap(({ id: call, name }): readonly MessagePiece[] => {
      const key = asString(call) ?? '';
      const result = Object.hasOwn(results, key) ? results[key] : undefined;
      if (!isObject(result)) return [];
      return [{ ...own, role: 'toolResult', build: () => buildResult(key, asString(name) ?? '', result) }];
    }),
  ];
}

function toCall({ id, name, arguments: input }: JsonObject): JsonObject {
  const given = parseJson(asString(input) ?? '');
  return {
    type: 'toolCall',
    id: asString(id) ?? '',
    name: asString(name) ?? '',
    arguments: isObject(given) ? given : { input },
  };
}

function buildAnswer(request: JsonObject, content: readonly JsonObject[]): JsonObject {
  const model = readRequestModel(request) ?? { provider: 'unknown', model: 'unknown' };
  return { role: 'assistant', content, ...model, stopReason: inferStopReason(content) };
}

function buildResult(toolCallId: string, toolName: string, result: JsonObject): JsonObject {
  const content = listObjects(result['content']).map(toResultBlock);
  return { role: 'toolResult', toolCallId, toolName, content, isError: false };
}

/** A text, or a tree of rendered texts. */
function toResultBlock({ value }: JsonObject): JsonObject {
  if (typeof value === 'string') return toTextBlock(value);
  const node = asObject(value)['node'];
  return toTextBlock(isObject(node) ? joinTexts(node) : JSON.stringify(value ?? null));
}

/** Joins the texts in a tree, in their order. It does not recurse, since a hostile file may be nested to any depth. */
function joinTexts(root: JsonObject): string {
  let text = '';
  const waiting: JsonObject[] = [root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (typeof node['text'] === 'string') {
      const isNewLine = node['lineBreakBefore'] === true || node['lineBreakBefore'] === 1;
      text += `${isNewLine && text !== '' ? '\n' : ''}${node['text']}`;
    }
    // One at a time: a call with a huge list of arguments throws.
    for (const child of listObjects(node['children']).toReversed()) waiting.push(child);
  }
  return text;
}

function readThinking(thinking: unknown): string {
  const { text } = asObject(thinking);
  return Array.isArray(text) ? text.filter((part) => typeof part === 'string').join('') : (asString(text) ?? '');
}

/** The answer as the screen shows it, where no rounds are recorded. */
function listShown(request: JsonObject, time: number): readonly MessagePiece[] {
  const content = joinShown(listObjects(request['response']).flatMap(toShownBlock));
  const build = (): JsonObject => buildAnswer(request, content);
  return content.length === 0 ? [] : [{ kind: 'message', role: 'assistant', time, round: null, build }];
}

/** Texts that follow one another are one: references are between them. */
function joinShown(blocks: readonly JsonObject[]): readonly JsonObject[] {
  const joined: { type: unknown; text?: string; thinking?: string }[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    if (block['type'] === 'text' && last?.type === 'text') last.text += String(block['text']);
    else joined.push({ ...block } as { type: unknown });
  }
  return joined.map((block) => ({ ...block }));
}

/** The blocks of a part of the screen. A call is a text, since the screen does not show what was sent. */
function toShownBlock(part: JsonObject): readonly JsonObject[] {
  const { kind, value, content, toolId, pastTenseMessage, invocationMessage, name, inlineReference } = part;
  switch (kind) {
    case undefined:
    case 'markdownContent':
    case 'markdownVuln': {
      const text = readMarkdown(value ?? content);
      return text === '' ? [] : [toTextBlock(text)];
    }
    case 'thinking': {
      const thinking = readThinking({ text: value });
      return thinking === '' ? [] : [{ type: 'thinking', thinking }];
    }
    case 'inlineReference': {
      const named = asString(name) ?? readReference(inlineReference);
      return named === '' ? [] : [toTextBlock(`\`${named}\``)];
    }
    case 'toolInvocationSerialized': {
      const words = readMarkdown(pastTenseMessage) || readMarkdown(invocationMessage);
      return [toTextBlock(`\n[${asString(toolId) ?? 'tool'}] ${words}\n`)];
    }
    default:
      return [];
  }
}

function readMarkdown(value: unknown): string {
  return asString(value) ?? asString(asObject(value)['value']) ?? '';
}

/** The last part of the path of a file, or of a place in one. */
function readReference(reference: unknown): string {
  const { path: own, uri } = asObject(reference);
  const file = asString(own) ?? asString(asObject(uri)['path']) ?? '';
  return file.split('/').at(-1) ?? '';
}
