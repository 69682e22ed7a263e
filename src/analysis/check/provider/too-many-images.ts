import * as z from 'zod/mini';
import { defineRule } from '../define.js';
import { HEADER, user } from '../example.js';
import { imageAt, PIXEL } from './images.js';
import { atEntry, listOf, placeOfBlock } from './message.js';

const options = z.strictObject({
  most: z
    ._default(z.int().check(z.nonnegative()), 100)
    .register(z.globalRegistry, { description: 'The maximum number of images in a request' }),
});

const PICTURE = { type: 'image', data: PIXEL, mimeType: 'image/png' };

export default defineRule<z.infer<typeof options>>({
  name: 'too-many-images',
  group: 'provider',
  severity: 'warning',
  summary: 'A request contains more images than providers accept',
  help:
    'Providers limit the number of images in a request (Anthropic: 100), and Pi sends all images of the context. ' +
    'Beyond the limit, every further request fails.\n\n' +
    'Compact, or replace old images with text by `context_edit` entries.',
  options,
  example: {
    fires: [HEADER, user('u1', null, [PICTURE, PICTURE])],
    silent: [HEADER, user('u1', null, [PICTURE])],
    options: { most: 1 },
  },
  looksAt: 'request',
  watch({ most }, session) {
    let count = 0;
    return {
      see({ message, from }) {
        if (message.role === 'assistant') return [];
        const content = listOf(message['content']);
        for (let at = 0; at < content.length; at += 1) {
          if (imageAt(content, at)) count += 1;
          else continue;
          if (count !== most + 1) continue;
          const what = `from here on the request contains more than ${most} ${most === 1 ? 'image' : 'images'}`;
          return [
            {
              message: what,
              at: atEntry(from),
              ...placeOfBlock(session, from, at),
              fix: 'compact, or replace old images with text by `context_edit` entries',
            },
          ];
        }
        return [];
      },
    };
  },
});
