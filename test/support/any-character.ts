import * as fc from 'fast-check';

/**
 * Any character of Unicode, as `unit` of `fc.string`. The unit `binary` of fast-check has the same characters, and keeps
 * a table of all 1.1 million in memory: it takes a second to build, and each collection of garbage goes through it.
 */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code), toCode);

/** The code of a character; fast-check takes an exception for the answer that a value is none. */
function toCode(value: unknown): number {
  const [character = '', ...others] = typeof value === 'string' ? value : '';
  if (character === '' || others.length > 0) throw new TypeError('not a character');
  return character.codePointAt(0) ?? 0;
}
