type Consequences = Readonly<Record<string, string>>;

const NO_COUNT = 'Pi may stop with an error when it counts tokens';
const NO_REQUEST = 'Pi may stop with an error before the next request';
const REFUSED = 'the provider refuses the request';
const NOT_TOLD = 'the model is not told what it says';
const OTHER_PROMPT = 'the system prompt is not what it should be';

/**
 * What comes of a field that is missing or holds something else, by the type of the entry and the place of the field.
 * Where nothing is said, Pi goes on as if nothing were wrong. `*` stands for every key.
 */
export const OF_ENTRIES: Consequences = {
  'message message': 'Pi may stop with an error when it opens the session',
  'compaction summary': NOT_TOLD,
  'compaction tokensBefore': 'Pi may stop with an error when it shows the compaction',
  'compaction systemMessage': OTHER_PROMPT,
  'branch_summary summary': NOT_TOLD,
  'custom_message content': NO_COUNT,
  'session_info name': 'Pi may stop with an error when it asks for the name, and leave the session out of its list',
  'context_edit replacement': NO_COUNT,
  'context_edit replacement.content': NO_COUNT,
};

/** The same by the role of the message. */
export const OF_MESSAGES: Consequences = {
  'system content': NO_COUNT,
  'system sections': OTHER_PROMPT,
  'system sections.*': OTHER_PROMPT,
  'system toolsAdded': NO_REQUEST,
  'system toolsAdded.*': REFUSED,
  'system toolsAdded.*.name': REFUSED,
  'system toolsRemoved': NO_REQUEST,
  'system toolsRemoved.*': NO_REQUEST,
  'user content': NO_COUNT,
  'assistant content': NO_REQUEST,
  'toolResult toolCallId': REFUSED,
  'toolResult content': NO_REQUEST,
  'bashExecution command': NO_COUNT,
  'bashExecution output': NO_COUNT,
  'custom content': NO_COUNT,
  'branchSummary summary': NOT_TOLD,
  'compactionSummary summary': NOT_TOLD,
};

/** The same by the type of the content block; nothing after it means the block itself. */
export const OF_BLOCKS: Consequences = {
  'text text': NO_REQUEST,
  'thinking thinking': NO_COUNT,
  'thinking thinkingSignature': NO_REQUEST,
  'toolCall id': REFUSED,
  'toolCall name': NO_COUNT,
  'toolCall arguments': 'Pi may stop with an error when it counts tokens, or the provider refuse the request',
  'image data': REFUSED,
  'image mimeType': REFUSED,
};

/** Of a content block that is no object, or has no type. */
export const OF_NO_BLOCK = NO_REQUEST;

/** Of a message without a role. */
export const OF_NO_ROLE = 'Pi does not send the message';

/** Of a usage that is missing, or says nothing of costs. */
export const OF_NO_USAGE = 'Pi may stop with an error when it adds up what the session cost';
