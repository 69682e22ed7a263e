import { attemptDeep } from '#base/json-text.js';
import { formatBlock, isSentAlike, type WireMessage } from '#context/request/wire-messages.js';
import { countValueTokens } from '#context/size/tokens.js';
import { toBlocks } from '#context/words/message-blocks.js';
import type { ContentBlock } from '#session/entry.js';
import type { Divergence } from './document.js';
import type { Preamble, Prompt } from './prompt.js';

/** The place where a request diverges from the next one; null if all of it is a prefix. */
export function findDivergence(before: Prompt, after: Prompt): Divergence | null {
  const isLonger = before.messages === after.messages && before.generated.length === 0;
  if (isLonger && before.preamble === after.preamble) return null;
  return (
    (before.preamble === after.preamble ? null : findPreambleDivergence(before.preamble, after.preamble)) ??
    findMessageDivergence(before, after)
  );
}

/** More than the units of any section. */
const SECTION_SIZE = 2 ** 40;

/** A number that is larger for a later place of a request; infinite where nothing differs. */
export function measureDepth(place: Divergence | null): number {
  if (place === null) return Infinity;
  return ['tools', 'system', 'messages'].indexOf(place.section) * SECTION_SIZE + place.index;
}

function findPreambleDivergence(before: Preamble, after: Preamble): Divergence | null {
  let tokens = 0;
  for (const section of ['tools', 'system'] as const) {
    const some = before[section];
    const others = after[section];
    for (let index = 0; index < Math.max(some.length, others.length); index += 1) {
      const unit = some[index];
      const other = others[index];
      const offset = countCommonStart(unit?.text ?? '', other?.text ?? '');
      const size = countValueTokens((unit?.text ?? '').slice(0, offset));
      if (unit?.text !== other?.text) {
        const name = unit?.name ?? other?.name ?? '';
        return { section, index, name, entryId: null, block: null, offset, prefixTokensEstimated: tokens + size };
      }
      tokens += size;
    }
  }
  return null;
}

function findMessageDivergence(before: Prompt, after: Prompt): Divergence | null {
  const all = before.length + before.generated.length;
  // Nearly all of them are identical objects.
  let index = 0;
  const most = Math.min(before.length, after.length);
  while (index < most && before.messages[index] === after.messages[index]) index += 1;
  for (; index < all; index += 1) {
    const message = findPromptMessage(before, index);
    const other = findPromptMessage(after, index);
    if (message && !(other && isSentAlike(message, other)))
      return locateDifference(message, other, { index, tokens: before.preamble.tokens + sumTokensUpTo(before, index) });
  }
  return null;
}

function sumTokensUpTo(prompt: Prompt, end: number): number {
  let tokens = 0;
  for (let index = 0; index < end; index += 1) tokens += findPromptMessage(prompt, index)?.tokens ?? 0;
  return tokens;
}

function findPromptMessage({ messages, length, generated }: Prompt, index: number): WireMessage | undefined {
  return index < length ? messages[index] : generated[index - length];
}

function locateDifference(
  { role, entryId, fields }: WireMessage,
  other: WireMessage | undefined,
  { index, tokens }: { readonly index: number; readonly tokens: number },
): Divergence {
  const placeAt = (block: number | null, offset: number, same: number): Divergence => {
    const prefixTokensEstimated = tokens + Math.floor(same / 4);
    return { section: 'messages', index, name: role, entryId, block, offset, prefixTokensEstimated };
  };
  const isOther = other?.role !== role || other.fields.toolCallId !== fields.toolCallId;
  if (isOther) return placeAt(null, 0, 0);
  const blocks = toBlocks(fields.content);
  const others = toBlocks(other.fields.content);
  let same = 0;
  for (let block = 0; block < Math.max(blocks.length, others.length); block += 1) {
    const text = formatBlockText(blocks[block]);
    const otherText = formatBlockText(others[block]);
    const offset = countCommonStart(text, otherText);
    same += offset;
    if (text !== otherText) return placeAt(block, offset, same);
  }
  return placeAt(null, 0, 0);
}

function formatBlockText(block: ContentBlock | undefined): string {
  if (block === undefined) return '';
  if (block.type === 'text' && typeof block.text === 'string') return block.text;
  return attemptDeep(() => formatBlock(block), '');
}

function countCommonStart(one: string, other: string): number {
  if (one === other) return one.length;
  const most = Math.min(one.length, other.length);
  let at = 0;
  while (at < most && one.codePointAt(at) === other.codePointAt(at)) at += 1;
  return at;
}
