import { installParts } from './live/install-parts.js';
import { createLive } from './live/live.js';
import { parts } from './live/parts.js';
import type { Pi } from './live/pi.js';
import { createNodeIo } from './platform/io.js';
import type { StartPlugin } from './platform/plugin.js';

/** The extension of Pi. It loads the command line, which is bundled on its own, at the first command. */
export default function extension(pi: Pi): void {
  const live = createLive(createNodeIo(process, startPlugin), () => import('./main.js'));
  installParts(pi, live, parts);
}

/** The program of a module's process is beside the command line. */
const PLUGIN = new URL('../cli/plugin.js', import.meta.url);

const startPlugin: StartPlugin = async (start) =>
  (await import('./lab/plugin-process/plugin.js')).startPlugin(start, PLUGIN);
