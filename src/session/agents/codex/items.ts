import { asString, asText, isObject, type JsonObject, listObjects, parseJson } from '#base/json.js';
import { parseImageUrl, toTextBlock } from '../blocks.js';

/** The part that an item of the Responses API has in a conversation. */
export type ItemPart = 'answer' | 'result' | 'input' | 'hidden';

const OF_MODEL: ReadonlySet<unknown> = new Set([
  'reasoning',
  'function_call',
  'custom_tool_call',
  'local_shell_call',
  'tool_search_call',
  'web_search_call',
  'image_generation_call',
]);
const RESULTS: ReadonlySet<unknown> = new Set([
  'function_call_output',
  'custom_tool_call_output',
  'tool_search_output',
]);
/** Codex stores these and never sends them. */
const NOT_SENT: ReadonlySet<unknown> = new Set(['ghost_snapshot', 'compaction_trigger']);

/** An item of an unknown type counts as input, since hiding what a model saw is worse. */
export function itemPartOf({ type, role }: JsonObject): ItemPart {
  if (OF_MODEL.has(type) || (type === 'message' && role === 'assistant')) return 'answer';
  if (RESULTS.has(type)) return 'result';
  return NOT_SENT.has(type) || (type === 'message' && role === 'system') ? 'hidden' : 'input';
}

/** The id that joins a call and its result; null for a call that runs at the provider. */
export function callIdOf(item: JsonObject): string | null {
  return asString(item['call_id']);
}

/** The name of the tool that an item calls; null if it calls none that gets a result. */
export function toolNameOf(item: JsonObject): string | null {
  if (callIdOf(item) === null) return null;
  switch (item['type']) {
    case 'function_call':
    case 'custom_tool_call':
      return asString(item['name']) ?? '';
    case 'local_shell_call':
      return 'local_shell';
    case 'tool_search_call':
      return 'tool_search';
    default:
      return null;
  }
}

/** The blocks of an answer that an item of the model represents. */
export function toAnswerBlocks(item: JsonObject): readonly JsonObject[] {
  if (item['type'] === 'message') return toBlocks(item['content']);
  if (item['type'] === 'reasoning') return [toThinkingBlock(item)];
  const name = toolNameOf(item);
  if (name === null) return [toTextBlock(describeHostedCall(item))];
  const namespace = asString(item['namespace']);
  const call = { type: 'toolCall', id: callIdOf(item), name, arguments: parseArguments(item) };
  return [namespace === null ? call : { ...call, namespace }];
}

/** Replaces the encrypted original in a file that was shared: it is no signature, and the same in every item. */
const REDACTED = /^\W*(?:redacted|removed|trimmed)\b/i;

/** Whether an item is reasoning whose encrypted original was removed. */
export function isRedactedReasoning({ type, encrypted_content: encrypted }: JsonObject): boolean {
  return type === 'reasoning' && typeof encrypted === 'string' && REDACTED.test(encrypted);
}

/** The thinking is the summary. The signature is the item with the encrypted original, as Pi stores it. */
function toThinkingBlock(item: JsonObject): JsonObject {
  const { id, summary, content, encrypted_content } = item;
  const texts = [...listObjects(summary), ...listObjects(content)].flatMap(({ text }) => asString(text) ?? []);
  const block = { type: 'thinking', thinking: texts.join('\n') };
  if (typeof encrypted_content !== 'string' || isRedactedReasoning(item)) return block;
  return { ...block, thinkingSignature: JSON.stringify({ type: 'reasoning', id, summary, encrypted_content }) };
}

function parseArguments({ type, input, action, arguments: given }: JsonObject): JsonObject {
  if (type === 'custom_tool_call') return { input };
  const written = typeof given === 'string' ? parseJson(given) : given;
  const value = type === 'local_shell_call' ? action : written;
  // A model may write arguments that are not JSON.
  return isObject(value) ? value : { input: given };
}

function describeHostedCall({ type, action, arguments: given, input, status }: JsonObject): string {
  return `[${asText(type)} ${JSON.stringify(action ?? given ?? input ?? status ?? null)}]`;
}

/** The content of a message, or of another item that the model receives. */
export function toInputContent(item: JsonObject): readonly JsonObject[] {
  const { type, content, encrypted_content: encrypted } = item;
  if (type === 'message' || type === 'agent_message') return toBlocks(content);
  return [toTextBlock(SEALED.has(type) ? describeSealed('compaction', encrypted) : JSON.stringify(item))];
}

const SEALED: ReadonlySet<unknown> = new Set(['compaction', 'compaction_summary', 'context_compaction']);

/** The content of a tool result. */
export function toResultContent({ type, tools, output }: JsonObject): readonly JsonObject[] {
  if (type === 'tool_search_output') return [toTextBlock(JSON.stringify(tools ?? null))];
  if (!isObject(output)) return toBlocks(output);
  return toBlocks('content' in output ? output['content'] : [output]);
}

/** Whether Codex recorded that the tool failed. */
export function isFailure({ output }: JsonObject): boolean {
  return isObject(output) && output['success'] === false;
}

/** The content of any item as blocks of Pi. */
function toBlocks(content: unknown): readonly JsonObject[] {
  return typeof content === 'string' ? [toTextBlock(content)] : listObjects(content).map(toBlock);
}

function toBlock(part: JsonObject): JsonObject {
  const { type, text, image_url: image, encrypted_content: encrypted } = part;
  if (typeof text === 'string') return toTextBlock(text);
  if (type === 'encrypted_content') return toTextBlock(describeSealed('content', encrypted));
  return type === 'input_image' ? toImageBlock(asString(image) ?? '') : toTextBlock(JSON.stringify(part));
}

/** An image that is not part of the file is a text with its address. */
function toImageBlock(url: string): JsonObject {
  return parseImageUrl(url) ?? toTextBlock(url === '' ? '[image]' : `[image ${url}]`);
}

/** Describes text that only the provider can read, by its size. */
function describeSealed(what: string, content: unknown): string {
  return `[encrypted ${what}, ${asString(content)?.length ?? 0} characters]`;
}

/** Whether a text describes one that only the provider can read. */
export function isSealedText(text: string): boolean {
  return /^\[encrypted (?:compaction|content), \d+ characters\]$/.test(text);
}

/** Codex writes these into the input by itself; they go with the turn after them. */
const USER_CONTEXT =
  /^\s*(?:# AGENTS\.md instructions|<(?:environment_context|user_instructions|skill|user_shell_command|turn_aborted|subagents|subagent_notification|plugins)>)/i;
const DEVELOPER_CONTEXT =
  /^\s*<(?:permissions instructions|model_switch|collaboration_mode|multi_agent_mode|realtime_conversation|skills_instructions|personality_spec|token_budget)>/i;

/** The effect of an item of the input on rollbacks. */
export type InputKind = 'turn' | 'context' | 'other';

/** Whether an item starts a turn of the user, or is context that goes with the next turn. */
export function classifyInput(item: JsonObject): InputKind {
  const { type, role, content } = item;
  if (type === 'agent_message') return 'turn';
  if (type !== 'message' || itemPartOf(item) !== 'input') return 'other';
  const context = role === 'developer' ? DEVELOPER_CONTEXT : USER_CONTEXT;
  if (listItemTexts(content).some((text) => context.test(text))) return 'context';
  return role === 'user' ? 'turn' : 'other';
}

/** The text of a message that the user wrote; null for any other item. */
export function readUserText(item: JsonObject): string | null {
  return item['role'] === 'user' && item['type'] === 'message' && classifyInput(item) === 'turn'
    ? listItemTexts(item['content']).join('\n')
    : null;
}

/** The role of a message that is sent neither by the user nor by the model, as a field of it. */
export function toSentRole({ type, role }: JsonObject): JsonObject {
  return type === 'message' && role === 'developer' ? { sentRole: role } : {};
}

/** Names what Codex adds to the input by itself; null for a message of the user. */
export function findCustomType(item: JsonObject): string | null {
  if (readUserText(item) !== null) return null;
  const { type, role } = item;
  if (type !== 'message') return asString(type) ?? 'item';
  return role === 'user' ? 'context' : (asString(role) ?? 'message');
}

function listItemTexts(content: unknown): readonly string[] {
  return toBlocks(content).flatMap(({ text }) => asString(text) ?? []);
}
