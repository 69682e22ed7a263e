import { asString, type JsonObject } from '#base/json.js';
import { blocksOf, partOf } from './items.js';

/** Codex writes these into the input by itself; they go with the turn after them. */
const USER_CONTEXT =
  /^\s*(?:# AGENTS\.md instructions|<(?:environment_context|user_instructions|skill|user_shell_command|turn_aborted|subagents|subagent_notification|plugins)>)/i;
const DEVELOPER_CONTEXT =
  /^\s*<(?:permissions instructions|model_switch|collaboration_mode|multi_agent_mode|realtime_conversation|skills_instructions|personality_spec|token_budget)>/i;

/** The effect of an item of the input on rollbacks. */
export type InputKind = 'turn' | 'context' | 'other';

/** Whether an item starts a turn of the user, or is context that goes with the next turn. */
export function kindOfInput(item: JsonObject): InputKind {
  const { type, role, content } = item;
  if (type === 'agent_message') return 'turn';
  if (type !== 'message' || partOf(item) !== 'input') return 'other';
  const context = role === 'developer' ? DEVELOPER_CONTEXT : USER_CONTEXT;
  if (textsIn(content).some((text) => context.test(text))) return 'context';
  return role === 'user' ? 'turn' : 'other';
}

/** The text of a message that the user wrote; null for any other item. */
export function userTextIn(item: JsonObject): string | null {
  return item['role'] === 'user' && item['type'] === 'message' && kindOfInput(item) === 'turn'
    ? textsIn(item['content']).join('\n')
    : null;
}

function textsIn(content: unknown): readonly string[] {
  return blocksOf(content).flatMap(({ text }) => asString(text) ?? []);
}
