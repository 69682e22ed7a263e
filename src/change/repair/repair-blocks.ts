import { usesAnthropicApi } from '#analysis/check/provider/answer-model.js';
import { isBlankContent } from '#analysis/check/provider/message.js';
import { asString, type JsonObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { listBlocks } from '#context/words/message-blocks.js';

/** The changes that a message needs. */
interface BlockRepairs {
  /** The blocks that replace others, by their places. */
  readonly replacements: ReadonlyMap<number, unknown>;
  readonly dropsThinking: boolean;
  /** Calls whose ids another answer has used. */
  readonly droppedCalls: ReadonlySet<string>;
  readonly dropsEmptyTexts: boolean;
}

/** The content of a message as a provider takes it. */
interface RepairedMessage {
  /** null: nothing is left of it. */
  readonly content: readonly unknown[] | null;
  readonly isSame: boolean;
  /** The notes about that, with the rule that finds the fault. */
  readonly notes: readonly RepairNote[];
}

/** A fault of a message, and what was done about it. */
interface RepairNote {
  /** The rule that finds it. */
  readonly rule: string;
  readonly why: string;
  readonly done: string;
}

/** Changes the blocks of a message so that a provider takes it. */
export function repairBlocks(message: LlmMessage, asked: BlockRepairs): RepairedMessage {
  const blocks = listBlocks(message);
  const notes: RepairNote[] = [];
  const isAnswer = message.role === 'assistant';
  const kept = blocks.flatMap((block, at): readonly unknown[] => {
    if (asked.replacements.has(at)) return [asked.replacements.get(at)];
    const fault = isAnswer ? null : asString(block.documentFault);
    if (fault !== null) {
      notes.push({ rule: 'unsupported-document', why: `a document is refused: ${fault}`, done: 'a note replaces it' });
      return [{ type: 'text', text: `[Document left out: ${fault}. The original session has it.]` }];
    }
    if (isAnswer && asked.dropsThinking && isThinking(block)) return [];
    if (isAnswer && isDoubled(block, asked)) {
      notes.push({
        rule: 'duplicate-call-id',
        why: `an earlier call has the id ${JSON.stringify(block.id)}`,
        done: 'the later call and its result left out',
      });
      return [];
    }
    return asked.dropsEmptyTexts && isEmptyText(block) ? [] : [block];
  });
  const isEmptied = kept.length < blocks.length && blocks.some(isEmptyText) && asked.dropsEmptyTexts;
  if (message.role === 'toolResult' && isEmptied) {
    notes.push({ rule: 'empty-tool-result', why: 'the result has an empty text', done: 'the text left out' });
    return buildRepairedMessage(blocks, kept.length > 0 ? kept : [{ type: 'text', text: NO_OUTPUT }], notes);
  }
  if (isEmptied) notes.push({ rule: 'empty-content', why: 'the message has an empty text', done: 'the text left out' });
  return buildRepairedMessage(blocks, isAnswer ? dropLastThinking(message, kept, notes) : kept, notes);
}

const NO_OUTPUT = '(no output)';

/** The API of Claude refuses an answer that ends with thinking. */
function dropLastThinking(message: LlmMessage, kept: readonly unknown[], notes: RepairNote[]): readonly unknown[] {
  if (!usesAnthropicApi({ provider: message.provider, api: message.api, model: null })) return kept;
  if (!isThinking(kept.at(-1) as JsonObject | undefined)) return kept;
  notes.push({ rule: 'thinking-at-end', why: 'the answer ends with thinking', done: 'the thinking left out' });
  return kept.filter((block) => !isThinking(block as JsonObject));
}

function buildRepairedMessage(
  blocks: readonly JsonObject[],
  content: readonly unknown[],
  notes: RepairedMessage['notes'],
): RepairedMessage {
  const isSame = content.length === blocks.length && content.every((block, at) => block === blocks[at]);
  return { content: content.length === 0 ? null : content, isSame, notes };
}

function isThinking(block: JsonObject | undefined): boolean {
  return block?.type === 'thinking';
}

function isDoubled({ type, id }: JsonObject, { droppedCalls }: BlockRepairs): boolean {
  return type === 'toolCall' && droppedCalls.has(asString(id) ?? '');
}

function isEmptyText({ type, text }: JsonObject): boolean {
  return type === 'text' && isBlankContent(text);
}
