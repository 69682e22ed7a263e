import { isFailedAnswer } from '#context/replay/convert.js';
import { defineRule } from '../define.js';
import { assistant, HEADER, textContent, user } from '../example.js';
import { PICTURE } from './image-example.js';
import { locateBlock } from './message.js';
import { listImages } from './request-images.js';

const QUESTION = user('u1', null, 'Draw a dot.');

export default defineRule({
  name: 'image-in-answer',
  severity: 'warning',
  summary: 'An image is in an answer, where it is not sent',
  help:
    'No provider accepts images in an assistant message. Pi silently drops the image, so the model does not see ' +
    'it.\n\n' +
    'Put the image into a user message instead.',
  example: {
    fires: [HEADER, QUESTION, assistant('a1', 'u1', [textContent('Here.'), PICTURE])],
    silent: [
      HEADER,
      QUESTION,
      assistant('a1', 'u1', [textContent('Here.')]),
      user('u2', 'a1', [textContent('This one?'), PICTURE]),
    ],
  },
  looksAt: 'request',
  watch: (_options, session) => ({
    *see({ message, from }) {
      if (message.role !== 'assistant' || isFailedAnswer(message)) return;
      for (const { at } of listImages(message))
        yield {
          message: 'an image in an answer is not sent',
          ...locateBlock(session, from, at),
          fix: 'put the image into a user message',
        };
    },
  }),
});
