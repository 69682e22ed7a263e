import type { RunMain } from '#live/command-line.js';
import type { Live } from '#live/define.js';
import { createLive } from '#live/live.js';
import type { Io } from '#platform/io.js';

/** The services of parts, with the configuration of the user and of the project, and without a command line by default. */
export function liveWith(
  { user = null, project = null }: { user?: unknown; project?: unknown } = {},
  load: () => Promise<RunMain> = () => Promise.reject(new Error('no command line')),
  io: Partial<Io> = {},
): Live {
  const found = (file: string, value: unknown) =>
    Promise.resolve(value === null ? null : { file, value, isTrusted: true });
  const configs = {
    user: () => found('/home/ada/.config/ctx/config.json', user),
    find: () => found('/home/ada/weather/ctx.config.json', project),
    findPlain: () => found('/home/ada/weather/ctx.config.json', project),
    load: () => Promise.reject(new Error('no configuration is named')),
    nearest: () => null,
    trusted: { has: () => false, list: () => [], add() {}, remove: () => false },
  };
  const followEngine = (): Promise<never> => Promise.reject(new Error('no engine'));
  return createLive({ ...(io as Io), configs }, async () => ({ run: await load(), followEngine }));
}
