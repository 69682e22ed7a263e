import { normalizeText, toOneLine } from '../facts/text.js';

/** The faults of a summary that says nothing of what it replaced. */
export const HOLLOW_FAULTS = ['empty', 'placeholder', 'repeated'] as const;
export type Hollow = (typeof HOLLOW_FAULTS)[number];

/**
 * Whether a summary says nothing: it is empty, only says that there is none, or repeats the one before word for word.
 * null for any other.
 */
export function findHollow(summary: string, before: string | null): Hollow | null {
  if (isEncryptedSummary(summary)) return null;
  const text = toOneLine(summary.replaceAll(FILE_LISTS, '').replace(INTRODUCTION, '').replaceAll(HEADING_OR_NONE, ''));
  if (!/[\p{L}\p{N}]/u.test(text)) return 'empty';
  if (text.length <= LONGEST && PLACEHOLDER.test(text)) return 'placeholder';
  return before !== null && normalizeText(before) === normalizeText(summary) ? 'repeated' : null;
}

/** Whether a summary, or a part of it, cannot be read: the importers of other agents write why instead. */
export function isEncryptedSummary(summary: string): boolean {
  return /\[encrypted compaction, \d+ characters\]|^\[the client compressed the messages before this one: /.test(
    summary,
  );
}

/** How a finding names it. */
export const HOLLOW_TEXTS: Readonly<Record<Hollow, string>> = {
  empty: 'the summary is empty',
  placeholder: 'the summary is a placeholder',
  repeated: 'the summary repeats the one before',
};

/** A placeholder is short. */
const LONGEST = 200;
const FILE_LISTS = /<(read-files|modified-files)>\n(?:(?!<\1>)[^])*?\n<\/\1>/g;
/** The sentence with which summaries of Codex and Claude Code begin. */
const INTRODUCTION =
  /^\s*(?:Another language model started to solve this problem[^\n]*|This session is being continued from a previous conversation[^\n]*?(?:earlier portion of the conversation\.|ran out of context\.)(?: The conversation is summarized below:)?)/;
/** Headings, and what stands below one without a line. */
const HEADING_OR_NONE = /^\s*(?:#{1,6}\s.*|(?:[-*]\s+)?\(?none\.?\)?)$/gim;

const WHAT = '(?:summary|conversation|history|context|messages?|content)';
const PLACEHOLDER = new RegExp(
  [
    `^\\W*(?:the |this |a |earlier |previous |prior |old(?:er)? |compacted? )*${WHAT}(?: history| so far)? (?:is |was |has been |were |could not be |cannot be |not )*(?:un(?:available|known)|empty|elided|omitted|truncated|removed|compacted|cleared|missing|pending|skipped|available|provided|generated|failed|here|too (?:long|large))\\b`,
    `^\\W*no (?:goal|summary|prior|previous|earlier|conversation|history|messages?|content|context)\\b`,
    '^\\W*(?:elided|omitted|truncated|redacted|compacted|placeholder|todo|tbd|n/?a|null|undefined|none|unavailable|\\.{3}|…)\\W*$',
    `^\\W*nothing (?:to summari[sz]e|happened|here)\\b`,
    `^\\W*(?:failed|unable|error|could not|cannot|can't|i (?:am unable|'m unable|cannot|can't|could not|do(?:n't| not) (?:have|see)))\\b.*\\b${WHAT.replace('summary', 'summari\\w+|summary')}`,
  ].join('|'),
  'i',
);
