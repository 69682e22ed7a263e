import type { EnvelopeContent } from '#context/replay/content.js';
import { isAnswer } from '#session/heads/answer.js';
import { answersRequest } from '#session/tree/turns.js';
import { defineRule, type Hit, type PathEntry, quoteValue } from '../define.js';
import { ANSWERED, entry, HEADER, transform, user } from '../example.js';
import { comparePrefixes, type PrefixChange } from './prefix-change.js';

const REPLACEMENT = { role: 'user', content: 'What is in the README?', timestamp: 0 };

export default defineRule({
  name: 'undeclared-change',
  severity: 'note',
  isOnlyForPi: true,
  summary: 'Content that was already sent is changed without a reason',
  help:
    'A provider caches the prefix of a request, and processes the next request again from the first byte that ' +
    'differs. A `context_edit` of an earlier message and a system message in the middle of a session change sent ' +
    'content without a reason, so everything after the change is billed at full price again. (Models that accept ' +
    'system messages within the conversation are not affected.) Compactions are meant to do that, and a ' +
    '`context_transform` states its reason, so neither is reported. Edits of messages that no request contained are ' +
    'not reported either.\n\n' +
    'If the change is worth its price, no action is needed. To declare it, write it as a `context_transform` with ' +
    'an `invalidateCacheReason`, or combine it with the next compaction.',
  example: {
    fires: [HEADER, ...ANSWERED, entry('context_edit', 'e1', 'a1', { targetId: 'u1', replacement: null })],
    silent: [
      HEADER,
      ...ANSWERED,
      transform('t1', 'a1', { op: 'messages_cached_replace', messages: [REPLACEMENT] }),
      user('u2', 't1', 'And the tests?'),
      entry('context_edit', 'e1', 'u2', { targetId: 'u2', replacement: { content: 'And the test?' } }),
    ],
  },
  looksAt: 'path',
  watch(_options, { tree: { heads } }) {
    let wasSent = false;
    /** The last answer and the entries after it. */
    const unsent = new Set<number>();
    return {
      step({ head, change }) {
        if (answersRequest(head)) {
          wasSent = true;
          unsent.clear();
        }
        unsent.add(head.index);
        const isUndeclared = head.type === 'context_edit' || head.role === 'system';
        if (!wasSent || !isUndeclared || !change || unsent.has(heads.targetAt(head.index))) return [];
        const description = describeChange(comparePrefixes(change.before, change.after), change.before);
        return description === null ? [] : [buildHit(head, description)];
      },
    };
  },
});

function buildHit(head: PathEntry['head'], description: string): Hit {
  return {
    message: `${description}, without a reason`,
    at: head,
    fix: 'write the change as a `context_transform` with an `invalidateCacheReason`',
  };
}

/** The message about a change; null if no request contained the changed content. */
function describeChange({ parts, tools, message }: PrefixChange, before: EnvelopeContent): string | null {
  const { cached } = before.messages;
  const isSent = message !== null && cached.findLastIndex(isAnswer) > message;
  const what: string[] = [];
  if (parts.length > 0) what.push(`the system prompt (${parts.slice(0, 5).map(quoteValue).join(', ')})`);
  if (tools) what.push('the tools');
  if (isSent) what.push(`message ${message + 1} of ${cached.length}`);
  return what.length === 0 ? null : `it changes ${what.join(' and ')} after it was sent`;
}
