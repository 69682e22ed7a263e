import { servePlugin } from '#lab/plugin-process/child/program.js';
import { buildPiPackages } from './pi-packages.js';
import { serveHook } from './serve-hook.js';
import { UnsupportedCalls } from './unsupported-calls.js';

/** The program that runs in its own process with a module of the user. */
const notRun = new UnsupportedCalls();
servePlugin({
  serveHook: (exported) => serveHook(exported, notRun),
  packages: (isInstalled) => buildPiPackages(notRun, isInstalled),
});
