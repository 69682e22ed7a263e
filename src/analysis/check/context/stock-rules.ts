import {
  buildRequestRecord,
  describeRequestDifference,
  hashRequest,
  readRequestRecord,
  REQUEST_TYPE,
  type RequestContent,
  type RequestRecord,
  restoreRequest,
  toRequestContent,
} from '#analysis/sent-requests/request-record.js';
import type { LlmMessage } from '#context/replay/content.js';
import { readLoggedMessages } from '#context/replay/convert.js';
import { MESSAGE_TYPES } from '#context/replay/selection.js';
import { defineRule, type Hit, type PathEntry } from '../define.js';
import { ANSWERED, assistant, entry, HEADER, textContent, user } from '../example.js';

const OTHER_BRANCH = [user('u2', 'a1', 'And its licence?'), assistant('a2', 'u2', [textContent('MIT.')])];

function compaction(firstKeptEntryId: string) {
  return entry('compaction', 'k1', 'a1', { summary: 'A README was found.', firstKeptEntryId, tokensBefore: 4000 });
}

export const compactionKeepsNothing = defineRule({
  name: 'compaction-keeps-nothing',
  severity: 'warning',
  summary: 'The first entry that a compaction keeps is not before it',
  help:
    'Pi looks for the first kept entry among the ancestors of the compaction. If that entry is on another branch or ' +
    'later in the file, nothing is kept: the model sees only the summary, which does not cover the messages that ' +
    'should have been kept. A compaction that is meant to keep nothing names itself.',
  example: {
    fires: [HEADER, ...ANSWERED, ...OTHER_BRANCH, compaction('u2')],
    silent: [HEADER, ...ANSWERED, ...OTHER_BRANCH, compaction('u1')],
  },
  looksAt: 'path',
  watch: () => ({
    step({ head, diagnostics }) {
      if (diagnostics.length === 0 || head.type !== 'compaction') return NONE;
      const found = diagnostics.filter(({ code }) => code === 'compaction-keeps-nothing');
      const fix = 'set firstKeptEntryId to an entry before it, or to its own id to keep nothing';
      return found.map(({ message }) => ({
        message,
        at: head,
        place: 'firstKeptEntryId',
        fix,
        related: [head.target],
      }));
    },
  }),
});

const NONE: readonly never[] = [];

export const editWithoutReplacement = defineRule({
  name: 'edit-without-replacement',
  severity: 'error',
  summary: 'A context edit has no replacement',
  help:
    'Pi since 0.87 stops with an error when it builds the context of this branch. `"replacement": null` omits the ' +
    'target, and `"replacement": {"content": …}` replaces its content.',
  example: {
    fires: [HEADER, ...ANSWERED, entry('context_edit', 'e1', 'a1', { targetId: 'u1' })],
    silent: [HEADER, ...ANSWERED, entry('context_edit', 'e1', 'a1', { targetId: 'u1', replacement: null })],
  },
  looksAt: 'session',
  *find({ tree, entry: read }): Generator<Hit> {
    for (const head of tree.heads.ofType('context_edit')) {
      if (read(head)['replacement'] !== undefined) continue;
      const message = 'the edit has no replacement, not even null';
      yield { message, at: head, place: 'replacement', fix: FIX, related: [head.target] };
    }
  },
});

const FIX = 'write "replacement": null to omit the target, or remove the edit';

const QUESTION = user('u1', null, 'What is in here?');
const SHOWN: RequestContent = {
  system: '',
  tools: [],
  messages: [{ role: 'user', content: 'What is in here?', timestamp: 0 }],
  reasoning: null,
};
const CHANGED: RequestContent = { ...SHOWN, messages: [{ role: 'user', content: 'What?', timestamp: 0 }] };

export const sentAsReplayed = defineRule({
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
    fires: [HEADER, QUESTION, recorded(buildRequestRecord(SHOWN, CHANGED, new Set()))],
    silent: [HEADER, QUESTION, recorded(buildRequestRecord(SHOWN, SHOWN, new Set()))],
  },
  looksAt: 'path',
  watch() {
    const values = new Map<string, unknown>();
    let logged: readonly LlmMessage[] = [];
    return {
      step({ head, entry: line, context }): readonly Hit[] {
        if (head.type === 'ephemeral') logged = readLoggedMessages(line);
        else if (MESSAGE_TYPES.has(head.type)) logged = [];
        if (head.type !== 'custom' || line['customType'] !== REQUEST_TYPE) return [];
        const message = findingAt(line, { context, logged, values });
        return message === null ? [] : [{ message, at: head }];
      },
    };
  },
});

interface Sending extends Pick<PathEntry, 'context'> {
  /** The messages of this request alone. */
  readonly logged: readonly LlmMessage[];
  /** Of the records so far. */
  readonly values: Map<string, unknown>;
}

function findingAt(line: PathEntry['entry'], { context, logged, values }: Sending): string | null {
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

function recorded(data: RequestRecord): ReturnType<typeof entry> {
  return entry('custom', 'r1', 'u1', { customType: REQUEST_TYPE, data });
}
