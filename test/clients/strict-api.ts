import { Buffer } from 'node:buffer';
import { asObject, asString, asText, type JsonObject, listObjects } from '#base/json.js';

/** Why the API refuses a request. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** Thinking as the API signed it: the texts of the thinking that was sent, by signature. */
export type SignedThinking = ReadonlySet<string>;

/** How a thinking and its signature are kept together. */
export function toSigned(thinking: unknown, signature: unknown): string {
  return `${asText(signature)} ${asText(thinking)}`;
}

/** Looks at a request as the API of Claude does: what it refuses, in its words; null for a request that it takes. */
export function findRefusal(body: JsonObject, signed: SignedThinking): Refusal | null {
  const messages = listObjects(body['messages']).map(toMessage);
  const text = JSON.stringify(body);
  const refused =
    refuseSize(body, text) ??
    refuseHalfPairs(text) ??
    refuseTexts(messages) ??
    refuseThinking(messages, signed) ??
    refuseCallIds(messages) ??
    refusePairs(messages) ??
    refuseImages(messages) ??
    refuseDocuments(messages);
  return refused;
}

interface Message {
  readonly role: string;
  readonly blocks: readonly JsonObject[];
}

function toMessage({ role, content }: JsonObject): Message {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listObjects(content);
  return { role: asText(role), blocks };
}

const invalid = (message: string): Refusal => ({ status: 400, message });

/** The window of the model, in tokens of four characters. */
const WINDOW = 200_000;
const MOST_BYTES = 32 * 1024 * 1024;

function refuseSize(body: JsonObject, text: string): Refusal | null {
  if (Buffer.byteLength(text) > MOST_BYTES) return { status: 413, message: 'Request exceeds the maximum size' };
  const withoutImages = JSON.stringify(body, (key, value: unknown) => (key === 'data' ? '' : value));
  const tokens = Math.ceil(withoutImages.length / 4);
  return tokens > WINDOW ? invalid(`prompt is too long: ${tokens} tokens > ${WINDOW} maximum`) : null;
}

/** One half of a surrogate pair, which JSON.stringify writes as an escape. */
function refuseHalfPairs(text: string): Refusal | null {
  const place = text.search(/(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/);
  if (place < 0) return null;
  return invalid(
    `The request body is not valid JSON: no low surrogate in string: line 1 column ${place + 1} (char ${place})`,
  );
}

function refuseTexts(messages: readonly Message[]): Refusal | null {
  for (const [at, { blocks, role }] of messages.entries()) {
    const isLast = at === messages.length - 1;
    if (blocks.length === 0 && !(isLast && role === 'assistant'))
      return invalid(
        `messages.${at}: all messages must have non-empty content except for the optional final assistant message`,
      );
    for (const block of blocks) {
      if (block['type'] === 'text' && asText(block['text']).trim() === '')
        return invalid('messages: text content blocks must be non-empty');
      if (block['type'] === 'tool_result' && block['is_error'] === true && isEmpty(block['content']))
        return invalid(`messages.${at}.content.0.tool_result: content cannot be empty if \`is_error\` is true`);
      for (const inner of listObjects(block['content']))
        if (inner['type'] === 'text' && asText(inner['text']) === '')
          return invalid('messages: text content blocks must be non-empty');
    }
  }
  return null;
}

function isEmpty(content: unknown): boolean {
  return content === undefined || content === '' || (Array.isArray(content) && content.length === 0);
}

function refuseThinking(messages: readonly Message[], signed: SignedThinking): Refusal | null {
  for (const [at, { role, blocks }] of messages.entries()) {
    if (role !== 'assistant') continue;
    for (const [place, { type, thinking, signature }] of blocks.entries()) {
      if (type === 'thinking' && !signed.has(toSigned(thinking, signature)))
        return invalid(`messages.${at}.content.${place}: Invalid \`signature\` in \`thinking\` block`);
    }
    const last = blocks.at(-1)?.['type'];
    if (last === 'thinking' || last === 'redacted_thinking')
      return invalid(`messages.${at}: The final block in an assistant message cannot be \`thinking\`.`);
  }
  if (messages.at(-1)?.role === 'assistant')
    return invalid(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    );
  return null;
}

function callsOf({ blocks }: Message): readonly string[] {
  return blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => asText(id));
}

function resultsOf({ blocks }: Message): readonly string[] {
  return blocks.filter(({ type }) => type === 'tool_result').map(({ tool_use_id: id }) => asText(id));
}

function refuseCallIds(messages: readonly Message[]): Refusal | null {
  const known = new Set<string>();
  for (const [at, message] of messages.entries()) {
    for (const id of callsOf(message)) {
      if (known.has(id)) return invalid(`messages.${at}.content.1: \`tool_use\` ids must be unique`);
      known.add(id);
    }
  }
  return null;
}

function refusePairs(messages: readonly Message[]): Refusal | null {
  for (const [at, message] of messages.entries()) {
    const results = resultsOf(message);
    const before = at === 0 ? [] : callsOf(messages[at - 1]!);
    const again = results.find((id, place) => results.indexOf(id) !== place);
    if (again !== undefined)
      return invalid(
        `messages.${at}.content.1: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${again}`,
      );
    const orphan = results.find((id) => !before.includes(id));
    if (orphan !== undefined) {
      return invalid(
        `messages.${at}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${orphan}. ` +
          'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
      );
    }
    const next = at + 1 < messages.length ? resultsOf(messages[at + 1]!) : [];
    const open = callsOf(message).find((id) => !next.includes(id));
    if (open !== undefined) {
      return invalid(
        `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open}. ` +
          'Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
      );
    }
  }
  return null;
}

/** An image or a document. */
interface Medium {
  readonly place: string;
  readonly data: string;
  readonly type: string;
}

function* listMedia(messages: readonly Message[], kind: 'image' | 'document'): Generator<Medium> {
  for (const [at, { blocks }] of messages.entries()) {
    for (const [place, block] of blocks.entries()) {
      const inner = block['type'] === 'tool_result' ? listObjects(block['content']) : [block];
      for (const { type, source } of inner) {
        const { data, media_type: media } = asObject(source);
        if (type === kind) yield { place: `messages.${at}.content.${place}`, data: asText(data), type: asText(media) };
      }
    }
  }
}

const MOST_IMAGES = 100;
const MANY_IMAGES = 20;
const MOST_IMAGE_BYTES = 5 * 1024 * 1024;

function refuseImages(messages: readonly Message[]): Refusal | null {
  const images = [...listMedia(messages, 'image')];
  if (images.length > MOST_IMAGES)
    return invalid(`messages: Too much media: 0 document pages + ${images.length} images > ${MOST_IMAGES}`);
  const isMany = images.length > MANY_IMAGES;
  for (const { place, data, type } of images) {
    const at = `${place}.image.source.base64`;
    if (data.length > MOST_IMAGE_BYTES)
      return invalid(`${at}: image exceeds 5 MB maximum: ${data.length} bytes > ${MOST_IMAGE_BYTES} bytes`);
    const png = Buffer.from(data.slice(0, 64), 'base64');
    if (png.length < 24 || png.toString('latin1', 1, 4) !== 'PNG')
      return invalid(`${at}.data: Could not process image`);
    if (type !== 'image/png')
      return invalid(
        `${at}: The image was specified using the ${type} media type, but the image appears to be a image/png image`,
      );
    const longest = Math.max(png.readUInt32BE(16), png.readUInt32BE(20));
    if (longest > 8000)
      return invalid(`${at}.data: At least one of the image dimensions exceed max allowed size: 8000 pixels`);
    if (isMany && longest > 2000)
      return invalid(
        `${at}.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels`,
      );
  }
  return null;
}

function refuseDocuments(messages: readonly Message[]): Refusal | null {
  for (const { place, data } of listMedia(messages, 'document')) {
    if (!Buffer.from(data.slice(0, 16), 'base64').toString('latin1').startsWith('%PDF-'))
      return invalid(`${place}.pdf.source.base64.data: The PDF specified was not valid.`);
  }
  return null;
}

/** Looks at a request as the Responses API of OpenAI does. */
export function findOpenaiRefusal(body: JsonObject, signed: SignedThinking): Refusal | null {
  const items = listObjects(body['input']);
  const text = JSON.stringify(body, (key, value: unknown) => (key === 'image_url' ? '' : value));
  if (Math.ceil(text.length / 4) > OPENAI_WINDOW)
    return invalid('Your input exceeds the context window of this model. Please adjust your input and try again.');
  return refuseItems(items, signed) ?? refuseItemImages(items);
}

const OPENAI_WINDOW = 272_000;

function refuseItems(items: readonly JsonObject[], signed: SignedThinking): Refusal | null {
  const callIds = (suffix: string): readonly string[] =>
    items
      .filter(
        ({ type }) => /^(?:function|custom_tool|local_shell)_call/.test(asText(type)) && asText(type).endsWith(suffix),
      )
      .map(({ call_id: id }) => asText(id));
  const outputs = callIds('_output');
  const called = callIds('call');
  const open = called.find((id) => !outputs.includes(id));
  if (open !== undefined) return invalid(`No tool output found for function call ${open}.`);
  const orphan = outputs.find((id) => !called.includes(id));
  if (orphan !== undefined) return invalid(`No tool call found for function call output with call_id ${orphan}.`);
  const broken = items.find(
    ({ type, encrypted_content: hidden }) =>
      type === 'reasoning' && hidden !== 'c2VjcmV0' && !signed.has(toSigned('', hidden)),
  );
  if (broken)
    return invalid(
      `The encrypted content for item ${asText(broken['id'])} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
    );
  return null;
}

function refuseItemImages(items: readonly JsonObject[]): Refusal | null {
  const parts = items.flatMap(({ content, output }) => [...listObjects(content), ...listObjects(output)]);
  for (const { type, image_url: url } of parts) {
    if (type !== 'input_image') continue;
    const [, media = '', data = ''] = /^data:([^;]*);base64,(.*)$/s.exec(asString(url) ?? '') ?? [];
    const png = Buffer.from(data.slice(0, 64), 'base64');
    if (!/^image\/(?:png|jpeg|gif|webp)$/.test(media) || png.toString('latin1', 1, 4) !== 'PNG')
      return invalid(
        'The image data you provided does not represent a valid image. Please check your input and try again.',
      );
    if (data.length > 20 * 1024 * 1024) return invalid('Invalid image: the image is too large');
  }
  return null;
}
