import { findInstructions, type Instruction, listUserSentences } from './instructions.js';

/** The requests of one message of the user. */
export interface UserRequest {
  readonly instructions: readonly Instruction[];
  /** All of them on one line; null for a message without any. */
  readonly request: string | null;
  /** The sentence that names the goal of the work. */
  readonly goal: string | null;
  /** The first sentence: the request of a conversation that begins without an instruction. */
  readonly opening: string | null;
}

export function readUserRequest(text: string): UserRequest {
  const sentences = listUserSentences(text);
  const instructions = findInstructions(text);
  return {
    instructions,
    request: instructions.length === 0 ? null : joinRequest(sentences, instructions),
    goal: sentences.find((sentence) => GOAL.test(sentence)) ?? null,
    opening: sentences[0] ?? null,
  };
}

const GOAL =
  /^(?:(?:ok(?:ay)?|alright|all right|now|so|and|then|great|good)\b[\s,.!:;-]*)*(?:(?:the|our|my|your) )?(?:(?:new|next|main|overall) )?(?:goal|task|aim|objective)(?: now| here)?(?: is\b|:)/i;

/** The whole text if it is short, or if its instructions are too short to be understood without the rest. */
function joinRequest(sentences: readonly string[], instructions: readonly Instruction[]): string {
  const whole = sentences.join(' ');
  const asked = instructions.map(({ text }) => text).join(' ');
  return whole.length <= LONGEST_WHOLE || asked.length < SHORTEST_REQUEST ? whole : asked;
}

/** The limit in UTF-16 code units. */
const LONGEST_WHOLE = 300;
const SHORTEST_REQUEST = 60;
