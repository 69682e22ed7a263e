import { CtxError } from '#base/errors.js';
import { describeIssue } from '#base/schema-issue.js';
import { didYouMean } from '#base/suggestion.js';
import { hostValues, type HostValues } from '#lab/drive/host-values.js';
import { textsFlag } from '../flags.js';

/** The flags of the commands that run engines, for what sessions do not record. */
export const hostFlags = {
  set: textsFlag(
    'KEY=VALUE',
    `a value of the host for the engine: ${Object.keys(hostValues.shape).join(', ')}; repeatable`,
  ),
};

/** The values of `--set`. Throws a CtxError (usage) for a key or a value that the contract does not have. */
export function readHostValues({ set = [] }: { readonly set?: readonly string[] | undefined }): HostValues {
  const values: Record<string, string> = {};
  for (const each of set) {
    const at = each.indexOf('=');
    const key = at === -1 ? each : each.slice(0, at);
    if (at === -1 || !Object.hasOwn(hostValues.shape, key)) throw buildUnknownValueError(each, key, at !== -1);
    values[key] = each.slice(at + 1);
  }
  const parsed = hostValues.safeParse(values);
  if (parsed.success) return parsed.data;
  const key = String(parsed.error.issues[0]?.path[0]);
  throw new CtxError('usage', describeIssue(parsed.error), { where: '--set', hint: `write ${key}=${VALUES[key]}` });
}

/** How the values are written. */
const VALUES: Readonly<Record<string, string>> = {
  sessionKey: 'KEY',
  customInstructions: 'TEXT',
  ttlMs: 'MILLISECONDS',
  isHeartbeat: 'true, false or a regular expression for prompts',
  citationsMode: 'auto, on or off',
  allowDeferredCompactionExecution: 'true or false',
  cleanup: 'keep or delete',
} satisfies Record<keyof HostValues, string>;

function buildUnknownValueError(text: string, key: string, hasValue: boolean): CtxError {
  const keys = Object.keys(hostValues.shape);
  const what = hasValue ? `the host has no value "${key}"` : `"${text}" is not KEY=VALUE`;
  const isKnown = keys.includes(key);
  const hint = isKnown ? `write ${key}=${VALUES[key]}` : didYouMean(key, keys, `keys are ${keys.join(', ')}`);
  return new CtxError('usage', what, { where: '--set', hint });
}
