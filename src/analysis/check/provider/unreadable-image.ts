import type { SentMessage } from '#context/replay/message-list.js';
import type { ImageBlock } from '#session/entry.js';
import type { Session } from '#session/session.js';
import { defineRule, type Hit, quoteValue } from '../define.js';
import { detectImageType, isBase64 } from './image-data.js';
import { askAboutImage, PIXEL } from './image-example.js';
import { locateBlock } from './message.js';
import { listImages } from './request-images.js';

export default defineRule({
  name: 'unreadable-image',
  severity: 'warning',
  summary: 'The data of an image has an unknown format',
  help:
    'The data is base64, but not of a known file format, so the provider will likely reject the request because it ' +
    'cannot read the image. The beginning was cut off, or the data is not an image.\n\n' +
    'Replace the content of the message by a `context_edit` without the image.',
  example: { fires: askAboutImage('aGVsbG8='), silent: askAboutImage(PIXEL) },
  looksAt: 'request',
  watch: (_options, session) => ({
    see: (sent) =>
      listFaultyImages(session, sent, ({ data, mimeType }) =>
        typeof data !== 'string' || detectImageType(data) !== null || !isBase64(data)
          ? null
          : `the data is not an image of type ${quoteValue(mimeType)}, or of any other known type`,
      ),
  }),
});

/** Yields a hit for each image with a fault. Those in answers are not sent. */
function* listFaultyImages(
  session: Session,
  { message, from }: SentMessage,
  faultIn: (image: ImageBlock) => string | null,
): Generator<Hit> {
  if (message.role === 'assistant') return;
  for (const { image, at } of listImages(message)) {
    const fault = faultIn(image);
    const fix = 'replace the content of the message by a `context_edit`';
    if (fault !== null) yield { message: fault, ...locateBlock(session, from, at), fix };
  }
}
