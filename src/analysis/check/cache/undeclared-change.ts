import type { EnvelopeContent } from '#context/replay/content.js';
import { defineRule, type Hit, type PathStep, quoted } from '../define.js';
import { ANSWERED, entry, HEADER, transform, user } from '../example.js';
import { changeBetween, type PrefixChange } from './prefix-change.js';

const REPLACEMENT = { role: 'user', content: 'What is in the README?', timestamp: 0 };

export default defineRule({
  name: 'undeclared-change',
  group: 'cache',
  severity: 'note',
  summary: 'What was sent before is changed, and nothing says why',
  help:
    'A provider keeps what it has read of a request, and reads the next one anew from the first byte that differs. ' +
    'A `context_edit` of an earlier message and a system message in the middle of a session change what was sent ' +
    'before without a reason, and so everything behind the change is billed in full once more. (Models that take system ' +
    'messages where they stand do not mind them.) Compactions are meant to do that, and a `context_transform` says ' +
    'why, so neither is reported; nor is an edit of what no request has held yet.\n\n' +
    'Nothing has to be done where the change is worth its price. Write it as a `context_transform` with an ' +
    '`invalidateCacheReason` to say so, or make it together with the next compaction.',
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
    /** The last answer and what follows it. */
    const unsent = new Set<number>();
    return {
      step({ head, change }) {
        if (head.role === 'assistant') {
          wasSent = true;
          unsent.clear();
        }
        unsent.add(head.index);
        const isUndeclared = head.type === 'context_edit' || head.role === 'system';
        if (!wasSent || !isUndeclared || !change || unsent.has(heads.targetAt(head.index))) return [];
        const said = saidOf(changeBetween(change.before, change.after), change.before);
        return said === null ? [] : [hitOf(head, said)];
      },
    };
  },
});

function hitOf(head: PathStep['head'], said: string): Hit {
  return {
    message: `${said}, and no reason is given`,
    at: head,
    fix: 'write the change as a `context_transform` with an `invalidateCacheReason`',
  };
}

/** null for a change of what no request has held. */
function saidOf({ parts, tools, message }: PrefixChange, before: EnvelopeContent): string | null {
  const { cached } = before.messages;
  const isSent = message !== null && cached.findLastIndex(({ role }) => role === 'assistant') > message;
  const what = [
    ...(parts.length > 0 ? [`the system prompt (${parts.slice(0, 5).map(quoted).join(', ')})`] : []),
    ...(tools ? ['the tools'] : []),
    ...(isSent ? [`message ${message + 1} of ${cached.length}`] : []),
  ];
  return what.length === 0 ? null : `it changes ${what.join(' and ')} after that was sent`;
}
