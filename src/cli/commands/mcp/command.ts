import path from 'node:path';
import { toVisibleLine } from '#base/visible.js';
import type { Io } from '#platform/io.js';
import type { TaskThread } from '#platform/threads.js';
import type { Printable } from '#ui/doc/renderer.js';
import { type CommandInput, defineCommand, type Outcome } from '../define.js';
import { positiveFlag, textsFlag, toggleFlag } from '../flags.js';
import * as shared from '../shared-flags.js';
import { mcpClients } from './clients.js';
import type { LineTransport } from './line-transport.js';
import type { AnswerCall } from './server.js';
import type { ServerLimits, ToolReply, ToolTask } from './tool-call.js';
import { mcpTools } from './tools.js';

/** The largest answer that a call may ask for, in tokens. */
const MAX_TOKENS = 10_000;

/** The argument of the command, as messages name it. */
const ACTION = '[action]';

const FLAGS = {
  'allow-content': toggleFlag('return texts of sessions; without it, only their length'),
  'show-secrets': { ...toggleFlag('return secrets in texts as they are'), needs: ['allow-content'] },
  root: textsFlag('DIR', 'read sessions in this folder too, instead of the working directory; repeatable'),
  'max-tokens': positiveFlag('N', `the largest answer, in estimated tokens (default: ${MAX_TOKENS})`),
  'dry-run': { ...toggleFlag('print what install or uninstall would run, and run nothing'), needs: [ACTION] },
  yes: { ...toggleFlag('install or uninstall without asking for confirmation'), short: 'y', needs: [ACTION] },
  ...shared.configFlags,
};

const AGENTS = Object.keys(mcpClients);

type Input = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'mcp',
  summary: 'Serve sessions to an agent as MCP tools',
  description:
    `An MCP server over standard input and output, for an agent that asks about its sessions. Its tools are ${mcpTools.map(({ name }) => name).join(', ')}. ` +
    "It reads the agents' own folders and the working directory, and nothing else. Without --allow-content it returns " +
    'no texts of sessions; with it, secrets are replaced. Changes no session. install adds it to an agent by the command ' +
    'of that agent, which it shows and asks about first.',
  args: [
    {
      name: 'action',
      help: 'install or uninstall, by the command of the agent (default: serve)',
      choices: ['install', 'uninstall'],
    },
    { name: 'agent', help: `the agent to install it in: ${AGENTS.join(', ')}`, choices: AGENTS },
  ],
  flags: FLAGS,
  hasOneForm: true,
  examples: [
    'ctx mcp install claude',
    'ctx mcp install codex --allow-content --dry-run',
    'ctx mcp --allow-content --root ~/backup/sessions',
  ],
  async run(input) {
    const [action, client] = input.args;
    if (action !== undefined) return install(input, action, client);
    const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
    const { parseJSONRPCMessage } = await import('@modelcontextprotocol/server');
    const { LineTransport } = await import('./line-transport.js');
    const { createMcpServer } = await import('./server.js');
    const { io } = input;
    const limits = readLimits(input);
    const thread = await io.startTaskThread('answerToolCall');
    const answerCall: AnswerCall = async (name, given, signal) =>
      (await thread.run({ limits, name, given } satisfies ToolTask, signal)) as ToolReply;
    const transport = new LineTransport(io.input(), parseJSONRPCMessage);
    const onerror = ({ message }: Error): void => void io.stderr.write(`ctx: ${toVisibleLine(message)}\n`);
    serveStdio(() => createMcpServer(answerCall), { transport, onerror });
    const batches = sendUntilClosed(transport, thread);
    return { kind: 'stream', batches, format: 'json', isUnpaged: true, end: () => ({ problems: [] }) };
  },
});

async function install({ io, flags }: Input, action: string, client: string | undefined): Promise<Outcome> {
  const { installServer } = await import('./install.js');
  return installServer(io, {
    action,
    client,
    serverFlags: listServerFlags(io, flags),
    isContentAllowed: flags['allow-content'] ?? false,
    areSecretsShown: flags['show-secrets'] ?? false,
    isDryRun: flags['dry-run'] ?? false,
    isAgreed: flags.yes ?? false,
  });
}

/** The flags of the server as words, with paths that mean the same in every folder. */
function listServerFlags({ cwd }: Io, flags: Input['flags']): readonly string[] {
  const { root = [], config, 'max-tokens': maxTokens } = flags;
  const toggles = (['allow-content', 'show-secrets', 'no-config'] as const).filter((name) => flags[name]);
  const words = toggles.map((name) => `--${name}`);
  for (const folder of root) words.push('--root', path.resolve(cwd, folder));
  if (maxTokens !== undefined) words.push('--max-tokens', String(maxTokens));
  if (config !== undefined) words.push('--config', path.resolve(cwd, config));
  return words;
}

function readLimits({ io, flags }: Input): ServerLimits {
  const { 'max-tokens': maxTokens = MAX_TOKENS, root: roots, config, 'no-config': isWithout } = flags;
  return {
    isContentAllowed: flags['allow-content'] ?? io.env.CTX_ALLOW_CONTENT === 'true',
    areSecretsShown: flags['show-secrets'] ?? false,
    roots,
    maxTokens,
    config: isWithout ? false : config,
  };
}

/** Yields what the server sends, and ends its thread with the connection. */
async function* sendUntilClosed(transport: LineTransport, thread: TaskThread): AsyncGenerator<readonly Printable[]> {
  try {
    yield* transport.readOutgoing();
  } finally {
    await thread.end();
  }
}
