import * as z from 'zod/mini';
import { formatCount as inNumbers } from '#base/numbers.js';
import { defineRule } from '../define.js';
import { HEADER, textContent, user } from '../example.js';
import { PICTURE } from './image-example.js';
import { findSessionImageLimits } from './image-limits.js';
import { countMessageBytes } from './message-bytes.js';

const requestSize = z.strictObject({
  bytes: z.optional(
    z
      .int()
      .check(
        z.positive(),
        z.describe('The maximum bytes of the messages of a request; by default that of the model, 32 MB for Claude.'),
      ),
  ),
});

export default defineRule<z.infer<typeof requestSize>>({
  name: 'request-too-large',
  severity: 'error',
  summary: 'A request has more bytes than providers accept',
  help:
    'Providers limit the bytes of a request, images as base64 text included: Claude 32 MB (20 on Bedrock, 30 on ' +
    'Vertex), OpenAI 50 MB, Gemini 20 MB. The context window may be far from full: an image of 4 MB has hardly more ' +
    'than a thousand tokens. The texts and images of the messages are counted, not the names around them.\n\n' +
    'Compact, or prune with the strategy `images`. `ctx repair` replaces the oldest images by lines of text.',
  options: requestSize,
  example: {
    fires: [HEADER, user('u1', null, [textContent('What are these?'), PICTURE, PICTURE])],
    silent: [HEADER, user('u1', null, [textContent('What is this?'), PICTURE])],
    options: { bytes: 200 },
  },
  looksAt: 'request',
  watch({ bytes: limit }, session) {
    const most = limit ?? findSessionImageLimits(session).requestBytes;
    let bytes = 0;
    return {
      see({ message, from }) {
        const before = bytes;
        bytes += countMessageBytes(message);
        if (before > most || bytes <= most) return [];
        return [
          {
            message: `from here on the messages of the request have more than ${inNumbers(most)} bytes`,
            at: { line: from.line, id: from.entryId },
            fix: 'ctx prune --strategy images replaces old images, and ctx repair the oldest',
          },
        ];
      },
    };
  },
});
