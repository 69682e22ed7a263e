/** The MCP server of a tool, which Claude Code and Codex write into its name; null for a tool of no server. */
export function findToolServer(tool: string): string | null {
  return OF_SERVER.exec(tool)?.[1] ?? null;
}

const OF_SERVER = /^mcp__(.+?)__/;

/** A server as names of tools have it: other characters than these are replaced. */
export function toServerName(title: string): string {
  return title.replaceAll(/[^\w-]/g, '_');
}
