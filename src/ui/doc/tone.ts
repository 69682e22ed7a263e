/** The meaning of a piece of text, which a renderer turns into a colour. */
export type Tone = (typeof TONES)[number];

export const TONES = [
  'plain',
  'strong',
  'emphasis',
  'faint',
  'code',
  'id',
  'system',
  'tools',
  'messages',
  'good',
  'warning',
  'error',
] as const;
