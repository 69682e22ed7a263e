import { canonicalJson } from '#base/json.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { countTokens, tokensOfMessage, tokensOfValue } from '#context/replay/tokens.js';

/** The place where two requests diverge. */
export interface PrefixEnd {
  readonly section: 'tools' | 'system' | 'messages';
  /** The index of the tool, part or message that differs, from 0. */
  readonly index: number;
  /** The name or role in the later request; null if it has no item there. */
  readonly name: string | null;
}

/** The part of a request that a provider can read from its cache, if it cached the other one whole. */
export interface CommonPrefix {
  /** Estimated tokens of the common prefix. */
  readonly tokens: number;
  /** null: the earlier request is a prefix of the later one. */
  readonly end: PrefixEnd | null;
}

interface Unit {
  readonly section: PrefixEnd['section'];
  readonly index: number;
  readonly name: string;
  readonly value: unknown;
  tokens(): number;
}

/** Compares requests in the order in which providers cache them: tools, system prompt, messages. */
export function commonPrefix(before: EnvelopeContent, after: EnvelopeContent): CommonPrefix {
  const [earlier, later] = [unitsOf(before), unitsOf(after)];
  let tokens = 0;
  for (const [at, unit] of earlier.entries()) {
    const other = later[at];
    if (other?.section !== unit.section || !isSame(unit.value, other.value)) return { tokens, end: endAt(unit, other) };
    tokens += unit.tokens();
  }
  return { tokens: countTokens(before).total, end: null };
}

const ORDER: readonly PrefixEnd['section'][] = ['tools', 'system', 'messages'];

/** If one request has more items in a section than the other, they diverge there. */
function endAt(unit: Unit, other: Unit | undefined): PrefixEnd {
  const isLater = other !== undefined && ORDER.indexOf(other.section) < ORDER.indexOf(unit.section);
  const { section, index } = isLater ? other : unit;
  return { section, index, name: other?.section === section ? other.name : null };
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || canonicalJson(one) === canonicalJson(other);
}

function unitsOf({ tools, system, messages }: EnvelopeContent): readonly Unit[] {
  return [
    ...tools.map((tool, index): Unit => {
      return { section: 'tools', index, name: tool.name, value: tool, tokens: () => tokensOfValue(tool) };
    }),
    ...system.parts
      .filter(({ text }) => text !== '')
      .map((part, index): Unit => {
        const value = (index === 0 ? '' : (part.separator ?? '')) + part.text;
        return { section: 'system', index, name: part.name, value, tokens: () => tokensOfValue(value) };
      }),
    ...[...messages.cached, ...messages.uncached].map((message, index): Unit => {
      return { section: 'messages', index, name: message.role, value: message, tokens: () => tokensOfMessage(message) };
    }),
  ];
}
