import * as z from 'zod/mini';
import { measureJson } from '#base/json-text.js';
import { option } from '#base/schema.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import type { Head } from '#session/heads/head.js';
import { defineRule, type Hit } from '../define.js';
import { ANSWERED, entry, HEADER, transform } from '../example.js';
import { type AppliedOp, listAppliedOps } from './patch-rules.js';

function keepingFrom(firstKeptMessageIndex: number) {
  const op = { op: 'compaction_apply', summary: 'A README was found.', timestamp: 0, firstKeptMessageIndex };
  return transform('x1', 'a1', op);
}

export const indexOutOfRange = defineRule({
  name: 'index-out-of-range',
  severity: 'warning',
  summary: 'The index of a compaction is out of range',
  help:
    '`firstKeptMessageIndex` counts the messages of the context at this point from 0. If it is greater than the ' +
    'number of messages, only the summary is kept; if it is negative, everything is. Either shows that the ' +
    'operation was created for a different context.',
  example: { fires: [HEADER, ...ANSWERED, keepingFrom(7)], silent: [HEADER, ...ANSWERED, keepingFrom(1)] },
  looksAt: 'path',
  watch: () => ({
    step(step) {
      return listAppliedOps(step).flatMap(({ at, name, op, before }) => {
        const index = op['firstKeptMessageIndex'];
        const { length } = before.messages.cached;
        if (name !== 'compaction_apply' || typeof index !== 'number' || (index >= 0 && index <= length)) return [];
        const outcome = index < 0 ? 'everything is kept' : 'nothing is kept';
        const message = `it keeps from message ${index} of ${length}, so ${outcome}`;
        return { message, at: step.head, place: `patch[${at}].firstKeptMessageIndex` };
      });
    },
  }),
});

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

export const repeatedReplace = defineRule<z.infer<typeof replacedMessages>>({
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
        const replaced = listAppliedOps(step).filter(({ name }) => name === 'messages_cached_replace').length;
        if (replaced === 0 || !step.change) return NONE;
        const { before, after } = step.change;
        const known = new Set(before.messages.cached);
        count += replaced;
        stored += step.head.length;
        for (const message of after.messages.cached) if (!known.has(message)) added += measureJson(message);
        last = step.head;
        return NONE;
      },
      *end(): Generator<Hit> {
        if (!last || count < times || stored < added * LEAST_WASTE) return;
        const message = `the whole list was stored ${count} times: ${stored} bytes, about ${added} of them new`;
        yield { message, at: last };
      },
    };
  },
});

const NONE: readonly never[] = [];
/** The ratio of stored to new bytes from which it is reported. */
const LEAST_WASTE = 2;

const CHEAPER = { op: 'options_set', scope: 'cached', reasoning: 'low', invalidateCacheReason: 'simple questions' };

function withOps(...ops: readonly object[]) {
  return entry('context_transform', 'x1', 'a1', { schemaVersion: 1, transformerName: 'example', patch: ops });
}

export const opWithoutEffect = defineRule({
  name: 'op-without-effect',
  isOnlyForPi: true,
  severity: 'warning',
  summary: 'An operation of a transform changes nothing',
  help:
    'The operation removes something that does not exist, or sets a value that is already set. Most likely it was ' +
    'created for a different context, or contains a wrong name. If a whole transform changes nothing, although it ' +
    'gives a reason, it is reported by [declared-without-change](declared-without-change.md).',
  example: {
    fires: [HEADER, ...ANSWERED, withOps(CHEAPER, { ...CHEAPER, op: 'tools_remove', toolNames: ['bahs'] })],
    silent: [HEADER, ...ANSWERED, withOps(CHEAPER)],
  },
  looksAt: 'path',
  watch: () => ({
    step(step) {
      const { head, entry: stored, diagnostics } = step;
      // Other rules report transforms that replay cannot read.
      if (head.type !== 'context_transform' || diagnostics.length > 0) return NONE;
      const { patch } = stored;
      if (Array.isArray(patch) && patch.length === 0)
        return [{ message: 'the transform has no operations', at: head, place: 'patch' }];
      const ops = listAppliedOps(step);
      const idle = ops.filter((op) => !hasEffect(op));
      if (idle.length === ops.length) return NONE;
      return idle.map(({ at, name }) => ({ message: `${name} changes nothing`, at: head, place: `patch[${at}]` }));
    },
  }),
});

function hasEffect({ before, after }: AppliedOp): boolean {
  return REGIONS.some((region) => !isSameJson(region(before), region(after)));
}

const REGIONS: readonly ((content: EnvelopeContent) => unknown)[] = [
  ({ options }) => options,
  ({ tools }) => tools,
  ({ system }) => system.parts,
  ({ messages }) => messages.cached,
];

/** Whether two values are the same as JSON, keys in the same order, however deep they are nested. */
export function isSameJson(one: unknown, other: unknown): boolean {
  const waiting: [unknown, unknown][] = [[one, other]];
  for (let pair = waiting.pop(); pair; pair = waiting.pop()) {
    const [a, b] = pair;
    if (a === b) continue;
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
    const fields = Object.entries(a);
    const others = Object.entries(b);
    if (Array.isArray(a) !== Array.isArray(b) || fields.length !== others.length) return false;
    for (const [at, [key, value]] of fields.entries()) {
      const [otherKey, otherValue] = others[at] ?? [];
      if (key !== otherKey) return false;
      waiting.push([value, otherValue]);
    }
  }
  return true;
}
