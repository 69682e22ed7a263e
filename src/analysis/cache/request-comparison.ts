import type { RequestTarget } from '#context/request/wire-messages.js';
import type { AgentNotice } from '#session/agents/define.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import type { Divergence } from './document.js';
import type { EarlierPrompt } from './earlier-prompt.js';
import type { Prompt } from './prompt.js';
import type { PromptUsage } from './recorded-answer.js';
import type { RewritingEntry } from './rewriting-entries.js';

interface ComparedRequest {
  readonly prompt: Prompt;
  readonly target: RequestTarget;
  /** The agent of the program that asked, such as `plan`; null if it is not recorded. */
  readonly agent: string | null;
}

/** A circumstance of a request, with its entry if it has one. */
export interface RequestNotice extends AgentNotice {
  readonly entryId: string | null;
}

/** A request beside the previous one: all that determines the cause of a break. */
export interface RequestComparison {
  readonly session: Session;
  readonly before: ComparedRequest;
  readonly now: ComparedRequest;
  /** The first difference; null if the request begins with the whole previous one. */
  readonly divergence: Divergence | null;
  /** The changes by entries between the two requests. */
  readonly changes: RecordedChanges;
  /** The numbers and reports of the provider. */
  readonly read: RecordedRead;
  /** The last entries between the two requests. */
  readonly between: readonly Head[];
  /** The first entry of the path that the previous request in time does not share; null if that is on the path. */
  readonly turnOff: Head | null;
  /** The circumstances that the file records beside the messages. They are read only if they are asked for. */
  notices(): readonly RequestNotice[];
}

/** The entries between two requests that changed what is sent, each null if there is none. */
interface RecordedChanges {
  readonly rewriting: readonly RewritingEntry[];
  readonly model: Head | null;
  readonly level: Head | null;
  /** The record of a request that an extension changed in another way than the previous one. */
  readonly byExtension: Head | null;
}

/** The provider's numbers for a request and for the previous one. */
export interface RecordedRead {
  /** The prompt of the newest earlier request that has one. */
  readonly earlier: EarlierPrompt | null;
  readonly usage: PromptUsage | null;
  /** Whether the request read most of the messages of the previous one. */
  readonly hasReadMost: boolean;
  /** Whether the previous request was longer ago than the lifetime of the cache, and its messages were not read. */
  readonly isExpired: boolean;
  /** The lifetime of the cache of the previous request, in words. */
  readonly lifetime: string;
  /** Whether Pi counts a miss, by its own rule. */
  readonly isPiMiss: boolean;
  /** The provider's own reason for a miss; null if it reports none. */
  readonly reportedReason: string | null;
  /** Whether the request read only what other requests read of tools and prompt. */
  isFloor(): boolean;
}
