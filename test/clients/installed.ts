import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { projectFolder } from '../support/files.js';

/** The packages of real clients: `npm ci --ignore-scripts` in `test/clients/npm`. */
const packages = path.join(projectFolder, 'test/clients/npm/node_modules');

const machine = `${process.platform}-${process.arch}`;

/** The program of a client, null where it is not installed. */
export function findClaudeCode(version: string): string | null {
  // Old versions are a script for Node.js.
  const folder = path.join(packages, `claude-code-${version}`);
  const places = [folder, path.join(folder, 'node_modules/@anthropic-ai/claude-code')];
  const script = places.map((place) => path.join(place, 'cli.js')).find((file) => existsSync(file));
  if (script !== undefined) return script;
  return findProgram(`claude-code-${version}`, `@anthropic-ai/claude-code-${machine}`, version, 'claude');
}

export function findCodex(version: string): string | null {
  const file = `vendor/${TARGETS[machine] ?? ''}/bin/codex`;
  return findProgram(`codex-${version}`, `@openai/codex-${machine}`, version, file);
}

const TARGETS: Readonly<Record<string, string>> = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
};

/** npm puts the package with the program into the one that needs it, or beside it. */
function findProgram(client: string, owner: string, version: string, file: string): string | null {
  const folders = [path.join(packages, client, 'node_modules', owner), path.join(packages, owner)];
  const folder = folders.find((each) => versionIn(each)?.startsWith(version));
  return folder === undefined || !existsSync(path.join(folder, file)) ? null : path.join(folder, file);
}

function versionIn(folder: string): string | undefined {
  const file = path.join(folder, 'package.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version : undefined;
}
