import { readMessageText } from '#analysis/facts/text.js';
import { isObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { readEntryMessage } from '#context/replay/convert.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import type { Breach } from '../drive/breaches/clauses.js';
import type { Driven } from '../drive/driven-request.js';

/** The characters by which a text of the future is recognised. */
const PART_LENGTH = 24;

/** Finds texts in requests that come later in a recorded conversation. */
export class FutureTexts {
  /** The beginnings of the texts of messages, with the place of the first. */
  private readonly places = new Map<string, number>();
  private readonly past: string[] = [];
  private pastCount = 0;
  /** Texts that were looked at: later, even less is the future. */
  private readonly searched = new Set<string>();

  constructor(
    private readonly session: Session,
    private readonly path: readonly Head[],
  ) {
    for (const [place, head] of path.entries()) {
      for (const text of listTexts(session, head)) {
        const start = text.trim().slice(0, PART_LENGTH);
        if (start.length === PART_LENGTH && !this.places.has(start)) this.places.set(start, place);
      }
    }
  }

  /** Looks at what an engine has made of a request: its own messages, prompt and tools. */
  find({ at, assembled }: Pick<Driven, 'at' | 'assembled'>): Breach | null {
    const requestPlace = at === null ? -1 : this.path.findIndex(({ index }) => index === at.index);
    const { system, tools, messages, sources } = assembled;
    const ownTexts = messages.filter((_, index) => sources[index] === null).map((message) => joinStrings(message));
    for (const text of [system.compiled, JSON.stringify(tools), ...ownTexts]) {
      if (this.searched.has(text)) continue;
      this.searched.add(text);
      const later = this.findLater(text, requestPlace);
      if (later === null) continue;
      const message = `it contains ${JSON.stringify(later)}…, which comes later`;
      return { clause: 'future', method: 'assemble', message };
    }
    return null;
  }

  private findLater(text: string, requestPlace: number): string | null {
    for (let start = 0; start + PART_LENGTH <= text.length; start += 1) {
      const part = text.slice(start, start + PART_LENGTH);
      const place = this.places.get(part);
      if (place === undefined || place <= requestPlace || this.isInPast(part, requestPlace)) continue;
      return part;
    }
    return null;
  }

  /** Whether an earlier text contains a part: a later one may repeat it. */
  private isInPast(part: string, requestPlace: number): boolean {
    for (; this.pastCount <= requestPlace; this.pastCount += 1) {
      const head = this.path[this.pastCount];
      if (head) this.past.push(...listTexts(this.session, head));
    }
    return this.past.some((text) => text.includes(part));
  }
}

/** The texts of an entry, as an engine may copy them: words, arguments of calls, the prompt. */
function listTexts(session: Session, head: Head): readonly string[] {
  const entry = session.entry(head);
  const message = readEntryMessage(entry);
  if (message === null) return [];
  if (message.role === 'system') return [joinStrings(message)];
  return [readMessageText(message as LlmMessage), ...listArguments(message.content)];
}

function listArguments(content: unknown): readonly string[] {
  if (!Array.isArray(content)) return [];
  return (content as readonly unknown[]).flatMap((block) =>
    isObject(block) && block.type === 'toolCall' ? Object.values(Object(block.arguments)).filter(isText) : [],
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** All strings of a value, one after another. */
function joinStrings(value: unknown): string {
  if (isText(value)) return value;
  if (typeof value !== 'object' || value === null) return '';
  return Object.values(value).map(joinStrings).join('\n');
}
