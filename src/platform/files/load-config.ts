import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { CtxError } from '#base/errors.js';

/**
 * The content of a configuration file: its JSON, its key of package.json, or the export of a program; undefined
 * if there is none.
 */
export async function loadConfig(file: string): Promise<unknown> {
  if (!existsSync(file))
    throw new CtxError('usage', 'no such configuration file', { where: file, hint: 'check the path after --config' });
  try {
    return isConfigProgram(file) ? await runProgram(file) : readJson(file);
  } catch (error) {
    throw buildUnreadableConfigError(file, error);
  }
}

/** Whether reading a configuration runs code. */
export function isConfigProgram(file: string): boolean {
  return /\.[cm]?[jt]s$/.test(file);
}

/** Makes `defineConfig` importable from this package wherever it is installed. */
const virtualModules = { 'pi-ctx': { defineConfig: (config: unknown) => config } };

async function runProgram(file: string): Promise<unknown> {
  const { createJiti } = await import('jiti');
  // Compiled code is not cached: reading sessions writes no files.
  const full = path.resolve(file);
  const jiti = createJiti(full, { fsCache: false, moduleCache: false, virtualModules });
  // Standard output has the answer of the command, so what a program prints goes to standard error.
  const { stdout, stderr } = process;
  const write = stdout.write;
  stdout.write = stderr.write.bind(stderr);
  try {
    return await jiti.import(full, { default: true });
  } finally {
    stdout.write = write;
  }
}

function buildUnreadableConfigError(file: string, error: unknown): CtxError {
  const message = error instanceof Error ? error.message : String(error);
  const [first = ''] = message.split('\n');
  // The message of a program that does not parse has the place after its first line.
  const [, place = ''] = /^\s+\S+(:\d+:\d+)$/m.exec(message) ?? [];
  return new CtxError('usage', `cannot read the configuration: ${first.trim()}`, {
    where: `${path.relative('', file) || '.'}${place}`,
    hint: 'repair the file, or pass --no-config to ignore it',
  });
}

/** The key of the configuration in package.json. */
const KEY = 'ctx';

export function readJson(file: string): unknown {
  const isPackage = path.basename(file) === 'package.json';
  try {
    // A link may lead to a device, which never ends, or to a pipe that has no writer.
    if (!statSync(file).isFile()) throw new Error('not a file');
    const value: unknown = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
    if (!isPackage) return value;
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[KEY] : undefined;
  } catch (error) {
    // A broken package.json has no key of ours, and is not ours to report.
    if (isPackage) return undefined;
    throw error;
  }
}

/** A configuration file with its content. */
export interface FoundConfig {
  /** A full path. */
  readonly file: string;
  readonly value: unknown;
  /**
   * Whether a configuration may act: run code, name files to write, instruct a model. Either it is the user's own, or
   * the user allowed it.
   */
  readonly isTrusted: boolean;
}
