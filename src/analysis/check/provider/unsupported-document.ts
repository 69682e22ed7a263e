import { asString } from '#base/json.js';
import { defineRule } from '../define.js';
import { contentListOf, locateBlock, readBlock } from './message.js';

export default defineRule({
  name: 'unsupported-document',
  severity: 'error',
  summary: 'A document is not a PDF, which the provider rejects',
  help:
    'The API of Claude takes documents as PDF, and rejects the whole request if the data is something else, such as a ' +
    'text file that is named `.pdf`. Claude Code sends documents as they are stored. Version 2.1.237 and newer ones leave ' +
    'the document out after a refusal; for older ones every further request fails.\n\n' +
    '`ctx repair` writes a copy in which a line of text replaces it.',
  example: { fires: [...readDocument('no PDF')], silent: [...readDocument('%PDF-1.7')] },
  looksAt: 'request',
  watch: (_options, session) => ({
    *see({ message, from }) {
      // Pi has no documents: a text describes one in the import of a session.
      if (!session.agent || message.role === 'assistant') return;
      for (const [at, item] of contentListOf(message).entries()) {
        const block = readBlock(item);
        const fault = block?.type === 'text' ? asString(block.documentFault) : null;
        if (fault !== null)
          yield {
            message: `a document: ${fault}`,
            ...locateBlock(session, from, at),
            fix: 'ctx repair replaces it by a line of text',
          };
      }
    },
  }),
});

/** A session of Claude Code whose prompt has a document with this data. */
function readDocument(data: string) {
  const source = { type: 'base64', media_type: 'application/pdf', data: btoa(data) };
  const content = [
    { type: 'document', source },
    { type: 'text', text: 'What does it say?' },
  ];
  const about = { sessionId: 'example', version: '2.1.30', cwd: '/home/ada', timestamp: '2026-03-02T09:00:00.000Z' };
  return [{ type: 'user', uuid: 'u1', parentUuid: null, ...about, message: { role: 'user', content } }];
}
