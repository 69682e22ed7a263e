import { canonicalJson } from '#base/canonical-json.js';
import { attemptDeep } from '#base/json-text.js';
import { asString } from '#base/json.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import type { WireMessage } from '#context/request/wire-messages.js';
import { countValueTokens } from '#context/size/tokens.js';

/** Tools and system prompt, in the order in which providers cache them. */
export interface Preamble {
  readonly tools: readonly Unit[];
  readonly system: readonly Unit[];
  /** Estimated tokens of all of it. */
  readonly tokens: number;
}

/** A tool definition or a system part for comparison: its keys are sorted. */
interface Unit {
  readonly name: string;
  readonly text: string;
}

/** The prompt of one request. The list of messages may grow beyond `length`. */
export interface Prompt {
  readonly preamble: Preamble;
  readonly messages: readonly WireMessage[];
  readonly length: number;
  /** Results that were generated for calls without any, after the messages. */
  readonly generated: readonly WireMessage[];
  /** Estimated. */
  readonly tokens: number;
  readonly images: number;
  /** The entry of the first message with an image. */
  readonly firstImage: string | null;
}

export function buildPreamble({ tools, system }: Pick<EnvelopeContent, 'tools' | 'system'>): Preamble {
  const parts = system.parts.filter(({ text }) => text !== '');
  const units = {
    tools: tools.map((tool) => ({
      name: asString(tool.name) ?? '',
      text: attemptDeep(() => canonicalJson(tool), `${tool.name} is nested too deeply`),
    })),
    system: parts.map(({ name, text, separator }, at) => ({ name, text: at === 0 ? text : (separator ?? '') + text })),
  };
  return { ...units, tokens: countUnitTokens(units.tools) + countUnitTokens(units.system) };
}

function countUnitTokens(units: readonly Unit[]): number {
  return countValueTokens(units.map(({ text }) => text).join(''));
}

/** Whether two preambles have the same tools, in any order. */
export function hasSameToolSet({ tools: one }: Preamble, { tools: other }: Preamble): boolean {
  return one.length === other.length && sortUnitTexts(one) === sortUnitTexts(other);
}

function sortUnitTexts(units: readonly Unit[]): string {
  return JSON.stringify(units.map(({ text }) => text).toSorted());
}
