import { isObject, type JsonObject } from '#base/json.js';
import type { Head } from '#session/heads/head.js';

/** A text of an entry or message, with its place: `content[1].text`, `sections.rules`, `summary`. */
export interface TextPlace {
  readonly place: string;
  readonly text: string;
  /** Whether the text was meant for the model, unlike texts that only tools and the user read. */
  readonly isForModel: boolean;
}

/**
 * All readable text of an entry, in the order in which it is stored: no images, signatures, ids,
 * times or usage. Places inside a message are named as if the message were the entry.
 */
export function* listEntryTexts(entry: JsonObject): Generator<TextPlace> {
  const { type, message, ...rest } = entry;
  const isMessage = type === 'message' && isObject(message);
  if (isMessage) yield* listTexts(message, FOR_MODEL);
  yield* listTexts(isMessage ? rest : entry, SPEAKS.has(type) ? FOR_MODEL : NOTHING);
}

/** The texts of a sent message that the model reads. */
export function listSentTexts({ toolName, content }: JsonObject): Generator<TextPlace> {
  return listTexts(toolName === undefined ? { content } : { toolName, content }, FOR_MODEL);
}

export function listToolTexts(tool: JsonObject): Generator<TextPlace> {
  return listTexts(tool, new Set(Object.keys(tool)));
}

/** Whether an entry may add text to the context. */
export function mayAddText({ type }: Head): boolean {
  return type === 'message' || SPEAKS.has(type);
}

/** Entry types that bring text into the context, beside messages. */
const SPEAKS: ReadonlySet<unknown> = new Set([
  'custom_message',
  'branch_summary',
  'compaction',
  'context_edit',
  'context_transform',
]);

/** The fields of entries and messages that reach the model, unchanged or inside a sentence. */
const FOR_MODEL: ReadonlySet<string> = new Set([
  'content',
  'toolName',
  'sections',
  'toolsAdded',
  'summary',
  'systemMessage',
  'command',
  'output',
  'replacement',
  'patch',
]);
const NOTHING: ReadonlySet<string> = new Set();

/** The fields of a patch op about reasons and places, which the model does not read. */
const ABOUT_THE_OP: ReadonlySet<string> = new Set(['op', 'invalidateCacheReason', 'partName', 'toolNames']);

/** Fields without text in every entry. */
const WORDLESS: ReadonlySet<string> = new Set([
  'type',
  'role',
  'id',
  'parentId',
  'targetId',
  'fromId',
  'firstKeptEntryId',
  'toolCallId',
  'responseId',
  'timestamp',
  'usage',
  'scope',
  'mimeType',
  'documentFault',
  'thinkingSignature',
  'textSignature',
  'thoughtSignature',
  'signature',
]);

/** The texts of the fields about the origin of a message. */
const WORDLESS_IN_MESSAGE: ReadonlySet<string> = new Set(['api', 'provider', 'model', 'responseModel', 'stopReason']);

/** Fields with arbitrary keys, in which every text counts. */
const FREE: ReadonlySet<string> = new Set(['arguments', 'data', 'details', 'parameters', 'sections']);

/**
 * The length from which nested values keep the place of their container. Nesting is unlimited, and so would be the
 * places.
 */
const LONGEST_PLACE = 200;

interface Node {
  readonly value: unknown;
  readonly place: string;
  readonly isFree: boolean;
  readonly isForModel: boolean;
}

/** Uses its own stack, since data may be nested more deeply than JavaScript can recurse. */
function* listTexts(root: JsonObject, forModel: ReadonlySet<string>): Generator<TextPlace> {
  const waiting = listChildren({ value: root, place: '', isFree: false, isForModel: true })
    .map((field) => ({ ...field, isForModel: field.isForModel && forModel.has(field.key) }))
    .toReversed();
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    const { value, place, isForModel } = node;
    if (typeof value === 'string') {
      if (value !== '') yield { place, text: value, isForModel };
    } else if (typeof value === 'object' && value !== null) {
      for (const child of listChildren(node).toReversed()) waiting.push(child);
    }
  }
}

function listChildren({ value, place, isFree, isForModel }: Node): readonly (Node & { readonly key: string })[] {
  const isLong = place.length > LONGEST_PLACE;
  if (Array.isArray(value)) {
    return value.map((item: unknown, at) => ({
      key: '',
      value: item,
      place: isLong ? place : `${place}[${at}]`,
      isFree,
      isForModel,
    }));
  }
  // The caller has checked that it is an object.
  const object = value as JsonObject;
  const isOp = !isFree && typeof object.op === 'string';
  return Object.entries(object)
    .filter(([key]) => !isWordless(object, key, isFree))
    .map(([key, field]) => ({
      key,
      value: field,
      place: isLong ? place : `${place}${formatStep(key, place)}`,
      isFree: isFree || FREE.has(key),
      isForModel: isForModel && !(isOp && ABOUT_THE_OP.has(key)),
    }));
}

function isWordless(object: JsonObject, key: string, isFree: boolean): boolean {
  const { type, role } = object;
  if (key === 'data' && (type === 'image' || type === 'base64')) return true;
  if (isFree) return false;
  return WORDLESS.has(key) || (typeof role === 'string' && WORDLESS_IN_MESSAGE.has(key));
}

function formatStep(key: string, place: string): string {
  if (/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(key)) return place === '' ? key : `.${key}`;
  return `[${JSON.stringify(key)}]`;
}
