import { attempt } from './base/errors.js';
import { toVisibleLine } from './base/visible.js';
import type { Command } from './cli/commands/define.js';
import { parseFlagValue } from './cli/commands/flags.js';
import budget from './cli/commands/guard/budget.js';
import statusline from './cli/commands/statusline/command.js';
import { createInsideIo } from './platform/inside-io.js';

/** The commands that an agent runs often, and waits for. */
const COMMANDS: readonly Command[] = [statusline, budget];

/**
 * Runs such a command without the rest of the command line, which takes longer to load than these take to run. No
 * configuration applies. Returns false, and does nothing, for any line that is not plain: help, errors, other flags.
 */
export async function runInsideAgent(process: NodeJS.Process): Promise<boolean> {
  const argv = process.argv.slice(2);
  const command = COMMANDS.find(({ name }) => name.split(' ').every((word, at) => argv[at] === word));
  const flags = command && attempt(() => readFlags(command, argv.slice(command.name.split(' ').length)), null);
  if (!command || !flags) return false;
  const io = createInsideIo(process);
  const outcome = await command.run({
    io: io as never,
    args: [],
    flags,
    format: 'text',
    isRedacted: false,
    maskError: (error) => error,
    keepOpen: (opened) => opened,
  });
  if (outcome.kind !== 'bytes') throw new Error(`${command.name} prints bytes`);
  for (const bytes of outcome.bytes) io.write(1, bytes);
  for (const note of outcome.notes ?? []) io.write(2, `ctx: ${toVisibleLine(note)}\n`);
  return true;
}

/** The values of flags as `--name VALUE` or `--name=VALUE`; null for anything else. Throws a CtxError for a wrong value. */
function readFlags({ flags }: Command, words: readonly string[]): Readonly<Record<string, unknown>> | null {
  const values: Record<string, unknown> = {};
  for (let at = 0; at < words.length; at += 1) {
    const [, name = '', given] = /^--([a-z-]+)(?:=(.*))?$/s.exec(words[at] ?? '') ?? [];
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (given === undefined) at += 1;
    const raw = given ?? words[at];
    if (!flag || flag.placeholder === null || raw === undefined) return null;
    const before = values[name];
    if (before !== undefined && !flag.isMany) return null;
    const value = parseFlagValue(name, flag, raw);
    values[name] = Array.isArray(before) ? before.concat(value) : value;
  }
  return values;
}
