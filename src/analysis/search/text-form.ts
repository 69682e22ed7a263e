import type { LlmMessage } from '#context/replay/content.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { listSentTexts, listToolTexts } from './entry-texts.js';

/** Whole lines are looked up first; only parts of longer lines are searched for. */
export interface TextForm {
  readonly lines: ReadonlySet<string>;
  readonly text: string;
}

export const EMPTY_FORM: TextForm = { lines: new Set(), text: '' };

export function buildTextForm(texts: readonly string[]): TextForm {
  if (texts.length === 0) return EMPTY_FORM;
  const text = texts.join('\n');
  return { lines: new Set(text.split('\n')), text };
}

export function containsLine({ lines, text }: TextForm, line: string): boolean {
  return lines.has(line) || (line !== '' && text.includes(line));
}

export function listSentMessageTexts(messages: readonly LlmMessage[]): readonly string[] {
  return messages.flatMap((message) => Array.from(listSentTexts(message), ({ text }) => text));
}

export function listDeclaredTexts({ system, tools }: Pick<ContextEnvelope, 'system' | 'tools'>): readonly string[] {
  const ofTools = tools.flatMap((tool) => Array.from(listToolTexts(tool), ({ text }) => text));
  return [...system.parts.map(({ text }) => text), ...ofTools];
}
