import { defineRule, quoted } from '../define.js';
import { HEADER, text, user } from '../example.js';
import { imagesIn, isBase64, PIXEL, typeOfData } from './images.js';
import { atEntry, placeOfBlock } from './message.js';

export default defineRule({
  name: 'unreadable-image',
  group: 'provider',
  severity: 'warning',
  summary: 'The data of an image has an unknown format',
  help:
    'The data is base64, but not of a known file format, so the provider will likely reject the request because it ' +
    'cannot read the image. The beginning was cut off, or the data is not an image.\n\n' +
    'Replace the content of the message by a `context_edit` without the image.',
  example: { fires: shown('aGVsbG8='), silent: shown(PIXEL) },
  looksAt: 'request',
  watch: (_options, session) => ({
    *see({ message, from }) {
      if (message.role === 'assistant') return;
      for (const { image, at } of imagesIn(message)) {
        const { data, mimeType } = image;
        if (typeof data !== 'string' || typeOfData(data) !== null || !isBase64(data)) continue;
        yield {
          message: `the data is not an image of type ${quoted(mimeType)}, or of any other known type`,
          at: atEntry(from),
          ...placeOfBlock(session, from, at),
          fix: 'replace the content of the message by a `context_edit`',
        };
      }
    },
  }),
});

function shown(data: string): readonly ReturnType<typeof user>[] {
  return [HEADER, user('u1', null, [text('What is this?'), { type: 'image', data, mimeType: 'image/png' }])];
}
