import type { EnvelopeContent } from '#context/replay/content.js';
import { CONTEXT_CHANGE_TYPES } from '#context/replay/entry-kinds.js';
import type { Replay } from '#context/replay/replay.js';
import { isSameTarget, type RequestTarget, WireMessages } from '#context/request/wire-messages.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { findDivergence } from './divergence.js';
import { buildPreamble, type Preamble, type Prompt } from './prompt.js';
import { listDeclaredReasons, type RewritingEntry } from './rewriting-entries.js';

/** The messages that were adopted at a request without pending calls. */
interface Mark {
  /** The position at which `sentFrom` continues. */
  readonly taken: number;
  /** The messages up to that position. */
  readonly at: number;
  readonly tokens: number;
  readonly images: number;
  readonly firstImage: string | null;
}

const BEGINNING: Mark = { taken: 0, at: 0, tokens: 0, images: 0, firstImage: null };

/**
 * The prompts along a path. An entry costs the tokens of its appended messages. An edit costs those after its target,
 * and any other rewriting entry a comparison of all messages.
 */
export class PathPrompts {
  preamble: Preamble;
  /** The rewriting entries since the request that the next one is compared with. */
  candidates: RewritingEntry[] = [];
  private declared: Pick<EnvelopeContent, 'tools' | 'system'>;
  private list = WireMessages.to({ provider: null, api: null, model: null });
  private mark = BEGINNING;
  /** Marks of requests, in increasing order. */
  private marks: Mark[] = [];

  constructor(
    private readonly session: Session,
    private readonly replay: Replay,
  ) {
    this.declared = replay.content();
    this.preamble = buildPreamble(this.declared);
  }

  /** Runs before an entry is replayed, when the target of an edit is still in place. */
  beforeStep(head: Head): void {
    if (head.type === 'context_edit') this.build();
  }

  /** Runs after an entry was replayed; `before` is the newest request, if there is one. */
  afterStep(head: Head, before: Prompt | null): void {
    if (head.type === 'context_edit') this.returnTo(head);
    else if (CONTEXT_CHANGE_TYPES.has(head.type)) this.startOver(this.list.target);
    else if (head.role !== 'system') return;
    if (head.type !== 'context_edit' || this.editsPreamble(head)) this.declare();
    if (before === null) return;
    const divergence = findDivergence(before, this.build());
    this.candidates.push({
      head,
      reasons: listDeclaredReasons(head, this.replay),
      divergence,
      preamble: this.preamble,
    });
  }

  buildFor(target: RequestTarget): Prompt {
    if (!isSameTarget(target, this.list.target)) this.startOver(target);
    const prompt = this.build();
    if (prompt.generated.length === 0 && prompt.length > (this.marks.at(-1)?.at ?? 0)) this.marks.push(this.mark);
    return prompt;
  }

  /** Most entries do not change declarations, so their preamble is the identical object. */
  private declare(): void {
    const { tools, system } = this.replay.declaredAsSent();
    if (tools !== this.declared.tools || system !== this.declared.system)
      this.preamble = buildPreamble({ tools, system });
    this.declared = { tools, system };
  }

  /** An edit can omit a system message, or the checkpoint of a compaction. */
  private editsPreamble(edit: Head): boolean {
    const { heads } = this.session.tree;
    const target = heads.targetAt(edit.index);
    return heads.roleAt(target) === 'system' || heads.typeAt(target) === 'compaction';
  }

  private startOver(target: RequestTarget): void {
    this.list = this.list.startOver(target);
    this.mark = BEGINNING;
    this.marks = [];
  }

  /** Keeps the messages before the target of an edit. */
  private returnTo(edit: Head): void {
    const id = formatId(edit.target);
    const place = id === null ? null : this.list.takePlace(id);
    if (place === null) return this.startOver(this.list.target);
    while ((this.marks.at(-1)?.at ?? 0) > place) this.marks.pop();
    this.mark = this.marks.at(-1) ?? BEGINNING;
    this.list = this.list.takeFirst(this.mark.at);
  }

  private build(): Prompt {
    const { sent, next } = this.replay.messages.listSentFrom(this.mark.taken);
    this.list.append(sent);
    const { messages } = this.list;
    let { at, tokens, images, firstImage } = this.mark;
    for (; at < messages.length; at += 1) {
      const message = messages[at];
      if (!message) continue;
      tokens += message.tokens;
      if (!message.holdsImage) continue;
      images += 1;
      firstImage ??= message.entryId;
    }
    this.mark = { taken: next, at, tokens, images, firstImage };
    const generated = this.list.buildMissingResults();
    const sum = generated.reduce((all, message) => all + message.tokens, this.preamble.tokens + tokens);
    return { preamble: this.preamble, messages, length: at, generated, tokens: sum, images, firstImage };
  }
}
