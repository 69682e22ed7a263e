import * as z from 'zod/mini';
import { measureJson } from '#base/json-text.js';
import { sumBy } from '#base/lists.js';
import { option } from '#base/schema.js';
import type { Head } from '#session/heads/head.js';
import { defineRule, type Hit } from '../define.js';
import { ANSWERED, HEADER, transform } from '../example.js';
import { listAppliedOps } from './applied-ops.js';

const replacedMessages = z.strictObject({
  times: option(z.int().check(z.positive()), 3, 'the number of replacements from which they are reported'),
});

const WORDS = { role: 'user', content: 'Answer in one short sentence, without any code.', timestamp: 0 };

const [first, second, third] = ['x1', 'x2', 'x3'].map((id, at) =>
  transform(id, at === 0 ? 'a1' : `x${at}`, {
    op: 'messages_cached_replace',
    messages: [WORDS, { role: 'user', content: `Part ${at}.`, timestamp: 0 }],
  }),
);

export default defineRule<z.infer<typeof replacedMessages>>({
  name: 'repeated-replace',
  isOnlyForPi: true,
  severity: 'warning',
  summary: 'Transforms store the whole message list repeatedly',
  help:
    '`messages_cached_replace` stores every message of the list, including unchanged ones. If it is used at every ' +
    'turn, the size of the file grows with the square of the conversation. Change single messages with ' +
    '`context_edit`, add them as `custom_message`, or replace the list once, when much of it changes.',
  options: replacedMessages,
  example: {
    fires: [HEADER, ...ANSWERED, first ?? {}, second ?? {}, third ?? {}],
    silent: [HEADER, ...ANSWERED, first ?? {}, second ?? {}],
  },
  looksAt: 'path',
  watch({ times }) {
    let count = 0;
    let stored = 0;
    let added = 0;
    let last: Head | null = null;
    return {
      step(step) {
        const ops = listAppliedOps(step).filter(({ name }) => name === 'messages_cached_replace');
        if (ops.length === 0 || !step.change) return [];
        const { before, after } = step.change;
        const earlier = new Set(before.messages.cached);
        count += ops.length;
        stored += step.head.length;
        added += sumBy(
          after.messages.cached.filter((message) => !earlier.has(message)),
          measureJson,
        );
        last = step.head;
        return [];
      },
      *end(): Generator<Hit> {
        if (!last || count < times || stored < added * LEAST_WASTE) return;
        const message = `the whole list was stored ${count} times: ${stored} bytes, about ${added} of them new`;
        yield { message, at: last };
      },
    };
  },
});

/** The ratio of stored to new bytes from which it is reported. */
const LEAST_WASTE = 2;
