import { isObject, type JsonObject } from '#base/json.js';
import type { ReplayedContext } from '#context/replay/build.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { hasPrompt } from '#context/replay/system.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { activePath, answersRequest } from '#session/tree/tree.js';
import { defineRule, type Hit, quoteValue } from '../define.js';
import { assistant, entry, HEADER, NEXT, QUESTION, system, textContent, transform } from '../example.js';

const PROMPT = system('s1', null, { toolsAdded: [{ name: 'read', description: 'Read a file', parameters: {} }] });

function promptThenCall(name: string) {
  const tools = [{ name, description: 'Read a file', parameters: {} }];
  return [HEADER, PROMPT, { ...QUESTION, parentId: 's1' }, transform('x1', 'u1', { op: 'tools_replace', tools })];
}

export const noImplementation = defineRule({
  name: 'no-implementation',
  severity: 'warning',
  summary: 'The context declares a tool that has no implementation',
  help:
    'A transform adds the definition of a tool, but the implementation must already exist under the same name. Pi ' +
    'had no such tool in this session, so it omits the definition at run time, and a call of the tool fails.',
  example: { fires: promptThenCall('read_file'), silent: promptThenCall('read') },
  looksAt: 'envelope',
  *find({ tools, meta }): Generator<Hit> {
    for (const name of meta.toolsWithoutImplementation) {
      const at = tools.findIndex((tool) => tool.name === name);
      yield {
        message: `the tool ${quoteValue(name)} has no implementation: Pi omits it at run time`,
        place: `tools[${at}]`,
      };
    }
  },
});

const SECTIONS = { sections: { preamble: 'You are a coding agent.' } };
const TALK = [
  HEADER,
  system('s1', null, SECTIONS),
  { ...QUESTION, parentId: 's1' },
  assistant('a1', 'u1', [textContent('A README.')]),
];

function compaction(more: object) {
  const summary = 'A README was found.';
  return entry('compaction', 'k1', 'a1', { summary, firstKeptEntryId: 'u1', tokensBefore: 4000, ...more });
}

export const systemPromptLost = defineRule({
  name: 'system-prompt-lost',
  severity: 'warning',
  summary: 'A compaction drops the system prompt',
  help:
    'System messages before a compaction no longer apply: the `systemMessage` of the compaction must restate the ' +
    'prompt and the tools, as Pi does since 0.86. Without it, and without a later system message that declares them ' +
    'again, the model continues without a prompt.',
  example: {
    fires: [...TALK, compaction({}), { ...NEXT, parentId: 'k1' }],
    silent: [
      ...TALK,
      compaction({ systemMessage: { role: 'system', content: '', ...SECTIONS, timestamp: 0 } }),
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
        if (loss) loss = { ...loss, names: missing(loss.names, change.after) };
        else if (head.type === 'compaction' && !isObject(stored['systemMessage'])) {
          const names = missing(namesIn(change.before), change.after);
          const message = `the compaction does not restate ${listed(names)}`;
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

function namesIn({ system: { parts }, tools }: EnvelopeContent): readonly string[] {
  return [
    ...parts.map(({ name }) => `the part ${quoteValue(name)}`),
    ...tools.map(({ name }) => `the tool ${quoteValue(name)}`),
  ];
}

function missing(names: readonly string[], after: EnvelopeContent): readonly string[] {
  const there = new Set(namesIn(after));
  return names.filter((name) => !there.has(name));
}

const MOST_LISTED = 5;

function listed(names: readonly string[]): string {
  const more = names.length - MOST_LISTED;
  return names.slice(0, MOST_LISTED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

const QUESTION_BELOW = { ...QUESTION, parentId: 's1' };

export const promptWithoutTime = defineRule({
  name: 'prompt-without-time',
  severity: 'warning',
  summary: 'Pi sends no system prompt, since no system message has a timestamp',
  help:
    'Pi replays the system messages of the context into one prompt, and uses their `timestamp` as its time. If none ' +
    'of them has a timestamp and no tool is declared, Pi builds no prompt at all. Such messages come from other ' +
    'programs: Pi writes a timestamp into every message. Add a `timestamp` to one of them, in milliseconds since ' +
    '1970.',
  example: {
    fires: [
      HEADER,
      entry('message', 's1', null, { message: { role: 'system', content: 'You are a coding agent.' } }),
      QUESTION_BELOW,
    ],
    silent: [HEADER, system('s1', null, { content: 'You are a coding agent.' }), QUESTION_BELOW],
  },
  looksAt: 'envelope',
  *find(envelope, session): Generator<Hit> {
    const declaring = inForce(envelope, session);
    const [first] = declaring;
    if (!first || hasPrompt(declaring.map(({ message }) => message))) return;
    yield {
      message: 'no system message has a timestamp and no tool is declared, so Pi sends no system prompt',
      at: first.head,
      place: 'message.timestamp',
      fix: 'give it a timestamp, in milliseconds since 1970',
      related: declaring.slice(1).map(({ head }) => head.id),
    };
  },
});

interface Declaring {
  readonly head: Head;
  readonly message: JsonObject;
}

/** The system messages since the newest compaction, and the one that it restates. */
function inForce({ meta: { compactions, edits } }: ReplayedContext, session: Session): readonly Declaring[] {
  const since = compactions.findLast(({ shadowed }) => !shadowed)?.line ?? 0;
  const omitted = new Set(edits.flatMap(({ targetId, effect }) => (effect === 'omit' ? targetId : [])));
  const path = activePath(session.tree);
  return path
    .slice(
      Math.max(
        0,
        path.findIndex(({ line }) => line === since),
      ),
    )
    .flatMap((head) => {
      if (head.line !== since && (head.role !== 'system' || omitted.has(String(head.id)))) return [];
      const message = session.entry(head)[head.line === since ? 'systemMessage' : 'message'];
      return isObject(message) ? { head, message } : [];
    });
}
