import type { Io } from '#platform/io.js';
import type { CommandCall } from './arguments/command-call.js';
import type { Outcome, SessionOpener } from './commands/define.js';
import type { RedactedCall } from './commands/redact/redact-call.js';

/**
 * Runs the command of a call, and passes its outcome to `use`. Printing may still read entries, so the files that the
 * command opened are closed after that. With `--redact`, both see a world without secrets.
 */
export async function runCommand<Result>(
  { io, openKept }: Pick<SessionOpener, 'io' | 'openKept'>,
  call: CommandCall,
  use: (outcome: Outcome, io: Io) => Promise<Result>,
): Promise<Result> {
  const { command, format, template, configuredLimit, colour, theme, isRedacted } = call;
  const redacted = isRedacted ? await redactCall(io, call) : null;
  const { args, flags } = redacted ?? call;
  // A session that other calls keep open has its secrets, so a redacted call opens its own.
  const world = redacted ? { io: redacted.io } : { io, openKept };
  const opened: { close(): void }[] = [];
  try {
    const outcome = await command.run({
      ...world,
      args,
      flags,
      format,
      template,
      configuredLimit,
      colour,
      theme,
      isRedacted,
      sharing: redacted?.sharing,
      maskError: redacted?.maskError ?? ((error) => error),
      keepOpen(file) {
        opened.push(file);
        return file;
      },
    });
    // Awaited here, so that an error of what is read late is masked too.
    return await use(outcome, world.io);
  } catch (error) {
    throw redacted ? redacted.maskError(error) : error;
  } finally {
    for (const file of opened) file.close();
  }
}

async function redactCall(io: Io, call: CommandCall): Promise<RedactedCall> {
  const redaction = await import('./commands/redact/redact-call.js');
  return redaction.redactCall(io, call);
}
