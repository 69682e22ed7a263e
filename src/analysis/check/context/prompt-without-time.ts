import { isObject, type JsonObject } from '#base/json.js';
import type { ReplayedContext } from '#context/replay/build-envelope.js';
import { hasPrompt } from '#context/replay/system-messages.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { activePath } from '#session/tree/tree.js';
import { defineRule, type Hit } from '../define.js';
import { entry, HEADER, QUESTION, system } from '../example.js';

const QUESTION_BELOW = { ...QUESTION, parentId: 's1' };

export default defineRule({
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
    const declaring = listInForce(envelope, session);
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
function listInForce({ meta: { compactions, edits } }: ReplayedContext, session: Session): readonly Declaring[] {
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
