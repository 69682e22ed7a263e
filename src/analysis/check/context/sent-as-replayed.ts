import type { JsonObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { readLoggedMessages } from '#context/replay/convert.js';
import { MESSAGE_TYPES } from '#context/replay/entry-kinds.js';
import { hashRequest } from '../../sent-requests/hash-request.js';
import { type RequestContent, toRequestContent } from '../../sent-requests/request-content.js';
import {
  buildRequestRecord,
  describeRequestDifference,
  readRequestRecord,
  REQUEST_TYPE,
  type RequestRecord,
  restoreRequest,
} from '../../sent-requests/request-record.js';
import { defineRule, type Hit, type PathEntry } from '../define.js';
import { entry, HEADER, QUESTION } from '../example.js';

const SHOWN: RequestContent = {
  system: '',
  tools: [],
  messages: [{ role: 'user', content: 'What is in here?', timestamp: 0 }],
  reasoning: null,
};

const CHANGED: RequestContent = { ...SHOWN, messages: [{ role: 'user', content: 'What?', timestamp: 0 }] };

export default defineRule({
  name: 'sent-as-replayed',
  severity: 'warning',
  isOnlyForPi: true,
  summary: 'The session shows another request than the one that was sent',
  help:
    'Inside Pi, ctx can record a hash of each request as the provider got it (`record` in the key `live` of the ' +
    'configuration). This rule replays the session at each record and compares. A session with a record for each ' +
    'request and no finding shows what was sent. Messages that are logged for one request count as shown.\n\n' +
    'A recorded difference means that an extension of Pi changed the request without an entry. The record contains ' +
    'the content that was sent. Let the extension write an entry, or load fewer extensions. A hash that the record ' +
    'does not explain means that the session was changed after the request.',
  example: {
    fires: [HEADER, QUESTION, recordRequest(buildRequestRecord(SHOWN, CHANGED, new Set()))],
    silent: [HEADER, QUESTION, recordRequest(buildRequestRecord(SHOWN, SHOWN, new Set()))],
  },
  looksAt: 'path',
  watch() {
    const values = new Map<string, unknown>();
    let logged: readonly LlmMessage[] = [];
    return {
      step({ head, entry: line, context }): readonly Hit[] {
        if (head.type === 'ephemeral') logged = readLoggedMessages(line);
        else if (MESSAGE_TYPES.has(head.type)) logged = [];
        if (line.type !== 'custom' || line.customType !== REQUEST_TYPE) return [];
        const message = compareRecord(line, { context, logged, values });
        return message === null ? [] : [{ message, at: head }];
      },
    };
  },
});

interface Sending extends Pick<PathEntry, 'context'> {
  /** The messages of this request alone. */
  readonly logged: readonly LlmMessage[];
  /** The values of the records so far, by hash. */
  readonly values: Map<string, unknown>;
}

function compareRecord(line: PathEntry['entry'], { context, logged, values }: Sending): string | null {
  const record = readRequestRecord(line);
  if (!record) return 'the record of the request cannot be read';
  for (const [name, value] of Object.entries(record.values ?? {})) values.set(name, value);
  const shown = toRequestContent(context());
  if (hashRequest({ ...shown, messages: [...shown.messages, ...logged] }) === record.sha256) return null;
  const sent = restoreRequest(shown, record, values);
  if (!sent || hashRequest(sent) !== record.sha256)
    return 'the request that was sent is not the one that the session shows';
  return record.differs
    ? `an extension changed the request without an entry: ${describeRequestDifference(record.differs)}`
    : null;
}

function recordRequest(data: RequestRecord): JsonObject {
  return entry('custom', 'r1', 'u1', { customType: REQUEST_TYPE, data });
}
