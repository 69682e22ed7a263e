import { expect, it } from 'vitest';
import { hasHyperlinks } from '#ui/terminal/hyperlinks.js';

it.each<[Readonly<Record<string, string>>, boolean]>([
  [{}, false],
  [{ TERM: 'xterm-256color' }, false],
  [{ TERM: 'xterm-kitty' }, true],
  [{ TERM: 'alacritty' }, true],
  [{ TERM: 'foot-extra' }, true],
  [{ TERM: 'xterm-kitty', CI: 'true' }, false],
  [{ TERM: 'xterm-kitty', SSH_TTY: '/dev/pts/1' }, false],
  [{ TERM: 'xterm-kitty', FORCE_HYPERLINK: '0' }, false],
  [{ FORCE_HYPERLINK: '1', CI: 'true' }, true],
  [{ FORCE_HYPERLINK: '' }, true],
  [{ TERM: 'dumb', WT_SESSION: 'x' }, false],
  [{ WT_SESSION: 'x' }, true],
  [{ VTE_VERSION: '4902' }, false],
  [{ VTE_VERSION: '5000' }, false],
  [{ VTE_VERSION: '0.50.0' }, false],
  [{ VTE_VERSION: '0.50.1' }, true],
  [{ VTE_VERSION: '6800' }, true],
  [{ TERM_PROGRAM: 'iTerm.app', TERM_PROGRAM_VERSION: '3.0.15' }, false],
  [{ TERM_PROGRAM: 'iTerm.app', TERM_PROGRAM_VERSION: '3.1.0' }, true],
  [{ TERM_PROGRAM: 'iTerm.app', TERM_PROGRAM_VERSION: '4.0' }, true],
  [{ TERM_PROGRAM: 'WezTerm', TERM_PROGRAM_VERSION: '20200608-110940' }, false],
  [{ TERM_PROGRAM: 'WezTerm', TERM_PROGRAM_VERSION: '20240203-110809' }, true],
  [{ TERM_PROGRAM: 'vscode', TERM_PROGRAM_VERSION: '1.71.9' }, false],
  [{ TERM_PROGRAM: 'vscode', TERM_PROGRAM_VERSION: '1.72.0' }, true],
  [{ TERM_PROGRAM: 'vscode', TERM_PROGRAM_VERSION: '0.45.0', CURSOR_TRACE_ID: 'x' }, true],
  [{ TERM_PROGRAM: 'ghostty' }, true],
  [{ TERM_PROGRAM: 'Apple_Terminal', TERM_PROGRAM_VERSION: '455' }, false],
])('%j: %s', (env, expected) => {
  expect(hasHyperlinks(env)).toBe(expected);
});
