import { defineRule, quoted } from '../define.js';
import { HEADER, text, user } from '../example.js';
import { imagesIn, isBase64, PIXEL, typeOfData } from './images.js';
import { atEntry, placeOfBlock } from './message.js';

export default defineRule({
  name: 'unreadable-image',
  group: 'provider',
  severity: 'warning',
  summary: 'The data of a picture does not begin like a picture',
  help:
    'The data is base64, but of no kind of file that is known, so the provider will likely say that it cannot read the ' +
    'picture, and refuse the request. The beginning was cut off, or something else was stored.\n\n' +
    'Replace the content of the message by a `context_edit` without the picture.',
  example: { fires: shown('aGVsbG8='), silent: shown(PIXEL) },
  looksAt: 'request',
  watch: (_options, session) => ({
    *see({ message, from }) {
      if (message.role === 'assistant') return;
      for (const { image, at } of imagesIn(message)) {
        const { data, mimeType } = image;
        if (typeof data !== 'string' || typeOfData(data) !== null || !isBase64(data)) continue;
        yield {
          message: `the data does not begin like a picture of type ${quoted(mimeType)}, or of any other`,
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
