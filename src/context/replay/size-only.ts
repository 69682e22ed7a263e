import { type AgentMessage, toLlm } from './convert.js';
import { recordedTokens, type TokenMethod, tokensOfMessage } from './tokens.js';

/** A message that was counted and let go. */
export interface SizeOnly {
  /** As the message for edits and conversion, but for what is in it. Shared by all messages of a role. */
  readonly standIn: AgentMessage;
  /** Estimated, of the message as it is sent; null for one that is not. */
  readonly tokens: number | null;
  /** What a provider recorded of it, if it did. */
  readonly recorded: number | null;
}

/** What is left of a message of which only the size will be asked for. */
export function sizeOnly(message: AgentMessage, method: TokenMethod): SizeOnly {
  const sent = toLlm(message);
  return sent
    ? {
        standIn: standInFor(message['role']),
        tokens: tokensOfMessage(sent, method),
        recorded: recordedTokens(sent),
      }
    : { standIn: NOT_SENT, tokens: null, recorded: null };
}

const NOT_SENT: AgentMessage = { role: null };
const standIns = new Map<unknown, AgentMessage>();

function standInFor(role: unknown): AgentMessage {
  const known = standIns.get(role);
  if (known) return known;
  const standIn = { role };
  standIns.set(role, standIn);
  return standIn;
}
