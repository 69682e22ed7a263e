import { asString, isObject } from '#base/json.js';
import { sumBy } from '#base/lists.js';
import type { StoredMessage } from '#session/entry.js';
import { formatId, type Head } from '#session/heads/head.js';
import { isFailedAnswer } from '../replay/convert.js';
import type { ContextEnvelope } from '../replay/envelope.js';
import { readRecordedRequest } from './recorded-request.js';
import { CHARACTERS_PER_TOKEN } from './tokens.js';

/** A recorded prompt that is smaller than the messages that are shown for it. */
export type UnseenMessages = NonNullable<ContextEnvelope['meta']['unseen']>;

/**
 * Compares the recorded prompts of the requests since the last change of a context with their messages. A prompt that
 * is smaller shows that the model did not see all of them: a server cut the prompt to its window, or the client
 * compacted or masked messages without recording it.
 */
export class PromptWatch {
  /** `read`: reads the message of an entry. */
  constructor(
    private readonly read: (head: Head) => StoredMessage | null,
    private state = startComparing(),
  ) {}

  fork(): PromptWatch {
    const heads = this.state.heads?.slice() ?? null;
    return new PromptWatch(this.read, { ...this.state, heads });
  }

  /** The newest request that shows it; null if none does. */
  get unseen(): UnseenMessages | null {
    return this.state.unseen;
  }

  /** Returns `unseen` without the newest message: an answer before a change may be that of a compaction. */
  get confirmed(): UnseenMessages | null {
    return this.state.confirmed;
  }

  /** The context changed other than by a message: only what follows is certain to be sent. */
  change(): void {
    this.state = startComparing();
  }

  take(head: Head, message: StoredMessage): void {
    const { state } = this;
    state.confirmed = state.unseen;
    // An answer is sent as it is stored.
    const request = message.role === 'assistant' ? readRecordedRequest(message) : null;
    if (request && !request.isDerived) this.compare(head, request);
    if (isFailedAnswer(message)) return;
    state.shown += state.heads ? countAtMost(message) : countAtLeast(message);
    state.heads?.push(head);
  }

  private compare(head: Head, { prompt, model }: { readonly prompt: number; readonly model: string }): void {
    const { state } = this;
    if (state.heads && isSmall(prompt, state.shown)) this.readAgain(state.heads);
    const { last, shown } = state;
    const before = last?.model === model ? last : null;
    const reason = isSmall(prompt, shown) ? 'smaller' : before && findReason(prompt, shown, before);
    state.first ??= prompt;
    state.last = { prompt, model, shown };
    if (reason !== null) {
      state.unseen = {
        entryId: formatId(head.id),
        line: head.line,
        reason,
        promptTokens: prompt,
        shownTokensEstimated: Math.round(shown),
        beforeTokens: reason === 'smaller' ? null : (before?.prompt ?? null),
        requests: (state.unseen?.requests ?? 0) + 1,
        isPreambleUnknown: state.first >= prompt,
      };
    } else if (state.unseen && state.unseen.reason !== 'fell' && prompt >= shown) state.unseen = null;
  }

  /** Counts what the texts have at least. */
  private readAgain(heads: readonly Head[]): void {
    const { state } = this;
    state.shown = sumBy(heads, (head) => {
      const message = this.read(head);
      return message ? countAtLeast(message) : 0;
    });
    state.heads = null;
    state.last = state.last && { ...state.last, shown: Math.min(state.last.shown, state.shown) };
  }
}

/** The requests and the texts since the last change of a context. */
interface ComparedPrompts {
  unseen: UnseenMessages | null;
  confirmed: UnseenMessages | null;
  /** Estimated tokens of the texts: at most, or at least once they were read again. */
  shown: number;
  /** The entries of these texts, until they are read again. */
  heads: Head[] | null;
  /** The prompt of the first request. */
  first: number | null;
  last: { readonly prompt: number; readonly model: string; readonly shown: number } | null;
}

function startComparing(): ComparedPrompts {
  return { unseen: null, confirmed: null, shown: 0, heads: [], first: null, last: null };
}

/** Providers count 0.9 tokens and more for each estimated one, and those of the prompt and the tools. */
const LEAST_SHARE = 0.7;
const LEAST_DIFFERENCE = 1000;

function isSmall(prompt: number, shown: number): boolean {
  return prompt < LEAST_SHARE * shown && shown - prompt >= LEAST_DIFFERENCE;
}

/** A client may leave out the thinking of earlier turns: their prompts fell by up to a fifth. */
const LEAST_FALL = 0.4;
const LEAST_FALLEN = 2000;
/** Estimated tokens by which a prompt grows. */
const LEAST_GROWTH = 500;

/** The reason to doubt a prompt after another one to which only messages were added. */
function findReason(
  prompt: number,
  shown: number,
  before: { readonly prompt: number; readonly shown: number },
): 'fell' | 'constant' | null {
  const fallen = before.prompt - prompt;
  if (fallen >= LEAST_FALLEN && fallen > LEAST_FALL * before.prompt) return 'fell';
  return fallen === 0 && shown - before.shown >= LEAST_GROWTH ? 'constant' : null;
}

/** Estimated tokens of the texts of a message. Thinking, calls and images are left out: not every request has them. */
function countAtMost(message: StoredMessage): number {
  let length = 0;
  for (const text of listTexts(message)) length += text.length;
  return length / CHARACTERS_PER_TOKEN;
}

/** The least tokens that the texts of a message can have. */
function countAtLeast(message: StoredMessage): number {
  let tokens = 0;
  for (const text of listTexts(message)) tokens += countTextAtLeast(text);
  return tokens;
}

function* listTexts({ content }: StoredMessage): Generator<string> {
  if (typeof content === 'string') yield content;
  for (const block of Array.isArray(content) ? (content as readonly unknown[]) : []) {
    if (isObject(block) && block.type === 'text') yield asString(block.text) ?? '';
  }
}

/** Longer words are no words of a language: a repeated character, which has few tokens, or encoded data. */
const LONGEST_WORD = 200;
const CHARACTERS_PER_TOKEN_OF_RUN = 8;

/** Counts chars/4, but a run of spaces once, and no encoded data, which may be sent in another form. */
function countTextAtLeast(text: string): number {
  let characters = 0;
  let tokens = 0;
  for (let at = 0; at < text.length;) {
    const start = at;
    if (isSpace(text.charCodeAt(at))) {
      while (at < text.length && isSpace(text.charCodeAt(at))) at += 1;
      characters += 1;
      continue;
    }
    while (at < text.length && !isSpace(text.charCodeAt(at))) at += 1;
    if (at - start <= LONGEST_WORD) characters += at - start;
    else if (!isEncoded(text.slice(start, start + LONGEST_WORD))) tokens += (at - start) / CHARACTERS_PER_TOKEN_OF_RUN;
  }
  return tokens + characters / CHARACTERS_PER_TOKEN;
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xa0;
}

function isEncoded(word: string): boolean {
  return /[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word);
}
