import { toVisible } from '#base/visible.js';
import { highlightCode } from './highlight-code.js';
import { parseMarkdown } from './parse-markdown.js';
import { readPatchLines } from './patch-lines.js';
import type { Drawing, DrawnBlock, ReadingBlock, TextSource } from './reading-block.js';
import { shortenBlock } from './shorten-blocks.js';

/** UTF-16 code units. Longer texts stay plain: parsing them takes time that grows faster than the text. */
const LONGEST = 100_000;

/** Parses a text into what a renderer draws. Text that a terminal would obey becomes visible first. */
export function buildDrawing({ text, language }: TextSource): Drawing {
  const safe = toVisible(text);
  if (safe.length > LONGEST) return { form: 'plain', text: safe };
  if (language === 'diff') return { form: 'diff', lines: readPatchLines(safe) };
  const nodes = language === 'markdown' ? parseMarkdown(safe) : null;
  if (nodes) return { form: 'markdown', nodes };
  const runs = highlightCode(safe, language);
  return runs ? { form: 'code', language, runs } : { form: 'plain', text: safe };
}

/** A block with its text shortened, to `most` characters at most, and parsed into what a renderer draws. */
export function drawBlock(block: ReadingBlock, most = Infinity): DrawnBlock {
  const shown = shortenBlock(block, most);
  return 'content' in shown ? { ...shown, content: buildDrawing(shown.content) } : shown;
}
