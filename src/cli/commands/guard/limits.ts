import { matchesPattern } from '#analysis/check/policy/patterns.js';
import { formatDollars } from '#base/dollars.js';
import { CtxError } from '#base/errors.js';
import { asString } from '#base/json.js';
import { formatCount, formatShortCount, pluralize, readCount } from '#base/numbers.js';
import type { Flag } from '../flags.js';
import type { HookInput } from './hook-input.js';
import type { SessionUse } from './session-use.js';

/** A number of calls of the tools that a pattern matches. */
export interface CallLimit {
  readonly pattern: string;
  readonly most: number;
}

export interface Limits {
  /** Tokens. */
  readonly context?: number | undefined;
  /** Dollars. */
  readonly cost?: number | undefined;
  readonly calls?: readonly CallLimit[] | undefined;
  readonly repeat?: number | undefined;
}

/** A limit, and the value of a session that it limits. */
export interface MeasuredLimit {
  /** Names the limit with its value, so that hooks with other limits have other names. */
  readonly name: string;
  readonly value: number;
  readonly most: number;
  /** The fact, without an end. */
  readonly fact: string;
  readonly advice: string;
}

/** The limits whose values are known, in the order of the flags. */
export function measureLimits(limits: Limits, use: SessionUse, input: HookInput): readonly MeasuredLimit[] {
  return [
    ...measureContext(limits.context, use),
    ...measureCost(limits.cost, use),
    ...(limits.calls ?? []).map((limit) => measureCalls(limit, use)),
    ...measureRepeats(limits.repeat, use, input),
  ];
}

function measureContext(most: number | undefined, { context }: SessionUse): readonly MeasuredLimit[] {
  if (most === undefined || context === null) return [];
  const fact = `the context has ${formatShortCount(context)} tokens, and the limit is ${formatShortCount(most)}`;
  return [{ name: `context ${most}`, value: context, most, fact, advice: 'run /compact, or begin a new session' }];
}

function measureCost(
  most: number | undefined,
  { cost, isCostListed, isCostWhole }: SessionUse,
): readonly MeasuredLimit[] {
  if (most === undefined || cost === null) return [];
  const spent = `${isCostWhole ? '' : 'at least '}${isCostListed ? '~' : ''}${formatDollars(cost)}`;
  const fact = `the session has cost ${spent}, and the limit is ${formatDollars(most)}`;
  return [{ name: `cost ${most}`, value: cost, most, fact, advice: 'begin a new session, or raise --cost' }];
}

function measureCalls({ pattern, most }: CallLimit, { calls, isWhole }: SessionUse): MeasuredLimit {
  let count = 0;
  for (const [tool, times] of calls) {
    if (matchesTool(pattern, tool)) count += times;
  }
  const counted = `${isWhole ? '' : 'at least '}${pluralize(count, 'call')}`;
  const fact = `the session has ${counted} of ${pattern}, and the limit is ${formatCount(most)}`;
  return { name: `calls ${pattern}=${most}`, value: count, most, fact, advice: 'ask the agent what it needs them for' };
}

function matchesTool(pattern: string, tool: string): boolean {
  const names = SHELLS.has(tool) ? [tool, 'bash'] : [tool];
  return names.some((name) => matchesPattern(pattern.toLowerCase(), name.toLowerCase()));
}

/** The tools of Codex that its hooks name Bash, as sessions name them. */
const SHELLS: ReadonlySet<string> = new Set(['exec_command', 'shell', 'shell_command', 'local_shell']);

/** Measures how often the call of the event was repeated. Repeats of an earlier call are no news. */
function measureRepeats(most: number | undefined, use: SessionUse, { fields }: HookInput): readonly MeasuredLimit[] {
  const tool = asString(fields.tool_name);
  if (most === undefined || tool === null) return [];
  const count = use.countEqual(asString(fields.tool_use_id) ?? '');
  const fact = `${tool} was called ${pluralize(count, 'time')} with equal input since your last prompt`;
  return [{ name: `repeat ${most} ${tool}`, value: count, most, fact, advice: 'tell the agent to try something else' }];
}

/** Dollars: `5`, `0.50` or `$5`. */
export function dollarsFlag(help: string): Flag<number> {
  return {
    placeholder: 'DOLLARS',
    help,
    parse(raw) {
      const [, digits] = /^\$?(\d{1,9}(?:\.\d{1,6})?)$/.exec(raw) ?? [];
      if (digits !== undefined && Number(digits) > 0) return Number(digits);
      throw new CtxError('usage', `invalid value "${raw}" for DOLLARS`, { hint: 'write an amount such as 5 or 0.50' });
    },
  };
}

/** `bash=200`, several of them separated by commas. */
export function callLimitsFlag(help: string): Flag<readonly CallLimit[]> {
  return {
    placeholder: 'TOOL=N',
    help,
    isMany: true,
    parse: (raw) => raw.split(',').map((each) => parseCallLimit(each.trim())),
  };
}

function parseCallLimit(text: string): CallLimit {
  const at = text.lastIndexOf('=');
  const most = readCount(text.slice(at + 1));
  if (at > 0 && most !== null && Number.isInteger(most) && most > 0) return { pattern: text.slice(0, at).trim(), most };
  throw new CtxError('usage', `invalid value "${text}" for TOOL=N`, {
    hint: 'write a tool and a number, such as bash=200',
  });
}
