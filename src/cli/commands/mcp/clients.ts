import { toShellWord } from '#base/shell.js';
import type { Io } from '#platform/io.js';

/** A command line in words. */
export type CommandLine = readonly [program: string, ...words: readonly string[]];

/** An agent that starts MCP servers, and has a command that adds and removes them. */
export interface McpClient {
  readonly title: string;
  /** The command that adds `server` for all projects of the user, with what it needs of the environment. */
  add(server: CommandLine, env: Io['env']): CommandLine;
  readonly remove: CommandLine;
  /** The file of its settings, where the server can be added by hand. */
  readonly settings: string;
  /** The lines of that file. */
  toSettings(server: CommandLine): string;
}

/** The name of the server. */
const NAME = 'ctx';

/** The agents that `ctx mcp install` knows, by the name of their program. */
export const mcpClients: Readonly<Record<string, McpClient>> = {
  claude: {
    title: 'Claude Code',
    add: (server) => ['claude', 'mcp', 'add', '--scope', 'user', NAME, '--', ...server],
    remove: ['claude', 'mcp', 'remove', '--scope', 'user', NAME],
    settings: '~/.claude.json',
    toSettings: toMcpServers,
  },
  codex: {
    title: 'Codex',
    // Codex gives its servers few variables, and the sessions are in the folder that this one names.
    add: (server, { CODEX_HOME: folder }) => {
      const variables = folder ? ['--env', `CODEX_HOME=${folder}`] : [];
      return ['codex', 'mcp', 'add', NAME, ...variables, '--', ...server];
    },
    remove: ['codex', 'mcp', 'remove', NAME],
    settings: '~/.codex/config.toml',
    toSettings: ([command, ...args]) =>
      `[mcp_servers.${NAME}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}`,
  },
  pi: {
    title: 'Pi',
    add: (server) => ['pi', 'mcp', 'add', NAME, '--', ...server],
    remove: ['pi', 'mcp', 'remove', NAME],
    settings: '~/.pi/agent/mcp.json',
    toSettings: toMcpServers,
  },
};

function toMcpServers([command, ...args]: CommandLine): string {
  return JSON.stringify({ mcpServers: { [NAME]: { command, args } } });
}

/** A command line as it is typed in a shell. */
export function formatCommandLine(words: CommandLine): string {
  return words.map(toShellWord).join(' ');
}
