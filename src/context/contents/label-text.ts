import { labelCodexText } from './codex-texts.js';
import type { LabelledText } from './kinds.js';
import { labelAttachment, labelJoinedReminders, labelReminder } from './reminders.js';
import { MOST_PIECES } from './split-text.js';

const OPENING = '<system-reminder>';
const CLOSING = '</system-reminder>';
/** The words of a reminder of Claude Code, between its tags. */
const TAGGED = /^<system-reminder>\s*([^]*?)\s*<\/system-reminder>\s*$/;
/** A skill that Pi loaded into a message, before the words of the user. */
const LOADED_SKILL = /^<skill name="([^"]{1,200})"[^]*?<\/skill>/;
const NOTHING: readonly LabelledText[] = [];

/**
 * The pieces of a text that an agent added by itself. The rest belongs to the one whose message it is. Reminders count
 * only at the beginning and at the end of a text, where agents put them: within it they are what a tool read or a user
 * wrote. `customType`: of a message that an agent or an extension added.
 */
export function labelText(text: string, customType: string | null): readonly LabelledText[] {
  const tagged = text.includes(CLOSING) ? labelOuterReminders(text, customType) : NOTHING;
  if (tagged.length > 0) return tagged;
  if (customType !== null) return labelCustomText(text, customType);
  if (!text.startsWith('<') && !text.startsWith('#')) return NOTHING;
  const skill = LOADED_SKILL.exec(text);
  if (skill) return [{ kind: 'skills', name: skill[1] ?? null, text: skill[0] }];
  return labelCodexText(text) ?? NOTHING;
}

/** Whether an agent put a text or a piece of it into the context by itself. */
export function isAddedText(text: string): boolean {
  return labelText(text, null).length > 0 || labelReminder(text) !== null;
}

/** The reminders at the beginning and at the end of a text. */
function labelOuterReminders(text: string, customType: string | null): readonly LabelledText[] {
  const found: LabelledText[] = [];
  let start = 0;
  while (found.length < MOST_PIECES && text.startsWith(OPENING, start)) {
    const closing = text.indexOf(CLOSING, start);
    if (closing === -1) break;
    const end = skipSpace(text, closing + CLOSING.length);
    found.push(...labelTagged(text.slice(start, end), customType));
    start = end;
  }
  let end = text.trimEnd().length;
  while (found.length < MOST_PIECES && end > start && text.endsWith(CLOSING, end)) {
    const opening = text.lastIndexOf(OPENING, end);
    if (opening < start) break;
    found.push(...labelTagged(text.slice(opening, end), customType));
    end = text.slice(start, opening).trimEnd().length + start;
  }
  return found;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text.charAt(at))) at += 1;
  return at;
}

/** The pieces of a reminder; its tags belong to the first one. */
function labelTagged(tagged: string, customType: string | null): readonly LabelledText[] {
  const words = TAGGED.exec(tagged)?.[1] ?? '';
  const [first, ...others] = labelReminder(words) ?? [];
  if (!first && customType !== null && isAttachment(customType))
    return labelAttachment(customType.slice(CLAUDE.length), tagged);
  if (!first) return [{ kind: 'reminders', name: 'other', text: tagged }];
  const tags = tagged.slice(0, tagged.length - words.length);
  return [{ ...first, text: `${tags}${first.text}` }, ...others];
}

/** Begins the types of messages that Claude Code adds by itself. */
const CLAUDE = 'claude-code:';
/** The types of messages that Claude Code joined from several texts, or whose kind it does not record. */
const JOINED: ReadonlySet<string> = new Set(['system', 'reminder']);
/** The name of the reminders in its messages of other types. */
const REMINDER_NAMES: Readonly<Record<string, string>> = { meta: 'notes', 'local-command': 'local commands' };

/** Whether Claude Code recorded the kind of a message of its own. */
function isAttachment(customType: string): boolean {
  const type = customType.startsWith(CLAUDE) ? customType.slice(CLAUDE.length) : null;
  return type !== null && !JOINED.has(type) && !Object.hasOwn(REMINDER_NAMES, type);
}

/** The pieces of a message that is none of the user. */
function labelCustomText(text: string, customType: string): readonly LabelledText[] {
  if (!customType.startsWith(CLAUDE)) return labelCodexText(text) ?? [{ kind: 'custom', name: customType, text }];
  const type = customType.slice(CLAUDE.length);
  if (JOINED.has(type)) return labelJoinedReminders(text);
  if (type === 'meta' && text.startsWith(SKILL))
    return [{ kind: 'skills', name: null, item: SKILL_FOLDER.exec(text)?.[1], text }];
  const name = Object.hasOwn(REMINDER_NAMES, type) ? REMINDER_NAMES[type] : undefined;
  if (name !== undefined) return [{ kind: 'reminders', name, text }];
  return labelReminder(text) ?? labelAttachment(type, text);
}

/** The beginning of a skill that Claude Code loaded. */
const SKILL = 'Base directory for this skill:';
const SKILL_FOLDER = /^Base directory for this skill:[^\n]*[\\/]([^\n\\/]{1,200})[\\/]?\s*(?:\n|$)/;
