import { isObject } from '#base/json.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { answersRequest } from '#session/tree/turns.js';
import { defineRule, type Hit, quoteValue } from '../define.js';
import { assistant, entry, HEADER, NEXT, QUESTION, system, textContent } from '../example.js';

const SECTIONS = { sections: { preamble: 'You are a coding agent.' } };

const TALK = [
  HEADER,
  system('s1', null, SECTIONS),
  { ...QUESTION, parentId: 's1' },
  assistant('a1', 'u1', [textContent('A README.')]),
];

function compactWith(more: object) {
  const summary = 'A README was found.';
  return entry('compaction', 'k1', 'a1', { summary, firstKeptEntryId: 'u1', tokensBefore: 4000, ...more });
}

export default defineRule({
  name: 'system-prompt-lost',
  severity: 'warning',
  summary: 'A compaction drops the system prompt',
  help:
    'System messages before a compaction no longer apply: the `systemMessage` of the compaction must restate the ' +
    'prompt and the tools, as Pi does since 0.86. Without it, and without a later system message that declares them ' +
    'again, the model continues without a prompt.',
  example: {
    fires: [...TALK, compactWith({}), { ...NEXT, parentId: 'k1' }],
    silent: [
      ...TALK,
      compactWith({ systemMessage: { role: 'system', content: '', ...SECTIONS, timestamp: 0 } }),
      { ...NEXT, parentId: 'k1' },
    ],
  },
  looksAt: 'path',
  watch() {
    let loss: { readonly hit: Hit; readonly names: readonly string[] } | null = null;
    return {
      *step({ head, entry: stored, change }): Generator<Hit> {
        if (loss && answersRequest(head)) yield* end();
        if (!change) return;
        if (loss) loss = { ...loss, names: listMissing(loss.names, change.after) };
        else if (stored.type === 'compaction' && !isObject(stored.systemMessage)) {
          const names = listMissing(listDeclaredNames(change.before), change.after);
          const message = `the compaction does not restate ${formatNames(names)}`;
          const fix = 'add a systemMessage that declares them, or declare them in a later system message';
          loss = { names, hit: { message, at: head, place: 'systemMessage', fix } };
        }
      },
      end,
    };

    function* end(): Generator<Hit> {
      if (loss && loss.names.length > 0) yield loss.hit;
      loss = null;
    }
  },
});

function listDeclaredNames({ system: { parts }, tools }: EnvelopeContent): readonly string[] {
  return [
    ...parts.map(({ name }) => `the part ${quoteValue(name)}`),
    ...tools.map(({ name }) => `the tool ${quoteValue(name)}`),
  ];
}

function listMissing(names: readonly string[], after: EnvelopeContent): readonly string[] {
  const declared = new Set(listDeclaredNames(after));
  return names.filter((name) => !declared.has(name));
}

const MOST_LISTED = 5;

function formatNames(names: readonly string[]): string {
  const more = names.length - MOST_LISTED;
  return names.slice(0, MOST_LISTED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
