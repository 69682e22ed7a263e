import { spawnSync } from 'node:child_process';

/** Tests that need a program which not every machine has: they are there where it is. */
export function withProgram(program: string, tests: () => void): void {
  if (spawnSync(program, ['--version']).error === undefined) tests();
}
