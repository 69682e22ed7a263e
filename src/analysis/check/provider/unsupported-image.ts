import * as z from 'zod/mini';
import { option } from '#base/schema.js';
import { defineRule, type Hit } from '../define.js';
import { ACCEPTED_IMAGES, describeFormatFault } from './image-data.js';
import { askAboutImage, PIXEL } from './image-example.js';
import { findSessionImageLimits } from './image-limits.js';
import { locateBlock } from './message.js';
import { describeFaultAmongMany, describeSizeFault, listImages } from './request-images.js';

const acceptedImages = z.strictObject({
  mediaTypes: option(z.array(z.string()), ACCEPTED_IMAGES, 'The media types that the provider accepts'),
  maxBytes: z.optional(
    z
      .int()
      .check(
        z.positive(),
        z.describe('The maximum length of the base64 text of an image; by default that of the model.'),
      ),
  ),
  maxPixels: z.optional(
    z.int().check(z.positive(), z.describe('The maximum pixels of a side of an image; by default that of the model.')),
  ),
});

export default defineRule<z.infer<typeof acceptedImages>>({
  name: 'unsupported-image',
  severity: 'error',
  summary: 'An image has a format or size that providers reject',
  help:
    'Providers accept PNG, JPEG, GIF and WebP images as plain base64 text, up to a maximum size, and reject the whole ' +
    'request if the data does not match the media type. Claude takes 5 MB and 8,000 pixels a side, and only 2,000 ' +
    'pixels in a request with more than 20 images; OpenAI takes 20 MB. The model of the next request decides. Agents ' +
    'send images as they are stored, so every further request fails.\n\n' +
    '`ctx repair` replaces such an image by a line of text, with a `context_edit` that `ctx revert` undoes.',
  options: acceptedImages,
  example: { fires: askAboutImage(PIXEL, 'image/jpeg'), silent: askAboutImage(PIXEL) },
  looksAt: 'request',
  watch(wanted, session) {
    const ofSession = findSessionImageLimits(session);
    const limits = {
      ...ofSession,
      bytes: wanted.maxBytes ?? ofSession.bytes,
      pixels: wanted.maxPixels ?? ofSession.pixels,
    };
    const among: Hit[] = [];
    let images = 0;
    return {
      *see(sent) {
        if (sent.message.role === 'assistant') return;
        for (const { image, at } of listImages(sent.message)) {
          images += 1;
          const place = locateBlock(session, sent.from, at);
          const fault = describeFormatFault(image, wanted.mediaTypes) ?? describeSizeFault(image, limits);
          if (fault !== null) yield { message: fault, ...place, fix: REPAIR };
          const beside = fault === null ? describeFaultAmongMany(image, limits) : null;
          if (beside !== null) among.push({ message: beside, ...place, fix: REPAIR });
        }
      },
      *end() {
        if (limits.many !== null && images > limits.many) yield* among;
      },
    };
  },
});

const REPAIR = 'ctx repair replaces it by a line of text';
