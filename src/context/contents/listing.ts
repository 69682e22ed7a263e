import type { LabelledText } from './kinds.js';
import { MOST_PIECES } from './split-text.js';

/**
 * Divides a list of skills or agents into what introduces it, and a piece for each of them. A text of another kind, or
 * without such lines, stays one piece.
 */
export function splitListing(listed: LabelledText): readonly LabelledText[] {
  const { kind, text } = listed;
  if (kind !== 'skills' && kind !== 'agents') return [listed];
  const matches = listStarts(text);
  const [first] = matches;
  if (!first) return [listed];
  const pieces = matches.map(({ index, 1: item }, at) => {
    return { ...listed, item, text: text.slice(index, matches[at + 1]?.index ?? text.length) };
  });
  return first.index === 0 ? pieces : [{ ...listed, text: text.slice(0, first.index) }, ...pieces];
}

function listStarts(text: string): readonly RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  for (const match of text.matchAll(text.includes('<available_skills>') ? ELEMENT : LINE)) {
    if (found.length === MOST_PIECES) break;
    found.push(match);
  }
  return found;
}

/** A skill in the prompt of Pi. */
const ELEMENT = /^[ \t]*<skill>\s*<name>([^<\n]{1,200})<\/name>/gm;

/** A line of the lists of Claude Code and Codex. The skill of a plugin has a colon in its name: `plugin:skill`. */
const LINE = /^- ([\w.@/-]{1,100}(?::[\w.@/-]{1,100})*)(?:: |:?$)/gm;
