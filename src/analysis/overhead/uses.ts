import { formatJson } from '#base/json-text.js';
import { asObject, asString, asText, type JsonObject } from '#base/json.js';
import { incrementCount } from '#base/maps.js';
import { labelText } from '#context/contents/label-text.js';
import type { LlmMessage } from '#context/replay/content.js';
import { readEntryMessage } from '#context/replay/convert.js';
import { listBlocks } from '#context/words/message-blocks.js';
import { findCommandName } from '#context/words/user-words.js';
import type { Entry } from '#session/entry.js';

/** The number of uses of each tool, skill and subagent of a session, by name. */
export interface Uses {
  readonly tools: ReadonlyMap<string, number>;
  readonly skills: ReadonlyMap<string, number>;
  readonly agents: ReadonlyMap<string, number>;
}

/** Counts the uses of tools, skills and agents in entries, each given once. */
export class UseTally implements Uses {
  readonly tools = new Map<string, number>();
  readonly skills = new Map<string, number>();
  readonly agents = new Map<string, number>();

  take(entry: Entry): void {
    const message = readEntryMessage(entry);
    if (message?.role === 'assistant') {
      const calls = listBlocks(message).filter(({ type }) => type === 'toolCall');
      for (const call of calls) this.takeCall(call);
    }
    if (message?.role === 'user') this.takeWords(message);
  }

  private takeCall(call: JsonObject): void {
    const { arguments: given } = call;
    const tool = readFullName(call);
    incrementCount(this.tools, tool);
    const values = asObject(given);
    if (SKILL_TOOLS.has(tool)) {
      this.takeSkill(asString(values.skill) ?? asString(values.command));
    } else if (AGENT_TOOLS.has(tool)) {
      const agent = asString(values.subagent_type) ?? asString(values.agent_type) ?? DEFAULT_AGENT;
      incrementCount(this.agents, agent);
    } else {
      this.takeReadSkills(given);
    }
  }

  /** Codex and Pi have no tool for skills: the model reads the file of one. */
  private takeReadSkills(given: unknown): void {
    const text = formatJson(given ?? null) ?? '';
    if (!text.includes('SKILL.md')) return;
    const folders = new Set([...text.matchAll(SKILL_FILE)].map(([, folder]) => folder));
    for (const folder of folders) this.takeSkill(folder);
  }

  /** A user loads a skill by a command, or by a mention. */
  private takeWords(message: LlmMessage): void {
    for (const { text } of listBlocks(message)) {
      if (typeof text !== 'string') continue;
      const command = text.includes('<command-name>') ? findCommandName(text) : null;
      if (command !== null) this.takeSkill(command.slice(1));
      if (!text.startsWith('<skill')) continue;
      for (const { kind, name, item } of labelText(text, null)) {
        if (kind === 'skills') this.takeSkill(item ?? name);
      }
    }
  }

  private takeSkill(name: string | null | undefined): void {
    if (name) incrementCount(this.skills, name);
  }
}

const SKILL_TOOLS: ReadonlySet<string> = new Set(['Skill', 'skill']);
const AGENT_TOOLS: ReadonlySet<string> = new Set(['Agent', 'Task', 'task', 'agent', 'spawn_agent']);
/** The agent of Claude Code where a call names none. */
const DEFAULT_AGENT = 'general-purpose';
const SKILL_FILE = /([^/\\"'\s]{1,200})[/\\]+SKILL\.md/g;

/** The name of a called tool. Codex records the server of one beside it. */
function readFullName({ name, namespace }: JsonObject): string {
  const server = asString(namespace);
  return server?.startsWith('mcp__') ? `${server.replace(/__$/, '')}__${asText(name)}` : asText(name);
}
