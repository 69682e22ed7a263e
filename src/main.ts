import { CtxError, EXIT_CODES, shortenForError, toCtxError } from './base/errors.js';
import { VERSION } from './base/version.js';
import { toVisible, toVisibleLine } from './base/visible.js';
import { moveCommandFirst, replaceAlias, toExitCode } from './cli/arguments/argv.js';
import { type Frame, replaceBareCall } from './cli/arguments/bare-call.js';
import { addConfiguredDefaults } from './cli/arguments/defaults.js';
import { type ReadCall, readCall } from './cli/arguments/read-call.js';
import { separateRevision } from './cli/arguments/separate-revision.js';
import { assertFlags } from './cli/commands/assert-flags.js';
import type { Outcome, OutcomeEnd } from './cli/commands/define.js';
import type { ToolReply, ToolTask } from './cli/commands/mcp/tool-call.js';
import type { ErrorDocument } from './cli/output/error-document.js';
import { formatFailure } from './cli/output/print-failure.js';
import { printEnd, printNote, writeToStandardError } from './cli/output/print-notes.js';
import { print } from './cli/output/print.js';
import { printToStandardError, writesToStandardOutput } from './cli/output/standard-output.js';
import { runCommand } from './cli/run-command.js';
import { shortenPaths } from './cli/sessions/folders.js';
import type { EngineStart, FollowedEngine } from './live/define.js';
import { beginCommand } from './platform/files/signals.js';
import { createNodeIo, type Io } from './platform/io.js';
import type { StartPlugin } from './platform/plugin.js';
import { formatJsonLine } from './ui/doc/json.js';
import type { Paging } from './ui/terminal/paging.js';

/** The entry point of a worker thread that loads this file. */
export { default } from './cli/sessions/jobs/jobs.js';

/** The entry point of a thread that answers calls of tools. */
export const answerToolCall = async (task: ToolTask): Promise<ToolReply> =>
  (await import('./cli/commands/mcp/tool-call.js')).answerToolCall(createNodeIo(process, startPlugin), task);

const startPlugin: StartPlugin = async (start) => (await import('./lab/plugin-process/plugin.js')).startPlugin(start);

/** For the extension of Pi: an engine in charge of a running agent. */
export const followEngine = async (io: Io, start: EngineStart): Promise<FollowedEngine> =>
  (await import('./cli/commands/engine/follow-engine.js')).followEngine(io, start);

/** Runs the command line of a process. If the process ends before the command, that is an error. */
export async function main(process: NodeJS.Process): Promise<void> {
  const io = createNodeIo(process, startPlugin);
  const onEnd = (): void => {
    // Nothing asynchronous runs any more: this error is written at once, without the layout of a terminal.
    void writeToStandardError(io, formatPlainFailure(io, UNFINISHED));
    process.exitCode = toExitCode(io.argv, EXIT_CODES[UNFINISHED.kind]);
  };
  process.once('exit', onEnd);
  // To the very end of the process: a signal in its last moments would deny what is written and reported.
  beginCommand(process);
  process.exitCode = await run(io);
  process.off('exit', onEnd);
}

/** The cause is code of the user in this process, which is a configuration. */
const UNFINISHED = new CtxError('usage', 'the process ended before the command did', {
  hint: 'a configuration that is a program must not exit, nor wait for what never comes; --no-config ignores it',
});

/** Runs one command line and gives its exit code. Nothing is thrown. */
export async function run(process: Io): Promise<number> {
  let io = process;
  try {
    const { folder, argv } = moveCommandFirst(process.argv);
    if (folder !== undefined) io = { ...process, cwd: process.enterFolder(folder) };
    const { argv: line, frame } =
      argv.length > 0 ? { argv: replaceAlias(argv), frame: null } : await replaceBareCall(io);
    const read = await readCall(line, VERSION);
    const call = read.kind === 'run' ? await addConfiguredDefaults(io, await separateRevision(io, read)) : read;

    // A pager is loaded only for a terminal.
    const paging = io.stdout.isTerminal ? await choosePaging(io, call) : null;
    const answering = frame === null ? answer(io, call, paging) : answerInFrame(io, call, { paging, frame });
    const end = await answering.finally(() => paging?.end());
    await printEnd(io, end);
    return end.exitCode ?? 0;
  } catch (error) {
    return fail(io, error);
  }
}

/** JSON is for programs. */
async function choosePaging(io: Io, call: ReadCall): Promise<Paging | null> {
  if (call.kind === 'run' && (call.pager === false || call.format === 'json')) return null;
  return (await import('./ui/terminal/paging.js')).startPaging(io);
}

/** Prints an answer, for people with the text around it. */
async function answerInFrame(
  io: Io,
  call: ReadCall,
  { paging, frame }: { readonly paging: Paging | null; readonly frame: Frame },
): Promise<OutcomeEnd> {
  if (call.kind === 'run' && call.format !== 'text') return answer(io, call, paging);
  const { stdout } = paging ?? io;
  await stdout.write(frame.before);
  const end = await answer(io, call, paging);
  await stdout.write(frame.after);
  return end;
}

async function answer(io: Io, call: ReadCall, paging: Paging | null): Promise<OutcomeEnd> {
  if (call.kind === 'print') {
    await (paging ?? io).stdout.write(call.text);
    return { problems: [] };
  }
  assertFlags(call);
  for (const note of call.notes) await printNote(io, note);
  const world = writesToStandardOutput(call.flags) ? printToStandardError(io) : io;
  const isLimited = call.fields !== undefined || call.maxTokens !== undefined;
  const answerSize = isLimited ? await import('./cli/output/answer-size.js') : null;
  const tracked = answerSize?.trackWrites(world);
  const ofCommand = { ...(tracked?.io ?? world), stderr: paging?.stderr ?? io.stderr };
  return runCommand({ io: ofCommand }, call, async (outcome, seen) => {
    const stdout = isAtOnce(outcome) ? world.stdout : (paging?.stdout ?? world.stdout);
    const ofPrinter = { ...seen, stdout, stderr: io.stderr };
    if (!answerSize) return print(ofPrinter, outcome, call);
    const limited = await answerSize.limitOutcome(ofPrinter, outcome, call, tracked?.hasWritten());
    return print(ofPrinter, limited.outcome, { ...call, cut: limited.cut });
  });
}

/** Whether an answer bypasses the pager. */
function isAtOnce(outcome: Outcome): boolean {
  if (outcome.kind === 'bytes') return true;
  return outcome.kind === 'stream' && (outcome.isScreen || outcome.isUnpaged || outcome.format === 'json');
}

/** The one place where errors become text and exit codes. */
async function fail(io: Io, error: unknown): Promise<number> {
  const known = error instanceof CtxError ? error : toCtxError(error);
  const isLaidOut = io.stderr.isTerminal && !wantsJson(io.argv);
  await writeToStandardError(io, isLaidOut ? await formatFailure(io, known) : formatPlainFailure(io, known));
  if (io.env.CTX_DEBUG === '1')
    await writeToStandardError(io, `${toVisible((error as Error).stack ?? String(error))}\n`);
  return toExitCode(io.argv, EXIT_CODES[known.kind]);
}

/** An error as JSON if the command line asks for it, else on one line. */
function formatPlainFailure(io: Io, { kind, message: what, where, hint }: CtxError): string {
  if (wantsJson(io.argv)) {
    const exitCode = EXIT_CODES[kind];
    const report: ErrorDocument = { schema: 'ctx/error', schemaVersion: 1, kind, what, where, hint, exitCode };
    return formatJsonLine(report);
  }
  const parts = ['ctx', what, where, hint].filter((part) => part !== null);
  return `${shortenPaths(toVisibleLine(parts.map(shortenForError).join(': ')), io)}\n`;
}

/** Searches the command line for a flag of JSON output, without parsing it, since it may be invalid. */
function wantsJson(argv: readonly string[]): boolean {
  return argv.some(
    (word, at) => word === '--json' || word === '--format=json' || (word === 'json' && argv[at - 1] === '--format'),
  );
}
