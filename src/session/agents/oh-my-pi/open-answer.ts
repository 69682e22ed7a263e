import { asObject, asText, type JsonObject, listObjects } from '#base/json.js';
import type { LineSpan } from '../../scan/lines.js';
import type { LinkedPart } from '../linked-entries.js';

/** The newest answer on the path to an entry. */
export interface OpenAnswer {
  readonly id: string;
  readonly span: LineSpan;
  /** Whether the answer failed, so that neither it nor the results of its calls are sent. */
  readonly isFailed: boolean;
  /** The ids of its calls that have no result yet. */
  readonly calls: readonly unknown[];
}

/**
 * Lists the edit of an answer whose calls have no results on the path: it is sent without them, and without signatures.
 * None for any other answer.
 */
export function listAnswerEdits(answer: OpenAnswer | null): readonly LinkedPart[] {
  if (!answer || answer.isFailed || answer.calls.length === 0) return [];
  const { id, span, calls } = answer;
  const open = new Set(calls);
  return [
    {
      sample: { type: 'context_edit', targetId: id },
      lines: [span],
      build: ([line = {}]) => ({ targetId: id, replacement: buildWithoutCalls(asObject(line['message']), open) }),
    },
  ];
}

function buildWithoutCalls({ content }: JsonObject, open: ReadonlySet<unknown>): JsonObject | null {
  const blocks = listObjects(content)
    .filter(({ type, id }) => !(type === 'toolCall' && open.has(id)) && type !== 'redactedThinking')
    .map((block) => (block['type'] === 'thinking' ? { ...block, thinkingSignature: undefined } : block));
  return blocks.length === 0 ? null : { content: blocks };
}

/** An answer that the user interrupted, which is sent again after all if a note about its last thoughts follows. */
export function toContinuedAnswer({ span }: OpenAnswer): LinkedPart {
  return {
    sample: { type: 'message', message: { role: 'assistant' } },
    lines: [span],
    isAdded: true,
    build: ([line = {}]) => ({ message: continueAnswer(asObject(line['message'])) }),
  };
}

/**
 * The answer without its usage, and without the thoughts at its end that have no signature. Blank texts after these go with
 * them.
 */
function continueAnswer({ usage: _usage, ...answer }: JsonObject): JsonObject {
  const blocks = listObjects(answer['content']);
  const lastWords = blocks.findLastIndex((block) => !isBlank(block));
  const lastKept = blocks.slice(0, lastWords + 1).findLastIndex((block) => !isUnsignedThought(block));
  const content = lastKept === lastWords ? blocks : blocks.slice(0, lastKept + 1);
  return { ...answer, stopReason: 'stop', content };
}

function isBlank({ type, text }: JsonObject): boolean {
  return type === 'text' && asText(text).trim() === '';
}

function isUnsignedThought({ type, thinking, thinkingSignature }: JsonObject): boolean {
  return type === 'thinking' && asText(thinking).trim() !== '' && !thinkingSignature;
}
