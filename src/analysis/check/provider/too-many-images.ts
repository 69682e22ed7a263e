import * as z from 'zod/mini';
import { defineRule } from '../define.js';
import { HEADER, user } from '../example.js';
import { PICTURE } from './image-example.js';
import { findSessionImageLimits } from './image-limits.js';
import { locateBlock } from './message.js';
import { listImages } from './request-images.js';

const imageCount = z.strictObject({
  most: z.optional(
    z
      .int()
      .check(
        z.nonnegative(),
        z.describe('The maximum number of images in a request; by default that of the model, 100 for Claude.'),
      ),
  ),
});

export default defineRule<z.infer<typeof imageCount>>({
  name: 'too-many-images',
  severity: 'warning',
  summary: 'A request contains more images than providers accept',
  help:
    'Providers limit the number of images in a request (Claude: 100, OpenAI: 500), and agents send all images of the ' +
    'context. Beyond the limit, every further request fails.\n\n' +
    'Compact, or prune with the strategy `images`. `ctx repair` replaces the oldest images by lines of text.',
  options: imageCount,
  example: {
    fires: [HEADER, user('u1', null, [PICTURE, PICTURE])],
    silent: [HEADER, user('u1', null, [PICTURE])],
    options: { most: 1 },
  },
  looksAt: 'request',
  watch({ most: limit }, session) {
    const most = limit ?? findSessionImageLimits(session).images;
    let count = 0;
    return {
      see({ message, from }) {
        if (message.role === 'assistant') return [];
        for (const { at } of listImages(message)) {
          count += 1;
          if (count !== most + 1) continue;
          const what = `from here on the request contains more than ${most} ${most === 1 ? 'image' : 'images'}`;
          return [
            {
              message: what,
              ...locateBlock(session, from, at),
              fix: 'ctx prune --strategy images replaces old images, and ctx repair the oldest',
            },
          ];
        }
        return [];
      },
    };
  },
});
