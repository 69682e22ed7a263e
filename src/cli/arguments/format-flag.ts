import { CtxError } from '#base/errors.js';
import type { Command } from '../commands/define.js';
import type { CommandCall } from './command-call.js';
import { listFormats } from './command-flags.js';

/** A value of `--format`. Throws a CtxError (usage) for what the command cannot print. */
export function parseFormat(command: Command, raw: string): string {
  const formats = listFormats(command);
  if (formats.includes(raw) || (command.placeholders && isTemplate(command, raw))) return raw;
  const choices = `choose ${formats.join(', ')}`;
  const { placeholders } = command;
  if (!placeholders) throw new CtxError('usage', `"${raw}" is not a format`, { hint: choices });
  const example = `{${placeholders[0] ?? ''}} {${placeholders.at(-1) ?? ''}}`;
  throw new CtxError('usage', `"${raw}" is neither a format nor a template`, {
    hint: `${choices}, or write a template with {braces}, such as '${example}'`,
  });
}

/** A format as a command receives it. */
export function splitFormat(command: Command, format: string): Pick<CommandCall, 'format' | 'template'> {
  return isTemplate(command, format) ? { format: 'text', template: format } : { format, template: undefined };
}

function isTemplate(command: Command, format: string): boolean {
  return !listFormats(command).includes(format) && format.includes('{');
}
