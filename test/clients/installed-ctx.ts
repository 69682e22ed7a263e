import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { projectFolder } from '../support/files.js';
import type { World } from './client.js';

/**
 * Puts `ctx` where the client finds it. Returns the file with the arguments of each run, and whether it was told the folder of
 * Codex. A watched run is refused the network and other programs, and the file tells that it asked.
 */
export function installCtx(world: World, { isWatched = false } = {}): string {
  const log = path.join(world.programs, 'runs.txt');
  const program = path.join(projectFolder, 'bin/ctx.js');
  const watch = isWatched ? `--require '${writeWatch(world, log)}'` : '';
  const script = `#!/bin/sh\necho "$*\${CODEX_HOME:+, with CODEX_HOME}" >> '${log}'\nexec '${process.execPath}' ${watch} '${program}' "$@"\n`;
  world.write(path.join(world.programs, 'ctx'), script, 0o755);
  // Codex runs commands in a login shell, which begins with the PATH of the system.
  world.write(path.join(world.home, '.bash_profile'), `export PATH='${world.programs}':"$PATH"\n`);
  return log;
}

const ASKED = 'asked for';

function writeWatch(world: World, log: string): string {
  const file = path.join(world.programs, 'watch.cjs');
  const traps = path.join(projectFolder, 'test/security/traps.cjs');
  world.write(
    file,
    `const { asked } = require(${JSON.stringify(traps)});
process.on('exit', () => {
  if (asked.length > 0) require('node:fs').appendFileSync(${JSON.stringify(log)}, \`${ASKED} \${asked.join(' ')}\\n\`);
});
`,
  );
  return file;
}

/** The calls of the network and of other programs that watched runs were refused. */
export function askedIn(log: string): readonly string[] {
  return runsIn(log).filter((line) => line.startsWith(ASKED));
}

/** The arguments of each run of `ctx`. */
export function runsIn(log: string): readonly string[] {
  return existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : [];
}
