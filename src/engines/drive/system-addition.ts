import type { SystemPart } from '#context/replay/content.js';

/** The parts of a prompt with a text before them; a blank line parts it from them. */
export function withAddition(text: string, parts: readonly SystemPart[]): readonly SystemPart[] {
  if (text === '') return parts;
  const [first, ...others] = parts;
  return [{ name: 'engine', text }, ...(first ? [{ ...first, separator: '\n\n' }, ...others] : [])];
}
