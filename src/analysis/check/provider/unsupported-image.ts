import * as z from 'zod/mini';
import type { JsonObject } from '#base/json.js';
import { defineRule, quoted } from '../define.js';
import { HEADER, text, user } from '../example.js';
import { imagesIn, isBase64, PIXEL, typeOfData } from './images.js';
import { atEntry, placeOfBlock } from './message.js';

const options = z.strictObject({
  mediaTypes: z
    ._default(z.array(z.string()), ['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
    .register(z.globalRegistry, { description: 'The media types that the provider accepts' }),
  maxBytes: z
    ._default(z.int().check(z.positive()), 5 * 1024 * 1024)
    .register(z.globalRegistry, { description: 'The maximum length of the base64 text of an image' }),
});

type Options = z.infer<typeof options>;

export default defineRule<Options>({
  name: 'unsupported-image',
  group: 'provider',
  severity: 'error',
  summary: 'An image has a format or size that providers reject',
  help:
    'Providers accept PNG, JPEG, GIF and WebP images as plain base64 text, up to a maximum size (Anthropic: 5 MB ' +
    'each), and reject the whole request if the data does not match the media type. Pi sends images as they are ' +
    'stored, so every further request fails.\n\n' +
    'Replace the content of the message by a `context_edit` without the image, or with a converted one.',
  options,
  example: { fires: shown('image/jpeg'), silent: shown('image/png') },
  looksAt: 'request',
  watch: (wanted, session) => ({
    *see({ message, from }) {
      if (message.role === 'assistant') return;
      for (const { image, at } of imagesIn(message)) {
        const fault = faultOf(image, wanted);
        if (fault !== null)
          yield {
            message: fault,
            at: atEntry(from),
            ...placeOfBlock(session, from, at),
            fix: 'replace the content of the message by a `context_edit`',
          };
      }
    },
  }),
});

function shown(mimeType: string): readonly ReturnType<typeof user>[] {
  return [HEADER, user('u1', null, [text('What is this?'), { type: 'image', data: PIXEL, mimeType }])];
}

function faultOf({ data, mimeType }: JsonObject, { mediaTypes, maxBytes }: Options): string | null {
  if (typeof mimeType !== 'string') return 'the image has no media type';
  if (!mediaTypes.includes(mimeType)) return `images of type ${quoted(mimeType)} are not supported`;
  if (typeof data !== 'string' || data === '') return 'the image has no data';
  if (data.length > maxBytes) return `the image has ${data.length} bytes as base64, more than ${maxBytes}`;
  if (!isBase64(data)) return 'the data of the image is not base64';
  const type = typeOfData(data);
  return type === null || type === mimeType
    ? null
    : `the media type of the image is ${mimeType}, but its data is ${type}`;
}
