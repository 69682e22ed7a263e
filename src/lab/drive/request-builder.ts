import { isFrozen } from '#base/freeze.js';
import { GrowingFold } from '#base/growing-fold.js';
import { memoizeByObject } from '#base/memoize.js';
import type { SystemPart } from '#context/replay/content.js';
import { EMPTY_ENVELOPE } from '#context/replay/overview.js';
import { setParts } from '#context/replay/system-messages.js';
import { countDeclaredTokens } from '#context/size/tokens.js';
import type { AgentMessage } from '../contract.js';
import type { DeclaredContent, WholeAssembleResult } from '../define.js';
import type { AssembledContent } from './driven-request.js';
import { MessageAdopter } from './message-adopter.js';
import type { Recording } from './recording.js';
import { type RequestMessages, SentMessages, toSentMessage } from './sent-messages.js';
import type { Transcript } from './transcript/transcript.js';

/** The request that is sent for an answer of `assemble`. */
export interface BuiltRequest {
  readonly content: AssembledContent;
  /** The messages of the answer, with the originals for copies. */
  readonly given: readonly AgentMessage[];
  /** Estimated: of the messages. */
  readonly messageTokens: number;
  /** Estimated: by how much prompt and tools exceed the recorded ones. */
  readonly addedTokens: number;
  /** Whether the messages of the transcript keep their order. */
  readonly isInOrder: boolean;
}

/** Builds the requests of an engine, and the one that sends the transcript as it is. */
export class RequestBuilder {
  private readonly adopter = new MessageAdopter();
  private readonly ofEngine: SentMessages;
  private readonly ofTranscript: SentMessages;
  private readonly sums = new GrowingFold<AgentMessage, number>(
    (sum = 0, message) => sum + toSentMessage(message).tokens,
  );

  constructor(
    private readonly recording: Recording,
    private readonly transcript: Transcript,
  ) {
    this.ofEngine = new SentMessages(transcript);
    this.ofTranscript = new SentMessages(transcript);
  }

  build(result: WholeAssembleResult): BuiltRequest {
    const { estimatedTokens, promptAuthority = 'assembled' } = result;
    const declared = this.chooseDeclared(result);
    const declaredTokens = this.countDeclared(declared);
    const given = this.adopter.adopt(result.messages, () => this.transcript.messages());
    const { messages, sources, tokens: messageTokens, isInOrder } = this.ofEngine.list(given);
    const tokens = declaredTokens + messageTokens;
    return {
      content: { ...declared, messages, sources, tokens, estimatedTokens, promptAuthority },
      given,
      messageTokens,
      addedTokens: Math.max(0, declaredTokens - this.recording.countDeclaredTokens()),
      isInOrder,
    };
  }

  /** The messages of the request that sends the transcript as it is. */
  listPlainMessages(): RequestMessages {
    return this.ofTranscript.list(this.transcript.messages());
  }

  /** Estimated: of the request that sends the transcript as it is. */
  countPlainTokens(): number {
    return this.recording.countDeclaredTokens() + this.countTokens(this.transcript.messages());
  }

  /** Estimated: of messages as they are sent. */
  countTokens(messages: readonly AgentMessage[]): number {
    return this.sums.fold(messages) ?? 0;
  }

  /** Prompt and tools of the engine, or the recorded ones. */
  private chooseDeclared({ system, tools, systemPromptAddition = '' }: WholeAssembleResult): DeclaredContent {
    const recorded = this.recording.declared();
    const isOwnPrompt = system !== undefined || systemPromptAddition !== '';
    return {
      system: isOwnPrompt ? buildPrompt(systemPromptAddition, system ?? recorded.system.parts) : recorded.system,
      tools: tools ?? recorded.tools,
      options: recorded.options,
    };
  }

  private countDeclared({ system, tools }: DeclaredContent): number {
    const recorded = this.recording.declared();
    if (system === recorded.system && tools === recorded.tools) return this.recording.countDeclaredTokens();
    const isFixed = isFrozen(system.parts) && isFrozen(tools);
    return isFixed ? countFrozen(tools, system) : countDeclaredTokens({ system, tools });
  }
}

/** The parts of a prompt with a text before them; a blank line parts it from them. */
function buildPrompt(text: string, parts: readonly SystemPart[]): DeclaredContent['system'] {
  if (text === '') return isFrozen(parts) ? buildFrozenSystem(parts) : buildSystem(parts);
  const [first, ...others] = parts;
  const added = { name: 'engine', text };
  return buildSystem(first ? [added, { ...first, separator: '\n\n' }, ...others] : [added]);
}

function buildSystem(parts: readonly SystemPart[]): DeclaredContent['system'] {
  return setParts(EMPTY_ENVELOPE, parts).system;
}

// What an engine has frozen cannot have changed since the request before.
const buildFrozenSystem = memoizeByObject(buildSystem);

const countFrozen = memoizeByObject((tools: DeclaredContent['tools'], system: DeclaredContent['system']) =>
  countDeclaredTokens({ system, tools }),
);
