import { toVisibleLine } from '#base/visible.js';
import type { Span } from './doc.js';

/** Spans as the text of one line. Session text in it is no markup. */
export function renderInline(spans: readonly Span[]): string {
  return joinMarkdown(mergePlainSpans(spans).map(renderSpan));
}

function renderSpan({ text, tone }: Span): string {
  if (tone === 'strong') return `**${escapeMarkup(text)}**`;
  return tone === 'id' ? renderCode(text) : escapeMarkup(text);
}

/** Joins parts of a line. Code beside code is one piece. */
export function joinMarkdown(parts: readonly string[]): string {
  return parts.join('').replaceAll(`${CODE}${CODE}`, '').replaceAll(CODE, '`');
}

/** The mark of code until a line is joined: no shown text has it. */
const CODE = '\0';

/** Spans that look alike here are one text, so that no address is split between two. */
function mergePlainSpans(spans: readonly Span[]): readonly Span[] {
  const all: Span[] = [];
  for (const next of spans) {
    const last = all.at(-1);
    if (last && isPlain(last) && isPlain(next)) all[all.length - 1] = { ...last, text: last.text + next.text };
    else all.push(next);
  }
  return all;
}

function isPlain({ tone }: Span): boolean {
  return tone !== 'strong' && tone !== 'id';
}

/** A fence is longer than any run of backticks inside it, so that session text cannot end it. */
export function renderFence(text: string, language: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** A backtick cannot be escaped inside code. */
export function renderCode(text: string): string {
  return text === '' ? '' : CODE + toVisibleLine(text).replaceAll('`', 'ˋ') + CODE;
}

/** The text of a table cell. Its only borders that are not escaped are in code, where they cannot be. */
export function toCellText(text: string): string {
  return text.replaceAll(/(?<!\\)((?:\\\\)*)\|/g, '$1¦');
}

/** Escapes the characters that start a list, a rule or an indented block at the beginning of a line. */
export function escapeLineStart(text: string): string {
  return text
    .trimStart()
    .replace(/^(\d+)(?=[.)])/, '$1\\')
    .replace(/^(?:[-+=]|:(?=-))/, '\\$&');
}

/** Session text must not become markup, links, mentions or HTML. */
export function escapeMarkup(text: string): string {
  const safe = toVisibleLine(text);
  return safe.replace(WORDS_AND_GAPS, (part, offset: number) =>
    LINKED.test(part)
      ? renderCode(part)
      : part.replace(SIGNS, (sign, at: number) => (isMarkup(sign, safe, offset + at) ? `\\${sign}` : sign)),
  );
}

/** A dollar sign before a digit is a price: it neither ends a formula nor begins one, since the ends are escaped. */
const SIGNS = /[\\`*_{}[\]<>#|~&]|\$(?!\d)/g;

/**
 * Whether a sign could have a meaning at its place: most signs could anywhere. At an end of the text, the next one
 * counts.
 */
function isMarkup(sign: string, text: string, at: number): boolean {
  const before = text[at - 1] ?? '';
  const after = text[at + 1] ?? '';
  switch (sign) {
    case '_':
      return !(LETTER.test(before) && LETTER.test(after));
    case '~':
      // A tilde is text only where it can neither begin nor end text that is struck out.
      return !(/\s/.test(before) ? /[^\s~]/.test(after) : /^["'()<>[\]]?$/.test(before) && /\d/.test(after));
    case '<':
      return !/[\s\d]/.test(after);
    case '&':
      return !/[^#\w]/.test(after);
    default:
      return true;
  }
}

const LETTER = /[\p{L}\p{N}]/u;
const WORDS_AND_GAPS = /[^\s"'()<>[\]]+|[\s"'()<>[\]]+/g;

/**
 * Matches words that a forge turns into a link or a mention without markup: URLs, e-mail addresses, @names, numbers of
 * issues and merge requests. GitHub searches the rendered text, where escapes are gone, but not code.
 */
const LINKED = /@|:\/\/|[#!]\d|(?<![a-z\d])(?:www\.|mailto:|xmpp:|GH-\d)/i;

/** Whether a text contains a word that a forge links. */
export function isLinked(text: string): boolean {
  return LINKED.test(text);
}
