import { visible } from '#base/visible.js';
import { codeRuns } from './code.js';
import { diffLines } from './diff.js';
import { markdownNodes } from './markdown.js';
import type { Drawing, DrawnBlock, ReadingBlock, Source } from './model.js';
import { shortenedBlock } from './shorten.js';

/** Longer texts stay plain: parsing them takes time that grows faster than the text. */
const LONGEST = 100_000;

/** Parses a text into what a renderer draws. Text that a terminal would obey becomes visible first. */
export function drawingOf({ text, language }: Source): Drawing {
  const safe = visible(text);
  if (safe.length > LONGEST) return { form: 'plain', text: safe };
  if (language === 'diff') return { form: 'diff', lines: diffLines(safe) };
  const nodes = language === 'markdown' ? markdownNodes(safe) : null;
  if (nodes) return { form: 'markdown', nodes };
  const runs = codeRuns(safe, language);
  return runs ? { form: 'code', language, runs } : { form: 'plain', text: safe };
}

/** A block with its text shortened, to `most` characters at most, and parsed into what a renderer draws. */
export function drawnBlock(block: ReadingBlock, most = Infinity): DrawnBlock {
  const shown = shortenedBlock(block, most);
  return 'content' in shown ? { ...shown, content: drawingOf(shown.content) } : shown;
}
