import { CtxError } from '#base/errors.js';
import type { CommandCall } from '../arguments/command-call.js';
import type { Flag } from './flags.js';

type Rules = Pick<Flag<unknown>, 'excludes' | 'needs' | 'requiredUnless'>;

/**
 * Throws a CtxError (usage) for flags that exclude one another, for one without the flag that it needs, and for one
 * that is missing.
 */
export function assertFlags({ command, args, flags, format, template, isRedacted }: CommandCall): void {
  const given = new Set([
    ...Object.keys(flags).filter((name) => flags[name] !== undefined),
    ...command.args.filter((_arg, at) => args[at] !== undefined).map(({ name }) => `[${name}]`),
    ...(isRedacted ? ['redact'] : []),
    `format ${template === undefined ? format : 'TEMPLATE'}`,
  ]);
  const redact = command.takesRedact === true ? {} : (command.takesRedact ?? {});
  const rules: Readonly<Record<string, Rules>> = { ...command.flags, redact };
  for (const [name, { excludes = [], needs, requiredUnless }] of Object.entries(rules)) {
    const other = excludes.find((each) => given.has(each));
    if (!given.has(name)) assertOneOf(requiredUnless && [name, ...requiredUnless], `ctx ${command.name}`);
    else if (other !== undefined) throw buildFlagConflictError(name, other);
    else assertOneOf(needs, `--${name}`);
  }

  function assertOneOf(names: readonly string[] | undefined, subject: string): void {
    if (!names || names.some((name) => given.has(name))) return;
    const hint = `add ${names.map((name) => formatWithValue(name, command.flags[name])).join(' or ')}`;
    throw new CtxError('usage', `${subject} needs ${names.map(formatFlag).join(' or ')}`, { hint });
  }
}

/** The error for two flags that exclude each other. `other` may also be an argument or a format. */
export function buildFlagConflictError(name: string, other: string): CtxError {
  const hint = other.startsWith('format ') ? `leave --${name} out, or choose another format` : 'leave one of them out';
  return new CtxError('usage', `--${name} and ${formatFlag(other)} cannot be used together`, { hint });
}

/** Arguments are written in brackets, as in the usage line. */
function formatFlag(name: string): string {
  return name.startsWith('[') ? name : `--${name}`;
}

function formatWithValue(name: string, flag: Flag<unknown> | undefined): string {
  return flag?.placeholder ? `${formatFlag(name)} ${flag.placeholder}` : formatFlag(name);
}
