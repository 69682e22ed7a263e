import type { LlmMessage } from '#context/replay/content.js';
import { countBlockTokens, type CountedBlock } from '#context/size/tokens.js';
import type { WalkStep } from '#context/walk.js';
import type { Entry } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import { readAnswerEnd } from '#session/scan/answer-end.js';
import { type OutlineReader, readResultOutline } from '#session/scan/entry-outline.js';
import type { Session } from '#session/session.js';
import type { EntryContents } from '../stats/entry-contents.js';
import { type ContentTokens, countContentTokens } from './entry-values.js';

/** An entry that is read as far as its rows need it, and parsed and counted at most once. */
export class EntryReader {
  private parsed: Entry | null = null;
  private counted: ContentTokens | null = null;
  private blocksOf: { readonly message: LlmMessage; readonly blocks: readonly CountedBlock[] } | null = null;

  /** `step`: of a walk that parses the entry. */
  constructor(
    private readonly session: Session,
    private readonly head: Head,
    private readonly step: WalkStep | null,
    private readonly outlines: OutlineReader,
  ) {}

  whole(): Entry {
    this.parsed ??= this.step?.entry ?? this.session.entry(this.head);
    return this.parsed;
  }

  counts(contents: EntryContents): ContentTokens {
    this.counted ??= countContentTokens(contents, (message) => this.blocks(message));
    return this.counted;
  }

  /** The blocks of its message with their tokens, counted once. */
  blocks(message: LlmMessage): readonly CountedBlock[] {
    if (this.blocksOf?.message !== message) this.blocksOf = { message, blocks: countBlockTokens(message) };
    return this.blocksOf.blocks;
  }

  end(): Entry {
    return this.parsed ?? (this.step ? null : readAnswerEnd(this.session, this.head)) ?? this.whole();
  }

  /** The call and the outcome of a tool result. */
  result(): Entry {
    return this.parsed ?? (this.step ? null : readResultOutline(this.session, this.head)) ?? this.outline();
  }

  /** An answer or a tool result without its texts. */
  outline(): Entry {
    return this.parsed ?? (this.step ? null : this.outlines.read(this.session, this.head)) ?? this.whole();
  }
}
