import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { signalTree } from '#platform/process-tree.js';

it('a tree of processes is ended on Windows by the program of the system, wherever ctx runs', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'ctx-tree-'));
  const said = path.join(root, 'said');
  mkdirSync(path.join(root, 'System32'));
  const program = path.join(root, 'System32/taskkill.exe');
  writeFileSync(program, `#!/bin/sh\necho "$@" > '${said}'\n[ "$2" = 12 ]\n`, { mode: 0o755 });
  const system = { platform: 'win32' as const, env: { SystemRoot: root } };
  expect(signalTree(12, 'SIGTERM', system)).toBe(true);
  expect(readFileSync(said, 'utf8')).toBe('/pid 12 /T /F\n');
  // No system has a process of this number.
  expect(signalTree(2 ** 30, 'SIGKILL', system)).toBe(false);
  rmSync(root, { recursive: true });
});
