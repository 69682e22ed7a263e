import path from 'node:path';
import { CtxError } from '#base/errors.js';
import { didYouMean } from '#base/nearest.js';
import { explain } from '#base/schema.js';
import { type OpenSession, openSession } from '#context/open.js';
import type { DriveOptions } from '#engines/drive/driven.js';
import { hostValues, type HostValues } from '#engines/drive/host-values.js';
import { spawnOf } from '#engines/drive/subagents.js';
import type { Files } from '#platform/io.js';
import { peek } from '#session/scan/header.js';
import type { Head } from '#session/table/head.js';
import { texts } from '../flags.js';

/** The flags of the commands that run engines, for what sessions do not record. */
export const hostFlags = {
  set: texts('KEY=VALUE', `a value of the host for the engine: ${Object.keys(hostValues.shape).join(', ')}; repeat`),
};

/** The values of `--set`. Throws a CtxError (usage) for a key or a value that the contract does not have. */
export function hostValuesOf({ set = [] }: { readonly set?: readonly string[] | undefined }): HostValues {
  const values: Record<string, string> = {};
  for (const each of set) {
    const at = each.indexOf('=');
    const key = at === -1 ? each : each.slice(0, at);
    if (at === -1 || !Object.hasOwn(hostValues.shape, key)) throw unknownValue(each, key, at !== -1);
    values[key] = each.slice(at + 1);
  }
  const parsed = hostValues.safeParse(values);
  if (parsed.success) return parsed.data;
  const key = String(parsed.error.issues[0]?.path[0]);
  throw new CtxError('usage', explain(parsed.error), { where: '--set', hint: `write ${key}=${VALUES[key]}` });
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

function unknownValue(text: string, key: string, hasValue: boolean): CtxError {
  const keys = Object.keys(hostValues.shape);
  const what = hasValue ? `the host has no value "${key}"` : `"${text}" is not KEY=VALUE`;
  return new CtxError('usage', what, { where: '--set', hint: didYouMean(key, keys, `keys are ${keys.join(', ')}`) });
}

const BEGINNING_BYTES = 65_536;

/** Loads the sessions in the folder of a session that name it as their parent, as subagents that it started. */
export function childrenIn(
  files: Files,
  {
    session,
    path: heads,
    host,
  }: { readonly session: OpenSession; readonly path: readonly Head[]; readonly host: HostValues },
): DriveOptions['children'] {
  if (session.file === '-') return undefined;
  return async () => {
    const children = await Promise.all(childFiles(files, session).map(async (file) => openSession(file, files)));
    return children.map((child) => spawnOf({ session, path: heads }, child, host));
  };
}

function childFiles(files: Files, { file }: OpenSession): readonly string[] {
  const folder = path.dirname(file);
  const isChild = (name: string): boolean => {
    const header = name.endsWith('.jsonl')
      ? peek(files.beginning(path.join(folder, name), BEGINNING_BYTES), false)
      : null;
    return header !== null && header !== 'no-session' && isNamed(header.parentSession, file);
  };
  return files
    .list(folder)
    .filter(isChild)
    .toSorted()
    .map((name) => path.join(folder, name));
}

/** Sessions are moved and copied, but keep the names of their files. */
function isNamed(parentSession: string | null, file: string): boolean {
  return parentSession !== null && path.posix.basename(parentSession.replaceAll('\\', '/')) === path.basename(file);
}
