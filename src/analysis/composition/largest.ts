import { sortLargestFirst } from '#base/lists.js';
import type { ContentKind } from '#context/contents/kinds.js';
import { isAddedText } from '#context/contents/label-text.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { EnvelopeOverview } from '#context/replay/overview.js';
import { listBlocks } from '#context/words/message-blocks.js';
import { describeWithKind } from './describe-content.js';

/** One of the largest things in a context. */
export interface LargePart {
  readonly tokens: number;
  /** The message that it is, counted from 1; null for one that is in several or in none. */
  readonly number: number | null;
  /** Its name; null for a message. */
  readonly name: string | null;
  /** The part of the envelope that has it; null for one in messages. */
  readonly part: 'system' | 'tools' | null;
}

/** An envelope whose largest things are looked for. */
export interface Weighable extends Pick<EnvelopeOverview, 'messages'> {
  readonly meta: Pick<EnvelopeOverview['meta'], 'composition' | 'size'>;
  readonly session: Pick<EnvelopeOverview['session'], 'cwd'>;
}

const MOST = 3;
/** The share of the context below which nothing is large. */
const LEAST_SHARE = 0.01;
/** Reading a message may parse a long line again. */
const MOST_READ = 32;

/** The kinds that are not of single messages: what an agent sends with every request. */
const OF_AGENT: ReadonlySet<ContentKind> = new Set([
  'prompt',
  'memory files',
  'tools',
  'skills',
  'agents',
  'hooks',
  'reminders',
]);

/** The largest things of a context by name: single messages, and what its agent adds to them. */
export function listLargest(envelope: Weighable): readonly LargePart[] {
  return sortLargestFirst([...listAdded(envelope), ...listLargestMessages(envelope)], ({ tokens }) => tokens)
    .filter(({ tokens }) => tokens > 0 && tokens >= LEAST_SHARE * envelope.meta.size.tokens)
    .slice(0, MOST);
}

function listAdded({ meta, session }: Weighable): readonly LargePart[] {
  const { contents, systemParts } = meta.composition;
  return contents
    .filter(({ kind }) => OF_AGENT.has(kind))
    .map((content) => ({
      tokens: content.tokens,
      number: null,
      name: describeWithKind(content, session.cwd ?? ''),
      part: findPart(content.kind, systemParts),
    }));
}

/** The part of the envelope that has a kind of contents. Pi puts memory files and skills into the system prompt. */
function findPart(kind: ContentKind, systemParts: readonly { readonly name: string }[]): LargePart['part'] {
  const has = (part: string): boolean => systemParts.some(({ name }) => name === part);
  switch (kind) {
    case 'tools':
      return 'tools';
    case 'prompt':
      return 'system';
    case 'memory files':
      return has('project_context') ? 'system' : null;
    case 'skills':
      return has('skills') ? 'system' : null;
    default:
      return null;
  }
}

/** The largest messages that are one thing: texts of an agent among the words of the user are counted by themselves. */
function listLargestMessages({ messages, meta }: Weighable): readonly LargePart[] {
  const { cached } = messages;
  const places = sortLargestFirst(
    Array.from({ length: cached.length }, (_, at) => at),
    (at) => meta.composition.messages[at]?.tokens ?? 0,
  );
  const found: LargePart[] = [];
  for (const at of places.slice(0, MOST_READ)) {
    const message = cached.at(at)?.message;
    if (!message || isMixed(message)) continue;
    found.push({ tokens: meta.composition.messages[at]?.tokens ?? 0, number: at + 1, name: null, part: null });
    if (found.length === MOST) break;
  }
  return found;
}

/** Whether an agent put texts of its own into a message. */
function isMixed(message: LlmMessage): boolean {
  return (
    message.role === 'user' && listBlocks(message).some(({ text }) => typeof text === 'string' && isAddedText(text))
  );
}
