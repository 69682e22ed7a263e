import { canonicalJson } from '#base/canonical-json.js';
import { CtxError } from '#base/errors.js';
import { isObject, type JsonObject, listObjects } from '#base/json.js';
import { addTo } from '#base/maps.js';
import type { HistoryEdit } from '../copy-changes.js';
import { toInputPart, toOutput } from './input-parts.js';
import { itemPartOf, toAnswerBlocks, toInputContent, toolNameOf, toResultContent } from './items.js';
import { listReplacement } from './messages.js';

/** A compaction in whose history messages have another content. */
export function editHistory(compacted: JsonObject, edits: readonly HistoryEdit[]): JsonObject {
  const left = [...edits];
  const history = groupItems(listReplacement(compacted)).flatMap((own) => {
    const [item = {}] = own;
    const isAnswer = itemPartOf(item) === 'answer';
    const blocks = isAnswer ? own.flatMap(listAnswerBlocks) : toSentContent(item);
    if (!left[0] || canonicalJson(blocks) !== canonicalJson(left[0].before)) return own;
    const after = left.shift()?.after ?? null;
    if (after === null) return [];
    return isAnswer ? editAnswer(own, after).filter((edited) => edited !== null) : [withContent(item, after)];
  });
  return { ...compacted, replacement_history: history };
}

/**
 * The items of each message: those of the model that follow each other are one answer, with what Codex does not send.
 */
function groupItems(items: readonly JsonObject[]): readonly (readonly JsonObject[])[] {
  const groups: JsonObject[][] = [];
  for (const item of items) {
    const last = groups.at(-1);
    const isOfAnswer = ['answer', 'hidden'].includes(itemPartOf(item));
    if (isOfAnswer && last?.[0] && itemPartOf(last[0]) === 'answer') last.push(item);
    else groups.push([item]);
  }
  return groups;
}

/** The content of a message of the user, or of a result. */
function toSentContent(item: JsonObject): readonly JsonObject[] {
  return itemPartOf(item) === 'result' ? toResultContent(item) : toInputContent(item);
}

/** The blocks of an item of the model; none for other items. */
function listAnswerBlocks(item: JsonObject): readonly JsonObject[] {
  return itemPartOf(item) === 'answer' ? toAnswerBlocks(item) : [];
}

/**
 * Returns the items of an answer with another content. An item without a changed block stays as it is stored. One with
 * a changed block is written with it. null for one whose blocks are gone.
 */
export function editAnswer(
  items: readonly JsonObject[],
  content: readonly JsonObject[],
): readonly (JsonObject | null)[] {
  let next = 0;
  return items.map((item, at) => {
    const stored = listAnswerBlocks(item);
    const own = content.slice(next, next + stored.length);
    if (stored.length === 0 || canonicalJson(own) === canonicalJson(stored)) {
      next += stored.length;
      return item;
    }
    const left = items.slice(at + 1).flatMap(listAnswerBlocks).length;
    if (content.length - next <= left) return null;
    next += stored.length;
    return withAnswer(item, own);
  });
}

/** An item of the model with other blocks: a call with other arguments, or another text. */
function withAnswer(item: JsonObject, blocks: readonly JsonObject[]): JsonObject {
  const [block = {}] = blocks;
  if (toolNameOf(item) === null) {
    const content = blocks.map(({ text }) => ({ type: 'output_text', text }));
    // A call that runs at the provider is shown as a text, and another text is one.
    return item['type'] === 'message' ? { ...item, content } : { type: 'message', role: 'assistant', content };
  }
  const { arguments: given } = block;
  if (item['type'] === 'custom_tool_call') return { ...item, input: (given as JsonObject)['input'] };
  return { ...item, arguments: JSON.stringify(given) };
}

/**
 * A message or a result with other content. Throws a CtxError (refused) for a list of found tools, which holds no text.
 */
export function withContent(item: JsonObject, content: readonly JsonObject[]): JsonObject {
  if (item['type'] === 'tool_search_output') {
    throw new CtxError('refused', 'a list of found tools cannot be shortened in a session of Codex', {
      hint: 'name strategies that leave the results of tool_search as they are',
    });
  }
  const { output } = item;
  if (itemPartOf(item) !== 'result') return { ...item, content: toParts(content, item['content']) };
  const isWrapped = isObject(output) && 'content' in output;
  const newContent = toOutput(toParts(content, isWrapped ? output['content'] : output));
  // An output may say beside its content whether the tool failed.
  return { ...item, output: isWrapped ? { ...output, content: newContent } : newContent };
}

/**
 * Turns a content into parts of the Responses API. A part that stays is kept as it is stored, such as one of an unknown
 * type.
 */
function toParts(content: readonly JsonObject[], before: unknown): readonly JsonObject[] {
  const stored = new Map<string, JsonObject[]>();
  for (const part of listObjects(before)) {
    const [block = {}] = toInputContent({ type: 'message', content: [part] });
    addTo(stored, canonicalJson(block), part);
  }
  return content.map((block) => stored.get(canonicalJson(block))?.shift() ?? toInputPart(block));
}
