import { type JsonObject, listObjects } from '#base/json.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { isAnswer } from '#session/heads/answer.js';
import { answersRequest } from '#session/tree/tree.js';
import { defineRule, type Hit, type PathEntry, quoteValue } from '../define.js';
import { ANSWERED, entry, HEADER, transform, user } from '../example.js';
import { comparePrefixes, isUnchangedPrefix, type PrefixChange } from './prefix-change.js';

const REPLACEMENT = { role: 'user', content: 'What is in the README?', timestamp: 0 };

export const undeclaredChange = defineRule({
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
        const said = saidOf(comparePrefixes(change.before, change.after), change.before);
        return said === null ? [] : [hitOf(head, said)];
      },
    };
  },
});

function hitOf(head: PathEntry['head'], said: string): Hit {
  return {
    message: `${said}, without a reason`,
    at: head,
    fix: 'write the change as a `context_transform` with an `invalidateCacheReason`',
  };
}

/** The message about a change; null if no request contained the changed content. */
function saidOf({ parts, tools, message }: PrefixChange, before: EnvelopeContent): string | null {
  const { cached } = before.messages;
  const isSent = message !== null && cached.findLastIndex(isAnswer) > message;
  const what = [
    ...(parts.length > 0 ? [`the system prompt (${parts.slice(0, 5).map(quoteValue).join(', ')})`] : []),
    ...(tools ? ['the tools'] : []),
    ...(isSent ? [`message ${message + 1} of ${cached.length}`] : []),
  ];
  return what.length === 0 ? null : `it changes ${what.join(' and ')} after it was sent`;
}

export const declaredWithoutChange = defineRule({
  name: 'declared-without-change',
  isOnlyForPi: true,
  severity: 'warning',
  summary: 'A transform declares a cache break, but changes nothing',
  help:
    'A `context_transform` gives a reason for invalidating the cache, but the context after it is the same as ' +
    'before. The policy that wrote it does not work as intended, or writes the same transform repeatedly, and ' +
    'reports that count such reasons are wrong.\n\n' +
    'Write a transform only if it changes the context.',
  example: {
    fires: [HEADER, ...ANSWERED, transform('t1', 'a1', { op: 'tools_remove', toolNames: ['grep'] })],
    silent: [
      HEADER,
      ...ANSWERED,
      transform('t1', 'a1', { op: 'system_part_set', partName: 'rules', text: 'Be brief.' }),
    ],
  },
  looksAt: 'path',
  watch: () => ({
    step({ head, entry: stored, change, diagnostics }) {
      if (head.type !== 'context_transform' || !change || isBroken(diagnostics)) return [];
      const reason = reasonIn(stored);
      if (reason === null || !isUnchangedPrefix(comparePrefixes(change.before, change.after))) return [];
      return [unneeded(head, reason)];
    },
  }),
});

/** Whether replay skipped an op, which another rule reports. */
function isBroken(diagnostics: PathEntry['diagnostics']): boolean {
  return diagnostics.some(({ code }) => code.startsWith('patch-'));
}

function reasonIn({ patch }: JsonObject): string | null {
  const reasons = listObjects(patch).map(({ invalidateCacheReason }) => invalidateCacheReason);
  return reasons.find((reason) => typeof reason === 'string') ?? null;
}

function unneeded(head: PathEntry['head'], reason: string): Hit {
  return {
    message: `it declares ${quoteValue(reason)}, but does not change the context`,
    at: head,
    fix: 'write a transform only if it changes the context',
  };
}
