import { describe, expect, it } from 'vitest';
import { loadColourStyle, plainStyle } from '#ui/doc/style.js';
import type { Tone } from '#ui/doc/tone.js';

const TONES: readonly Tone[] = ['strong', 'faint', 'id', 'system', 'tools', 'messages', 'good', 'warning', 'error'];

describe('colours', () => {
  it.each(TONES)('show the tone %s by a sequence around the text', async (tone) => {
    const style = await loadColourStyle();
    // oxlint-disable-next-line no-control-regex -- escape sequences are what this is about
    expect(style(tone, 'text')).toMatch(/^\x1b\[\d+mtext\x1b\[\d+m$/);
  });

  it('are not wasted on plain text, and not on no text', async () => {
    const style = await loadColourStyle();
    expect(style('plain', 'text')).toBe('text');
    for (const tone of TONES) expect(style(tone, '')).toBe('');
  });

  it('are left out by the plain style', () => {
    for (const tone of TONES) expect(plainStyle(tone, 'text')).toBe('text');
  });
});
