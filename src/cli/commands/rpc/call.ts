import type * as z from 'zod/mini';
import { CtxError } from '#base/errors.js';
import { didYouMean } from '#base/suggestion.js';
import type { CommandCall } from '#cli/arguments/command-call.js';
import { addConfiguredDefaults } from '#cli/arguments/defaults.js';
import { limitOutcome } from '#cli/output/answer-size.js';
import { FittingItems } from '#cli/output/fitting-items.js';
import { runCommand } from '#cli/run-command.js';
import { CHARACTERS_PER_TOKEN } from '#context/size/tokens.js';
import type { Io } from '#platform/io.js';
import markdown from '#ui/doc/markdown.js';
import type { Printable } from '#ui/doc/renderer.js';
import { assertFlags } from '../assert-flags.js';
import type { Command, Outcome, SessionOpener } from '../define.js';
import { parseFlagValue } from '../flags.js';
import { loadCommands } from '../index.js';
import type { CommandWords, RpcMethod } from './define-method.js';

/** The world of a call: where its sessions stay open, and the largest answer that it gives. */
export interface CallWorld {
  readonly io: Io;
  readonly openKept: NonNullable<SessionOpener['openKept']>;
  readonly maxTokens: number;
  /** The configuration to read: the nearest one, if it is undefined; none, if it is false. */
  readonly config: string | false | undefined;
  /** Prints a sentence on standard error. */
  warn(note: string): Promise<unknown>;
  /** Returns an error as it may be told, where secrets are not shown. */
  maskError(error: unknown): unknown;
}

export type Params = Readonly<Record<string, unknown>>;

/** The result of a method: what its command prints with `--json`. Throws a CtxError. */
export function callMethod(world: CallWorld, method: RpcMethod, params: Params): Promise<unknown> {
  const maxTokens = (params.maxTokens as number | undefined) ?? world.maxTokens;
  return runMethod(world, method, params, (outcome, call) => readResult(outcome, call, maxTokens));
}

/**
 * Runs the command of a method, and reads its outcome while its sessions are open. Throws a CtxError as it may be told,
 * also where only reading the outcome fails.
 */
export async function runMethod<Result>(
  world: Omit<CallWorld, 'maxTokens'>,
  method: RpcMethod,
  params: Params,
  read: (outcome: Outcome, call: CommandCall) => Promise<Result>,
): Promise<Result> {
  try {
    const call = await addConfiguredDefaults(world.io, await buildCall(method, params, world));
    assertFlags(call);
    for (const note of call.notes) await world.warn(note);
    return await runCommand(world, call, async (outcome, io) => {
      const { outcome: selected } = await limitOutcome(io, outcome, { format: 'json', fields: call.fields });
      return read(selected, call);
    });
  } catch (error) {
    throw world.maskError(error);
  }
}

/** The call of a command as the command line would have it, before the defaults of the configuration. */
export async function buildCall(
  method: RpcMethod,
  params: Params,
  { config }: Pick<CallWorld, 'config'>,
): Promise<CommandCall> {
  const [command] = await loadCommands([method.command]);
  if (!command) throw new CtxError('bug', `no command ${method.command}`);
  const { args, flags } = method.toWords(params as never);
  const configFlags = config === false ? { 'no-config': true } : { config };
  return {
    kind: 'run',
    command,
    args,
    dash: null,
    flags: parseFlags(command, { ...flags, ...configFlags }),
    notes: [],
    format: params.format === 'markdown' ? 'markdown' : 'json',
    template: undefined,
    colour: 'never',
    fields: readFields(params),
    maxTokens: undefined,
    isPlain: false,
    pager: false,
    isRedacted: false,
    config,
    isFormatGiven: true,
  };
}

/** The values of the flags that are given. A flag that the command does not have is left out. */
function parseFlags(command: Command, given: CommandWords['flags']): CommandCall['flags'] {
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const flag = command.flags[name];
    if (!flag || value === undefined || value === false) continue;
    values[name] = parseFlagValue(name, flag, String(value));
  }
  return values;
}

/** The members of an envelope that come with any part of it. */
const FRAME = ['schema', 'schemaVersion', 'session', 'at', 'meta'];

/** The fields to which an answer is reduced; undefined: it is whole. */
function readFields(params: Params): string | undefined {
  const { fields, parts } = params as { readonly fields?: readonly string[]; readonly parts?: readonly string[] };
  const all = fields ?? (parts && [...FRAME, ...parts]);
  return all?.join(',');
}

async function readResult(outcome: Outcome, { format }: CommandCall, maxTokens: number): Promise<unknown> {
  if (outcome.kind === 'single') return buildDocument(outcome.item, format, maxTokens);
  if (outcome.kind !== 'stream') throw new CtxError('bug', `no JSON in ${outcome.kind}`);
  const fitting = new FittingItems(maxTokens * CHARACTERS_PER_TOKEN, outcome.newestLast !== undefined);
  for await (const batch of outcome.batches) {
    for (const { data } of batch) {
      if (!fitting.add(data, JSON.stringify(data).length)) return { items: fitting.list(), isCut: true };
    }
  }
  outcome.end();
  return { items: fitting.list(), isCut: fitting.leftOut > 0 };
}

function buildDocument(item: Printable, format: string, maxTokens: number): unknown {
  const view = { format, columns: Infinity, rows: Infinity };
  const result = format === 'json' ? item.data : { markdown: markdown.render(item, view) };
  const tokens = Math.ceil(JSON.stringify(result).length / CHARACTERS_PER_TOKEN);
  if (tokens <= maxTokens) return result;
  throw new CtxError('refused', `the answer takes ${tokens} tokens, more than ${maxTokens}`, {
    hint: 'choose parts or fields, or set maxTokens',
  });
}

/** Parameters whose flags have other names. */
const OTHER_NAMES: Readonly<Record<string, string>> = { at: 'revision', regexp: 'pattern' };

/** The text of an error of a command, with the parameters of its tool instead of flags. */
export function toParameterWords(text: string, { params }: Pick<RpcMethod, 'params'>): string {
  return text.replaceAll(/(?<=^|\s)--([a-z][a-z-]*)(?!\S)/g, (flag, name: string) => {
    const parameter = OTHER_NAMES[name] ?? name.replaceAll(/-[a-z]/g, ([, letter = '']) => letter.toUpperCase());
    return parameter in params.shape ? parameter : flag;
  });
}

/** The hint for a key that is no parameter, such as `session`, which the command line says; null for other mistakes. */
export function findKeyHint({ shape }: RpcMethod['params'], { issues: [issue] }: z.core.$ZodError): string | null {
  if (issue?.code !== 'unrecognized_keys') return null;
  const names = Object.keys(shape);
  const [key = ''] = issue.keys;
  return didYouMean(key === 'session' ? 'file' : key, names, `the parameters are ${names.join(', ')}`);
}
