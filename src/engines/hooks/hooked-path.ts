import { asString, type JsonObject } from '#base/json.js';
import { readPatch } from '#context/ops/read-patch.js';
import type { Baseline } from '#context/replay/baseline.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { messageOfEntry, isKnownToAddNothing } from '#context/replay/entry-message.js';
import { Replay } from '#context/replay/replay.js';
import { firstNeeded, MESSAGE_TYPES } from '#context/replay/selection.js';
import { settingsOf } from '#context/replay/settings.js';
import type { Target } from '#context/request/wire-messages.js';
import { windowOf, type WindowOptions } from '#context/size/window.js';
import type { Session } from '#session/session.js';
import { type Head } from '#session/table/head.js';
import { answersRequest, startsTurn } from '#session/tree/tree.js';
import { type Transform, transformBody } from './define.js';
import { isMessage } from './requests.js';

/** The outcome for the message of an entry; null as a message: it is left out. */
interface Finished {
  readonly after: JsonObject | null;
  readonly kind: 'none' | 'replaced' | 'dropped';
}

/** Looks at an entry before it is replayed; null leaves it as it is. */
export type Finish = (head: Head, message: JsonObject) => Promise<Finished | null>;

/** A path on which hooks add transforms between the entries, and change messages. */
export class HookedPath {
  /** Places before this one are replayed. */
  private next = 0;
  private turns = 0;
  private requests = 0;
  private readonly replay: Replay;
  /** The path without hooks. */
  private readonly untouched: Replay;

  constructor(
    private readonly session: Session,
    readonly path: readonly Head[],
    { baseline, lenient }: { readonly baseline: Baseline; readonly lenient: boolean },
  ) {
    const options = { readPatch, baseline, lenient };
    this.replay = new Replay(session, path, options);
    this.untouched = new Replay(session, path, options);
  }

  /** The next request, with all that hooks have persisted so far. */
  content(): EnvelopeContent {
    return this.replay.content();
  }

  /** The next request without hooks. */
  contentWithout(): EnvelopeContent {
    return this.untouched.content();
  }

  /** Estimated tokens of the cached messages. */
  messageTokens(): number {
    return this.replay.messages.tokens();
  }

  /** Goes to a place of which only the context is asked for: what it does not need is not parsed. */
  jumpTo(place: number): void {
    const start = firstNeeded(this.session, this.path.slice(0, place + 1));
    for (; this.next <= place; this.next += 1) {
      const head = this.path[this.next];
      if (!head) continue;
      this.note(head);
      const isNeeded = this.next >= start || !MESSAGE_TYPES.has(head.type) || head.role === 'system';
      if (isNeeded) this.step(head, null);
    }
  }

  /** Goes to a place step by step, and lets `finish` look at each message on the way. */
  async walkTo(place: number, finish: Finish): Promise<void> {
    for (; this.next <= place; this.next += 1) {
      const head = this.path[this.next];
      if (!head) continue;
      this.note(head);
      const entry = isKnownToAddNothing(head.type) ? null : this.session.entry(head);
      const message = entry && isMessage(head) ? messageOfEntry(entry) : null;
      const finished = message && (await finish(head, message));
      this.untouched.step(head, this.next, entry);
      if (finished?.kind === 'dropped') continue;
      const isOther = entry !== null && finished?.kind === 'replaced';
      this.replay.step(head, this.next, isOther ? { ...asMessage(entry), message: finished.after } : entry);
    }
  }

  /** Makes transforms part of the context, as if they stood below the last entry. */
  add(transforms: readonly Transform[]): void {
    const place = this.next - 1;
    for (const [at, transform] of transforms.entries()) {
      const head = madeUp(this.path[place], `hook:${place}:${at}`);
      this.replay.step(head, place + BETWEEN, transformBody(transform));
    }
  }

  /** The metadata of the request for a hook. */
  meta(window: WindowOptions): JsonObject {
    const model = this.model();
    return { model, limit: windowOf(model, window).tokens, turnIndex: this.turns, requestIndex: this.requests };
  }

  /** The model of an answer; where none is recorded, that of the newest one above. */
  target(answer: number | null): Target {
    let place = answer ?? this.next - 1;
    while (place >= 0 && this.path[place]?.role !== 'assistant') place -= 1;
    const head = this.path[place];
    const message = (head && messageOfEntry(this.session.entry(head))) ?? {};
    const [provider, api, model] = ['provider', 'api', 'model'].map((name) => asString(message[name]));
    return { provider: provider ?? null, api: api ?? null, model: model ?? null };
  }

  private model(): ReturnType<typeof settingsOf>['model'] {
    let place = this.next - 1;
    while (place >= 0 && !saysModel(this.path[place])) place -= 1;
    const head = this.path[place];
    return head ? settingsOf(this.session, [head]).model : null;
  }

  private note(head: Head): void {
    if (startsTurn(head)) this.turns += 1;
    if (answersRequest(head)) this.requests += 1;
  }

  private step(head: Head, entry: JsonObject | null): void {
    this.replay.step(head, this.next, entry);
  }
}

/** Behind an entry of the path, and before the next one. */
const BETWEEN = 0.5;

function saysModel(head: Head | undefined): boolean {
  return head?.type === 'model_change' || head?.role === 'assistant';
}

function asMessage({ id, parentId, timestamp }: JsonObject): JsonObject {
  return { type: 'message', id, parentId, timestamp };
}

/** The head of an entry that is not in the file. */
function madeUp(above: Head | undefined, id: string): Head {
  return {
    index: -1,
    type: 'context_transform',
    id,
    parentId: above?.id ?? null,
    role: null,
    target: undefined,
    line: above?.line ?? 0,
    offset: 0,
    length: 0,
    time: above?.time ?? NaN,
    usageStart: 0,
    usageLength: 0,
    hasSummary: false,
  };
}
