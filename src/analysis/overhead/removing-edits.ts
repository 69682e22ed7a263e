import { asObject, isObject } from '#base/json.js';
import { toShellWord } from '#base/shell.js';
import type { OverheadKind, RemovingEdit } from './document.js';

/** A thing that an agent sends by itself. */
export interface RemovableContent {
  readonly agent: string;
  readonly kind: OverheadKind;
  readonly name: string;
}

type ListEdits = (name: string) => readonly RemovingEdit[];

/** The edits that remove a thing from the requests of its agent, the preferred one first; empty where none is known. */
export function listRemovingEdits({ agent, kind, name }: RemovableContent): readonly RemovingEdit[] {
  const edits = Object.hasOwn(EDITS, agent) ? EDITS[agent]?.[kind] : undefined;
  return edits?.(name) ?? [];
}

const CLAUDE_SETTINGS = '~/.claude/settings.json';
const PROJECT_SETTINGS = '.claude/settings.json';
const CODEX_CONFIG = '~/.codex/config.toml';
const PI_SETTINGS = '~/.pi/agent/settings.json';

/** The edits by agent and kind. Each was tried with the program, or is in its documentation. */
const EDITS: Readonly<Record<string, Readonly<Partial<Record<OverheadKind, ListEdits>>>>> = {
  'claude-code': {
    'memory file': (path) => [
      setJson(CLAUDE_SETTINGS, 'claudeMdExcludes', [path], 'or shorten the file, which every request carries'),
    ],
    'mcp server': listServerEditsOfClaude,
    tool: (tool) => (NEEDED_TOOLS.has(tool) ? [] : [denyTool(tool)]),
    skill: (skill) => [setJson(CLAUDE_SETTINGS, 'skillOverrides', { [skill]: 'off' })],
    agent: (type) => [denyTool(`Agent(${type})`)],
    hook: (event) => [
      {
        file: CLAUDE_SETTINGS,
        key: `hooks.${event}`,
        text: 'remove its command',
        when: 'or in the settings of the project',
      },
    ],
  },
  codex: {
    'memory file': (path) => [
      { file: path, key: null, text: 'shorten it, or move parts of it to files that are read on demand', when: null },
      {
        file: CODEX_CONFIG,
        key: 'project_doc_max_bytes',
        text: 'project_doc_max_bytes = 0',
        when: 'to send none at all',
      },
    ],
    'mcp server': (server) => [
      {
        file: CODEX_CONFIG,
        key: `mcp_servers.${toTomlKey(server)}.enabled`,
        text: `[mcp_servers.${toTomlKey(server)}]\nenabled = false`,
        when: null,
      },
      { file: null, key: null, text: `codex mcp remove ${toShellWord(server)}`, when: null },
    ],
    tool: (tool) =>
      tool === 'web_search'
        ? [{ file: CODEX_CONFIG, key: 'web_search', text: 'web_search = "disabled"', when: null }]
        : [],
    skill: (skill) => [
      {
        file: CODEX_CONFIG,
        key: 'skills.config',
        text: `[[skills.config]]\nname = ${JSON.stringify(skill)}\nenabled = false`,
        when: null,
      },
    ],
  },
  pi: {
    'memory file': (path) => [
      { file: path, key: null, text: 'shorten it, or move parts of it to files that are read on demand', when: null },
      { file: null, key: null, text: 'pi --no-context-files', when: 'to send none at all' },
    ],
    'mcp server': (server) => [
      setJson('.pi/mcp.json', 'mcpServers', { [server]: { enabled: false } }, 'in one project'),
      { file: null, key: null, text: `pi mcp remove ${toShellWord(server)}`, when: 'everywhere' },
    ],
    tool: listToolEditsOfPi,
    skill: (skill) => [
      {
        file: `SKILL.md of ${skill}`,
        key: 'disable-model-invocation',
        text: 'disable-model-invocation: true',
        when: `/skill:${skill} still loads it`,
      },
    ],
  },
};

/** The other tools that Pi has by itself. */
const TOOLS_OF_PI: ReadonlySet<string> = new Set(['powershell', 'grep', 'find', 'ls', 'codemode', 'tool_search']);

/**
 * The tools that an agent works with, and those that load what it lists. They may be unused without being superfluous.
 */
const NEEDED_TOOLS: ReadonlySet<string> = new Set([
  'Agent',
  'Bash',
  'Edit',
  'Read',
  'Skill',
  'Task',
  'ToolSearch',
  'Write',
  'bash',
  'edit',
  'read',
  'write',
]);

function listToolEditsOfPi(tool: string): readonly RemovingEdit[] {
  if (NEEDED_TOOLS.has(tool)) return [];
  if (TOOLS_OF_PI.has(tool)) return [setJson(PI_SETTINGS, 'defaultTools', [`-${tool}`])];
  const text = `pi --exclude-tools ${toShellWord(tool)}`;
  return [{ file: null, key: null, text, when: 'or remove the extension that adds it' }];
}

/** Claude Code names the servers of plugins and of claude.ai by their origin. */
function listServerEditsOfClaude(server: string): readonly RemovingEdit[] {
  if (server.startsWith('plugin_'))
    return [{ file: null, key: null, text: '/plugin', when: 'disable the plugin that brings it' }];
  if (server.startsWith('claude_ai_'))
    return [setJson(CLAUDE_SETTINGS, 'disableClaudeAiConnectors', true, 'removes all connectors of claude.ai')];
  return [
    { file: null, key: null, text: `claude mcp remove ${toShellWord(server)}`, when: null },
    setJson(PROJECT_SETTINGS, 'disabledMcpjsonServers', [server], 'for a server of .mcp.json'),
    setJson(CLAUDE_SETTINGS, 'deniedMcpServers', [{ serverName: server }], 'for any server, in every project'),
  ];
}

/** A rule without the pattern of a call takes the tool out of the request. */
function denyTool(rule: string): RemovingEdit {
  return { ...setJson(CLAUDE_SETTINGS, 'permissions', { deny: [rule] }), key: 'permissions.deny' };
}

function setJson(file: string, key: string, value: unknown, when: string | null = null): RemovingEdit {
  return { file, key, text: `${JSON.stringify(key)}: ${JSON.stringify(value)}`, when };
}

/** A key of TOML, quoted if necessary. */
function toTomlKey(name: string): string {
  return /^[\w-]+$/.test(name) ? name : JSON.stringify(name);
}

/** Joins edits of one setting of one file, in the order of the first of each. */
export function joinEdits(edits: readonly RemovingEdit[]): readonly RemovingEdit[] {
  const joined = new Map<string, RemovingEdit>();
  for (const each of edits) {
    const key = JSON.stringify([each.file, each.key, each.when]);
    const earlier = joined.get(key);
    joined.set(key, earlier ? { ...earlier, text: joinTexts(earlier, each) } : each);
  }
  return [...joined.values()];
}

function joinTexts({ file, text }: RemovingEdit, other: RemovingEdit): string {
  if (!file?.endsWith('.json')) return text === other.text ? text : `${text}\n${other.text}`;
  const merged = mergeValues(JSON.parse(`{${text}}`), JSON.parse(`{${other.text}}`));
  return Object.entries(asObject(merged))
    .map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
    .join(', ');
}

/** Joins the values of two settings: lists follow each other, and members of objects are merged. */
function mergeValues(one: unknown, other: unknown): unknown {
  if (Array.isArray(one) && Array.isArray(other)) return [...one, ...other];
  if (!isObject(one) || !isObject(other)) return other;
  const added = Object.entries(other).map(([key, value]) => {
    return [key, Object.hasOwn(one, key) ? mergeValues(one[key], value) : value] as const;
  });
  // A name may be `__proto__`, to which nothing can be assigned.
  return Object.fromEntries([...Object.entries(one), ...added]);
}
