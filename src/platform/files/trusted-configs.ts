import { createHash } from 'node:crypto';
import fs, { readFileSync } from 'node:fs';
import path from 'node:path';
import { attempt, CtxError } from '#base/errors.js';
import { isObject, listObjects } from '#base/json.js';
import { createFolders } from './folders.js';
import { readJson } from './load-config.js';
import { type Env, findUserConfigFile } from './user-config.js';

/**
 * The configurations that the user allows to act, as `ctx trust` recorded them. A configuration that was found in a
 * folder may come from someone else, so until then it sets rules, limits and looks only. A change of its content ends
 * the permission.
 */
export interface TrustedConfigs {
  /** Whether the user has allowed this configuration with its present content. */
  has(file: string): boolean;
  /** The full paths of the configurations that were allowed, also of those that have changed or are gone. */
  list(): readonly string[];
  /** Allows a configuration with its present content. Throws a CtxError (refused) if that cannot be recorded. */
  add(file: string): void;
  /** Takes the permission back. Returns false if there was none. Throws a CtxError (refused) like `add`. */
  remove(file: string): boolean;
}

interface TrustedConfig {
  readonly file: string;
  readonly sha256: string;
}

/**
 * The configurations that a file records. A file of `null` means that there is no place for it, so nothing is allowed.
 * `contentOf` returns the text of a configuration to which the permission applies; null if it cannot be read.
 */
export function readTrustedConfigs(record: string | null, contentOf: (file: string) => string | null): TrustedConfigs {
  const read = (): readonly TrustedConfig[] => (record === null ? [] : readRecord(record));
  const hash = (file: string): string | null => {
    const content = contentOf(file);
    return content === null ? null : createHash('sha256').update(content).digest('hex');
  };
  return {
    has(file) {
      const name = resolveRealName(file);
      const entry = read().find((one) => one.file === name);
      return entry !== undefined && entry.sha256 === hash(name);
    },
    list: () => read().map(({ file }) => file),
    add(file) {
      const name = resolveRealName(file);
      const sha256 = hash(name);
      if (record === null || sha256 === null) throw buildNotRecordedError(record ?? file, 'ENOENT');
      replaceRecord(record, [...read().filter((one) => one.file !== name), { file: name, sha256 }]);
    },
    remove(file) {
      const name = resolveRealName(file);
      const all = read();
      const others = all.filter((one) => one.file !== name);
      if (record === null || others.length === all.length) return false;
      replaceRecord(record, others);
      return true;
    },
  };
}

/** A configuration is known by its real path: a link that leads to another file later is another configuration. */
function resolveRealName(file: string): string {
  return attempt(() => fs.realpathSync(file), path.resolve(file));
}

function readRecord(record: string): readonly TrustedConfig[] {
  const value: unknown = attempt(() => JSON.parse(fs.readFileSync(record, 'utf8')), null);
  if (!isObject(value)) return [];
  return listObjects(value.trusted).flatMap(({ file, sha256 }) =>
    typeof file === 'string' && typeof sha256 === 'string' ? [{ file, sha256 }] : [],
  );
}

/** Written beside and renamed, so that another process reads the old list or the new one. Only the user can read it. */
function replaceRecord(record: string, trusted: readonly TrustedConfig[]): void {
  const unfinished = `${record}.${process.pid}.tmp`;
  try {
    Array.from(createFolders(path.dirname(record), 0o700));
    fs.writeFileSync(unfinished, `${JSON.stringify({ trusted }, null, 2)}\n`, { mode: 0o600 });
    fs.renameSync(unfinished, record);
  } catch (error) {
    attempt(() => fs.rmSync(unfinished, { force: true }), undefined);
    throw buildNotRecordedError(record, (error as NodeJS.ErrnoException).code ?? 'unknown');
  }
}

function buildNotRecordedError(where: string, code: string): CtxError {
  return new CtxError('refused', `cannot record the permission (${code})`, {
    where,
    hint: 'pass --config FILE instead, each time',
  });
}

/** The configurations that the user has allowed, in the folder of the user's own configuration. */
export function openTrustedConfigs(env: Env, home: string): TrustedConfigs {
  const own = findUserConfigFile(env, home, process.platform);
  return readTrustedConfigs(own && path.join(path.dirname(own), 'trusted.json'), readPermittedContent);
}

/** The content that a permission is for: the file, and of a package.json the key that is the configuration. */
function readPermittedContent(file: string): string | null {
  if (path.basename(file) === 'package.json') return JSON.stringify(readJson(file) ?? null);
  return attempt(() => readFileSync(file, 'latin1'), null);
}
