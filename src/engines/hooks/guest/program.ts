import { serveGuest } from '#platform/plugin-process/child/program.js';
import { serveHook } from './serve-hook.js';
import { NotRun, piPackages } from './stand-in.js';

/** The program that runs in its own process with a module of the user. */
const notRun = new NotRun();
serveGuest({
  serveHook: (exported) => serveHook(exported, notRun),
  packages: (isInstalled) => piPackages(notRun, isInstalled),
});
