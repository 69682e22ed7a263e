import { defineRule } from '../define.js';
import { assistant, HEADER, text, user } from '../example.js';
import { imagesIn, PIXEL } from './images.js';
import { atEntry, isHidden, placeOfBlock } from './message.js';

const QUESTION = user('u1', null, 'Draw a dot.');
const PICTURE = { type: 'image', data: PIXEL, mimeType: 'image/png' };

export default defineRule({
  name: 'image-in-answer',
  group: 'provider',
  severity: 'warning',
  summary: 'An image is in an answer, where it is not sent',
  help:
    'No provider accepts images in an assistant message. Pi silently drops the image, so the model does not see ' +
    'it.\n\n' +
    'Put the image into a user message instead.',
  example: {
    fires: [HEADER, QUESTION, assistant('a1', 'u1', [text('Here.'), PICTURE])],
    silent: [HEADER, QUESTION, assistant('a1', 'u1', [text('Here.')]), user('u2', 'a1', [text('This one?'), PICTURE])],
  },
  looksAt: 'request',
  watch: (_options, session) => ({
    *see({ message, from }) {
      if (message.role !== 'assistant' || isHidden(message)) return;
      for (const { at } of imagesIn(message))
        yield {
          message: 'an image in an answer is not sent',
          at: atEntry(from),
          ...placeOfBlock(session, from, at),
          fix: 'put the image into a user message',
        };
    },
  }),
});
