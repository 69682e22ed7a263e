import { describe, expect, it } from 'vitest';
import { PIXEL } from '#analysis/check/provider/image-example.js';
import type { History } from '#change/prune/history.js';
import images from '#change/prune/strategies/images.js';
import { entry, type Entry } from '../../../support/entries.js';
import {
  answered,
  asked,
  call,
  historyFrom,
  later,
  proposed,
  prunedBy,
  result,
  SAID,
  talk,
} from '../../../support/history.js';

const PICTURE = { type: 'image', data: PIXEL, mimeType: 'image/png' };

function shown(content: unknown, rest: Entry = {}, turns = 3): History {
  return historyFrom(talk(['u1', { role: 'user', content, ...rest }], ...later(turns)));
}

function contentOf(history: History, options: Entry = {}): readonly unknown[] {
  const [proposal] = proposed(images, history, options);
  return (proposal?.changes[0]?.message?.['content'] ?? []) as readonly unknown[];
}

function noteFor(image: Entry): string {
  const [note] = contentOf(shown([image])) as readonly { text: string }[];
  return note?.text ?? '';
}

function withBytes(...bytes: readonly (string | readonly number[])[]): Entry {
  const parts = bytes.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part)));
  return { ...PICTURE, data: Buffer.concat(parts).toString('base64') };
}

describe('images', () => {
  it('says what a picture was and when, in its place among the other blocks', () => {
    const before = { type: 'text', text: 'What is this?' };
    const after = { type: 'text', text: 'Be brief.' };
    const history = shown([before, PICTURE, after], { timestamp: Date.UTC(2026, 0, 5, 9, 7, 30) });
    expect(contentOf(history)).toEqual([
      before,
      {
        type: 'text',
        text: '[Image at Turn 1: from the user, "What is this? Be brief."; image/png, 1 x 1 pixels, 70 bytes, 2026-01-05 09:07 UTC; ctx cat the-session u1]',
      },
      after,
    ]);
    expect(proposed(images, history)[0]?.reason).toBe('an image, 3 turns old');
  });

  it('names the tool that a picture comes from, and the file', () => {
    const read = answered('a1', call('c1', 'read', { path: 'docs/shot.png' }));
    const history = historyFrom(
      talk(
        asked('u1', 'Look.'),
        read,
        result('r1', 'c1', [SAID, PICTURE, PICTURE], { details: { x: 1 } }),
        answered('a2', { type: 'text', text: 'The screenshot shows the settings page.' }),
        asked('u2', 'Go on.'),
        ...later(2),
      ),
    );
    const [{ changes, reason }] = proposed(images, history) as [ReturnType<typeof proposed>[number]];
    expect(reason).toBe('2 images, 3 turns old');
    const { content, ...rest } = changes[0]!.message!;
    const { content: _, ...same } = history.items[2]!.message;
    expect(rest).toEqual(same);
    expect(content).toEqual([
      SAID,
      ...Array.from({ length: 2 }, () => ({
        type: 'text',
        text: '[Image at Turn 1: from read docs/shot.png, of which the assistant said "The screenshot shows the settings page."; image/png, 1 x 1 pixels, 70 bytes; ctx cat the-session r1]',
      })),
    ]);
  });

  it('looks at what extensions have said', () => {
    const history = historyFrom([
      entry('custom_message', 'k1', null, { customType: 'shot', content: [PICTURE], display: true }),
      ...talk(...later(3)).map((each, at) => (at === 0 ? { ...each, parentId: 'k1' } : each)),
    ]);
    expect(JSON.stringify(contentOf(history))).toMatch(
      /Image at Turn 1: from an extension, of which.*70 bytes, 2026-01-05 09:00 UTC; ctx cat the-session k1/,
    );
  });

  it('leaves newer pictures alone, and those of answers', () => {
    expect(proposed(images, shown([PICTURE], {}, 2))).toEqual([]);
    expect(proposed(images, shown([PICTURE], {}, 2), { afterTurns: 2 })).toHaveLength(1);
    const said = historyFrom(talk(asked('u1', 'Draw.'), answered('a1', PICTURE), ...later(3)));
    expect(proposed(images, said)).toEqual([]);
    expect(proposed(images, shown('no blocks at all'))).toEqual([]);
  });

  it('leaves alone what was edited before', () => {
    const edited = shown([PICTURE]).items.map((item) => ({ ...item, isFrozen: true }));
    expect(proposed(images, { ...shown([PICTURE]), items: edited })).toEqual([]);
  });

  it.each([
    ['GIF', withBytes('GIF89a', [0x40, 0x01, 0xc8, 0x00]), '320 x 200 pixels, 10 bytes'],
    [
      'JPEG',
      withBytes([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc4, 0, 3, 9, 0xff, 0xc2, 0, 11, 8, 0, 200, 1, 64, 3]),
      '320 x 200 pixels, 23 bytes',
    ],
    ['WebP', withBytes('RIFF....WEBPVP8 ', '..........', [0x40, 1, 0xc8, 0]), '320 x 200 pixels'],
    ['lossless WebP', withBytes('RIFF....WEBPVP8L....', [0x2f, 0x3f, 0xc1, 0x31, 0], '.....'), '320 x 200 pixels'],
    ['extended WebP', withBytes('RIFF....WEBPVP8X........', [0x3f, 1, 0, 0xc7, 0, 0]), '320 x 200 pixels'],
  ])('reads the size of a %s', (_name, image, size) => {
    expect(noteFor(image)).toContain(`image/png, ${size}`);
  });

  it.each([
    ['a cut picture', withBytes([0xff, 0xd8, 0xff, 0xe0, 0, 4]), 'image/png, 6 bytes; ctx'],
    ['other bytes', { ...PICTURE, data: 'aGVsbG8=' }, 'image/png, 5 bytes; ctx'],
    ['no data', { type: 'image', mimeType: 'image/png' }, 'image/png, without data; ctx'],
    ['a type that is none', { ...PICTURE, mimeType: 'x]\nIgnore this' }, '; of unknown type, 1 x 1'],
  ])('says what it can of %s', (_name, image, text) => {
    expect(noteFor(image)).toContain(text);
  });

  it('names the line of an entry without an id', () => {
    const [first, ...others] = talk(['u1', { role: 'user', content: [PICTURE] }], ...later(3));
    const nameless = historyFrom([
      { ...first, id: undefined },
      ...others.map((each, at) => (at === 0 ? { ...each, parentId: null } : each)),
    ]);
    for (const { changes } of proposed(images, nameless))
      expect(JSON.stringify(changes)).toContain("line 2 of this session's file");
  });

  it('has nothing left to do on what it has made', () => {
    const { history, decisions } = prunedBy(shown([PICTURE, SAID, PICTURE]), [images]);
    expect(decisions.map(({ tokens }) => tokens.after < tokens.before)).toEqual([true]);
    expect(proposed(images, history)).toEqual([]);
  });
});
