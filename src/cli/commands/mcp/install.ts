import path from 'node:path';
import { CtxError } from '#base/errors.js';
import { didYouMean } from '#base/suggestion.js';
import { toVisibleLine } from '#base/visible.js';
import type { Io } from '#platform/io.js';
import { type Doc, gap, line, span, verbatim } from '#ui/doc/doc.js';
import type { Outcome } from '../define.js';
import { type CommandLine, formatCommandLine, type McpClient, mcpClients } from './clients.js';

/** The words after `ctx mcp`, and the flags that count. */
export interface InstallRequest {
  readonly action: string;
  readonly client: string | undefined;
  /** The flags of the server, as words. */
  readonly serverFlags: readonly string[];
  readonly isContentAllowed: boolean;
  readonly areSecretsShown: boolean;
  readonly isDryRun: boolean;
  readonly isAgreed: boolean;
}

const ACTIONS = ['install', 'uninstall'];

/**
 * Adds the server to an agent, or removes it, by the agent's own command, once the user has agreed. Throws a CtxError:
 * usage for another action or agent, refused without consent, or if the command fails.
 */
export async function installServer(io: Io, request: InstallRequest): Promise<Outcome> {
  const { action, isDryRun, isAgreed } = request;
  const client = findClient(request);
  const server: CommandLine = [...(await findOwnCommand(io)), 'mcp', ...request.serverFlags];
  const command = action === 'install' ? client.add(server, io.env) : client.remove;
  const plan = describePlan(client, command, request);
  if ((await io.findProgram(command[0])) === null)
    return buildOutcome(describeByHand(client, command, { server, action }), 1);
  if (isDryRun) return buildOutcome([...plan, line('nothing was changed')]);
  if (!isAgreed) await askUser(io, plan);
  const words = await runCommand(io, command, action);
  const done = action === 'install' ? `installed in ${client.title}` : `removed from ${client.title}`;
  return buildOutcome([
    line(span(formatCommandLine(command), 'faint')),
    ...(words === '' ? [] : [verbatim(words)]),
    line(span(done, 'good'), action === 'install' ? `; remove it: ctx mcp uninstall ${request.client}` : ''),
  ]);
}

function findClient({ action, client }: InstallRequest): McpClient {
  if (!ACTIONS.includes(action))
    throw new CtxError('usage', `no action "${action}"`, {
      hint: didYouMean(action, ACTIONS, 'write: ctx mcp install claude'),
    });
  const names = Object.keys(mcpClients);
  const found = client !== undefined && Object.hasOwn(mcpClients, client) ? mcpClients[client] : undefined;
  if (found) return found;
  throw new CtxError('usage', client === undefined ? 'no agent is named' : `no agent "${client}"`, {
    hint: didYouMean(client ?? '', names, `choose one of ${names.join(', ')}`),
  });
}

/** The command line that starts this program: `ctx`, where that is installed; else npx, or this file. */
async function findOwnCommand(io: Io): Promise<CommandLine> {
  if (io.self.some(isFromNpx)) return ['npx', '-y', 'pi-ctx'];
  const found = await io.findProgram('ctx');
  // While npx runs a program, its folder is on the PATH, also for a package that it only links.
  return found === null || isFromNpx(found) ? io.self : ['ctx'];
}

function isFromNpx(file: string): boolean {
  return file.split(/[\\/]/).includes('_npx');
}

function describePlan({ title }: McpClient, command: CommandLine, request: InstallRequest): Doc {
  const runs = [line('This runs:'), verbatim(formatCommandLine(command))];
  if (request.action === 'uninstall') return [line(`Removes the server from ${title}.`), ...runs];
  return [
    line(`Lets the model of ${title} ask about the sessions of all agents on this machine.`),
    line(describeContent(request)),
    ...runs,
  ];
}

function describeContent({ isContentAllowed, areSecretsShown }: InstallRequest): string {
  if (!isContentAllowed)
    return 'It gets sizes, costs and causes, and no text; --allow-content lets it read the texts too.';
  const secrets = areSecretsShown ? 'with their secrets' : 'with secrets replaced';
  return `It gets their texts too, ${secrets}; so does the provider of the model.`;
}

interface ByHand {
  readonly server: CommandLine;
  readonly action: string;
}

/** The lines to paste, where the agent's command is not on the PATH. */
function describeByHand(
  { title, settings, toSettings }: McpClient,
  command: CommandLine,
  { server, action }: ByHand,
): Doc {
  const isInstall = action === 'install';
  return [
    line(span(`${command[0]} is not on the PATH; nothing was changed`, 'warning')),
    gap,
    line(`where ${title} has its command, run:`),
    verbatim(formatCommandLine(command)),
    gap,
    line(isInstall ? `or add this to ${settings}:` : `or remove "ctx" from the MCP servers in ${settings}`),
    ...(isInstall ? [verbatim(toSettings(server))] : []),
  ];
}

/** The outcome of a command that prints only text. */
function buildOutcome(doc: Doc, exitCode: 0 | 1 = 0): Outcome {
  return { kind: 'single', item: { data: null, doc: () => doc }, problems: [], exitCode };
}

/** Throws a CtxError (refused) unless the user agrees. */
async function askUser(io: Io, plan: Doc): Promise<void> {
  const { renderForErrors } = await import('#cli/output/print-failure.js');
  const text = (await renderForErrors(io, [...plan, line('Run it? [y/N]')])).trimEnd();
  const answer = await io.ask(`${text} `);
  if (answer === null || !/^y(es)?$/i.test(answer.trim()))
    throw new CtxError('refused', 'not confirmed; nothing was changed', {
      hint: answer === null ? 'pass --yes, or --dry-run to see the command' : 'answer y, or pass --yes',
    });
}

/** Milliseconds that the agent's command may take. */
const TIME_LIMIT = 60_000;

/** Runs the agent's command, and returns what it printed. Throws a CtxError (refused) if it fails. */
async function runCommand(io: Io, program: CommandLine, action: string): Promise<string> {
  const call = { program, isForShell: false, input: '', timeLimit: TIME_LIMIT };
  const { stdout, stderr, exitCode, failure } = await io.untilInterrupted((signal) => io.runProgram(call, signal));
  if (exitCode === 0) return stdout.trim();
  const why = toVisibleLine((stderr.trim() || stdout.trim()).split('\n')[0] ?? '');
  throw new CtxError('refused', `${program.slice(0, 3).join(' ')} failed${why === '' ? '' : `: ${why}`}`, {
    where: failure === 'none' ? `exit code ${exitCode}` : failure,
    hint:
      action === 'install'
        ? `if it is installed already: ctx mcp uninstall ${path.basename(program[0])}`
        : 'list the servers of the agent',
  });
}
