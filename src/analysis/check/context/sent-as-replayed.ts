import { differenceText, recordIn, recordOf, REQUEST_TYPE, type RequestRecord, sentOf } from '#analysis/sent/record.js';
import { hashOfSent, sentByEnvelope, type SentContent } from '#analysis/sent/sent.js';
import { defineRule, type Hit, type PathStep } from '../define.js';
import { entry, HEADER, user } from '../example.js';

const QUESTION = user('u1', null, 'What is in here?');
const SHOWN: SentContent = {
  system: '',
  tools: [],
  messages: [{ role: 'user', content: 'What is in here?', timestamp: 0 }],
  reasoning: null,
};
const CHANGED: SentContent = { ...SHOWN, messages: [{ role: 'user', content: 'What?', timestamp: 0 }] };

export default defineRule({
  name: 'sent-as-replayed',
  group: 'context',
  severity: 'warning',
  isOnlyForPi: true,
  summary: 'The session shows another request than the one that was sent',
  help:
    'Inside Pi, ctx can record a hash of each request as the provider got it (`record` in the key `live` of the ' +
    'configuration). This rule replays the session at each record and compares. A session with a record for each ' +
    'request and no finding shows what was sent.\n\n' +
    'A recorded difference means that an extension of Pi changed the request without an entry. The record contains ' +
    'the content that was sent. Let the extension write an entry, or load fewer extensions. A hash that the record ' +
    'does not explain means that the session was changed after the request.',
  example: {
    fires: [HEADER, QUESTION, recorded(recordOf(SHOWN, CHANGED, new Set()))],
    silent: [HEADER, QUESTION, recorded(recordOf(SHOWN, SHOWN, new Set()))],
  },
  looksAt: 'path',
  watch() {
    const values = new Map<string, unknown>();
    return {
      step({ head, entry: line, context }): readonly Hit[] {
        if (head.type !== 'custom' || line['customType'] !== REQUEST_TYPE) return [];
        const message = findingAt(line, context, values);
        return message === null ? [] : [{ message, at: head }];
      },
    };
  },
});

function findingAt(line: PathStep['entry'], context: PathStep['context'], values: Map<string, unknown>): string | null {
  const record = recordIn(line);
  if (!record) return 'the record of the request cannot be read';
  for (const [name, value] of Object.entries(record.values ?? {})) values.set(name, value);
  const sent = sentOf(sentByEnvelope(context()), record, values);
  if (!sent || hashOfSent(sent) !== record.sha256)
    return 'the request that was sent is not the one that the session shows';
  return record.differs ? `an extension changed the request without an entry: ${differenceText(record.differs)}` : null;
}

function recorded(data: RequestRecord): ReturnType<typeof entry> {
  return entry('custom', 'r1', 'u1', { customType: REQUEST_TYPE, data });
}
