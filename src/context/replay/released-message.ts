import { asString } from '#base/json.js';
import { memoize } from '#base/memoize.js';
import { type StoredMessage, toMessage } from '#session/entry.js';
import { readRecordedTokens } from '../size/recorded-usage.js';
import { type MessageWeight, type TokenMethod, weighMessage } from '../size/tokens.js';
import { readResultTool } from '../size/weighed-message.js';
import { toLlmMessage } from './convert.js';

/** A message that was counted and released. */
export interface SizeOnly {
  /** The fields of the message for edits and conversion, without content. Shared by all messages of a role. */
  readonly standIn: StoredMessage;
  /** The estimated tokens of the sent message; null if the message is not sent. */
  readonly tokens: number | null;
  /** The estimated tokens by kind; null for a message that is all text, and for one that is not sent. */
  readonly weight: MessageWeight | null;
  /** The tool of a result; null for another message. */
  readonly tool: string | null;
  /** The provider's token count, if there is one. */
  readonly recorded: number | null;
}

/** Keeps the data of a message that is needed for its size only. */
export function releaseMessage(message: StoredMessage, method: TokenMethod): SizeOnly {
  const sent = toLlmMessage(message);
  if (!sent) return { standIn: NOT_SENT, tokens: null, weight: null, tool: null, recorded: null };
  const weight = weighMessage(sent, method, asString(message.customType));
  const isText = weight.thinking + weight.calls + weight.images + weight.labelled.length === 0;
  return {
    standIn: standInFor(message.role),
    tokens: weight.tokens,
    weight: isText ? null : weight,
    tool: readResultTool(sent),
    recorded: readRecordedTokens(sent),
  };
}

const NOT_SENT: StoredMessage = { role: null };

const standInFor = memoize((role: unknown): StoredMessage => toMessage({ role }));
