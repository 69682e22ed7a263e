import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Io } from '#platform/io.js';

/**
 * Returns a function that builds the address of a file, or undefined if the terminal has no hyperlinks. An address
 * contains only letters, digits and harmless punctuation, whatever the name of the file.
 */
export function linksOn({
  env,
  stdout,
  cwd,
}: Pick<Io, 'env' | 'stdout' | 'cwd'>): ((file: string) => string) | undefined {
  if (!stdout.isTerminal || !hasHyperlinks(env)) return undefined;
  return (file) => pathToFileURL(path.resolve(cwd || '/', file)).href;
}

/** As the package supports-hyperlinks tells it, and none from another machine, whose files the terminal does not have. */
export function hasHyperlinks(env: Io['env']): boolean {
  const forced = env['FORCE_HYPERLINK'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if (['CI', 'TEAMCITY_VERSION', 'SSH_CONNECTION', 'SSH_TTY'].some((name) => env[name]) || env['TERM'] === 'dumb')
    return false;
  if (env['WT_SESSION'] || /^(?:alacritty|xterm-kitty|xterm-ghostty|foot.*)$/.test(env['TERM'] ?? '')) return true;
  const version = env['TERM_PROGRAM_VERSION'] ?? '';
  switch (env['TERM_PROGRAM']) {
    case 'iTerm.app':
      return isFrom(version, [3, 1]);
    case 'WezTerm':
      return isFrom(version, [20_200_620]);
    case 'vscode':
      // Cursor counts for itself.
      return env['CURSOR_TRACE_ID'] !== undefined || isFrom(version, [1, 72]);
    case 'ghostty':
    case 'zed':
      return true;
    default:
      return isGoodVte(env['VTE_VERSION'] ?? '');
  }
}

/** Version 0.50.0 crashed on them. It is written as 5000, or 0.50.0. */
function isGoodVte(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = /^\d{3,4}$/.test(version)
    ? [0, Number(version.slice(0, -2)), Number(version.slice(-2))]
    : numbersIn(version);
  return major > 0 || minor > 50 || (minor === 50 && patch > 0);
}

function isFrom(version: string, [major, minor = 0]: readonly [number, number?]): boolean {
  const [itsMajor = 0, itsMinor = 0] = numbersIn(version);
  return itsMajor > major || (itsMajor === major && itsMinor >= minor);
}

function numbersIn(version: string): readonly number[] {
  return version.split(/[.-]/).map((part) => Number.parseInt(part, 10) || 0);
}
