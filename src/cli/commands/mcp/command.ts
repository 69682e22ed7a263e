import { toVisibleLine } from '#base/visible.js';
import { limitFiles } from '#platform/files/limited-files.js';
import type { Io } from '#platform/io.js';
import { AGENTS } from '#session/agents/index.js';
import { sessionsFolder } from '#session/agents/pi-folders.js';
import { type CommandInput, defineCommand } from '../define.js';
import { positiveFlag, textsFlag, toggleFlag } from '../flags.js';
import { buildCall } from '../rpc/call.js';
import { createSilentIo, KeptSessions } from '../rpc/kept-sessions.js';
import { rpcMethods } from '../rpc/methods.js';
import * as shared from '../shared-flags.js';
import type { ToolWorld } from './server.js';

/** A tool's answer that a model reads beside its own work. */
const MAX_TOKENS = 5000;

const FLAGS = {
  'allow-content': toggleFlag('return texts of sessions; without it, only their length'),
  'show-secrets': { ...toggleFlag('return secrets in texts as they are'), needs: ['allow-content'] },
  root: textsFlag('DIR', 'read sessions in this folder too, instead of the working directory; repeatable'),
  'max-tokens': positiveFlag('N', `the largest answer, in estimated tokens (default: ${MAX_TOKENS})`),
  ...shared.configFlags,
};

type Input = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'mcp',
  summary: 'Serve sessions to an agent as MCP tools',
  description:
    'An MCP server over standard input and output, for an agent that asks about its sessions. Its tools are the ' +
    `methods of ctx rpc: ${rpcMethods.map(({ name }) => name).join(', ')}. It reads the agents' own folders and the working ` +
    'directory, and nothing else. Without --allow-content it returns no texts of sessions; with it, secrets are ' +
    'replaced. Changes nothing. In Claude Code: claude mcp add ctx -- ctx mcp',
  args: [],
  flags: FLAGS,
  hasOneForm: true,
  examples: ['ctx mcp', 'ctx mcp --allow-content --root ~/backup/sessions'],
  async run(input) {
    const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
    const { parseJSONRPCMessage } = await import('@modelcontextprotocol/server');
    const { LineTransport } = await import('./line-transport.js');
    const { createMcpServer } = await import('./server.js');
    const world = await createWorld(input);
    const transport = new LineTransport(input.io.input(), parseJSONRPCMessage);
    const onerror = ({ message }: Error): void => void world.warn(message);
    serveStdio(() => createMcpServer(world), { transport, onerror });
    const end = (): { readonly problems: [] } => {
      world.sessions.close();
      return { problems: [] };
    };
    return { kind: 'stream', items: transport.sent(), format: 'json', isUnpaged: true, end };
  },
});

async function createWorld({ io: whole, flags }: Input): Promise<ToolWorld> {
  const { 'max-tokens': maxTokens = MAX_TOKENS, 'allow-content': isContentAllowed = false, root, ...rest } = flags;
  const files = limitFiles(whole.files, whole.cwd, listRoots(whole, root));
  const config = rest['no-config'] ? false : rest.config;
  // Nothing is written, so results are not kept either.
  const limited = createSilentIo({ ...whole, files, openIndex: () => Promise.resolve(null) });
  // Names, paths and errors may hold secrets too.
  const isWhole = rest['show-secrets'] === true;
  const { io, shownError } = isWhole ? { io: limited, shownError: same } : await redactIo(limited, config);
  const sessions = new KeptSessions(io.files);
  return {
    io,
    sessions,
    openKept: (file) => sessions.open(file),
    maxTokens,
    config,
    isContentAllowed,
    shownError,
    warn: (note) => whole.stderr.write(`ctx: ${toVisibleLine(note)}\n`),
  };
}

const same = (error: unknown): unknown => error;

/** The folders that are read: those of the agents, and the given ones or the working directory. */
function listRoots(io: Io, roots: readonly string[] = [io.cwd]): readonly string[] {
  const pi = sessionsFolder(io);
  const others = io.home === '' ? [] : AGENTS.flatMap((agent) => agent.folders(io.env, io.home));
  return [...(pi === null ? [] : [pi]), ...others, ...roots];
}

async function redactIo(io: Io, config: string | false | undefined) {
  const { redactCall } = await import('../redact/redact-call.js');
  const [method] = rpcMethods;
  if (!method) throw new Error('there are no methods');
  return redactCall(io, await buildCall(method, {}, { config }));
}
