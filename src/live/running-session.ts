import type { Files } from '#platform/files/files.js';
import type { FoundConfig } from '#platform/files/load-config.js';
import type { Io } from '#platform/io.js';
import { toByteSource } from '#session/scan/byte-source.js';
import type { PiContext } from './pi.js';

/** The name of the session of a running Pi in command lines and in what they print. */
export const RUNNING_SESSION = 'this-session';

/** A session that Pi has open. */
interface RunningSession {
  /** The file; null: the session is only in memory, or not written yet, so that nothing can be appended. */
  readonly file: string | null;
  /** The session as Pi would write it, if there is no file. */
  bytes(): Uint8Array;
  /** The context window of the model; it counts if no configuration has one. */
  readonly limit: number | undefined;
  /** Whether the user trusts the project, so that its configuration is read. */
  readonly isTrusted: boolean;
}

export function readSessionOfPi(ctx: PiContext, exists: Files['exists']): RunningSession {
  const { sessionManager: sessions, model } = ctx;
  const file = sessions.getSessionFile();
  return {
    file: file !== undefined && exists(file) ? file : null,
    bytes: () =>
      Buffer.from([sessions.getHeader(), ...sessions.getEntries()].map((line) => `${JSON.stringify(line)}\n`).join('')),
    limit: model && model.contextWindow > 0 ? model.contextWindow : undefined,
    isTrusted: ctx.isProjectTrusted(),
  };
}

/** The world of a command that runs inside Pi: its session is `latest`, and has a short name. */
export function useRunningSession(running: RunningSession): (io: Io) => Io {
  return (io) => ({
    ...io,
    env: { ...io.env, PI_SESSION_FILE: RUNNING_SESSION },
    files: serveRunningFile(io.files, running),
    configs: useTrustedConfigs(io.configs, running),
    // Threads would open the session by its short name.
    startThreads: () => Promise.resolve(null),
    partScanner: () => Promise.resolve(null),
  });
}

function serveRunningFile(files: Files, { file, bytes }: RunningSession): Files {
  const real = (name: string): string => (name === RUNNING_SESSION && file !== null ? file : name);
  const isMemory = (name: string): boolean => name === RUNNING_SESSION && file === null;
  return {
    ...files,
    open: async (name) => (isMemory(name) ? toByteSource(bytes()) : files.open(real(name))),
    exists: (name) => name === RUNNING_SESSION || files.exists(name),
    isPipe: (name) => !isMemory(name) && files.isPipe(real(name)),
    // Pi reads the session again after each change, so a recent one needs no warning.
    modified: (name) => (name === RUNNING_SESSION ? 0 : files.modified(name)),
    beginning: (name, most) => (isMemory(name) ? bytes().subarray(0, most) : files.beginning(real(name), most)),
    ending: (name, most) => (isMemory(name) ? bytes().subarray(-most) : files.ending(real(name), most)),
    walk(name, options) {
      if (name !== RUNNING_SESSION) return files.walk(name, options);
      const size = file === null ? bytes().length : (files.walk(file).files[0]?.size ?? 0);
      return { files: [{ file: RUNNING_SESSION, size, modified: 0 }], unreadable: [], isFolder: false };
    },
    createNew: (name, options) =>
      files.createNew(real(name), { ...options, like: options.like === null ? null : real(options.like) }),
    openToAppend: (name) => files.openToAppend(real(name)),
    processesWith: (name) => (isMemory(name) ? Promise.resolve([]) : files.processesWith(real(name))),
  };
}

function useTrustedConfigs(configs: Io['configs'], { limit, isTrusted }: RunningSession): Io['configs'] {
  return {
    ...configs,
    // A project that Pi trusts may act, whatever the user has allowed on the command line.
    async find(folder) {
      const file = isTrusted ? configs.nearest(folder) : null;
      return file === null ? null : { file, value: await configs.load(file), isTrusted };
    },
    findPlain: async (folder) => (isTrusted ? toTrusted(await configs.findPlain(folder)) : null),
    async user() {
      const found = await configs.user();
      const configured = found?.value as object | undefined;
      const value = limit === undefined ? { ...configured } : { limit, ...configured };
      return { file: found?.file ?? '', isTrusted: true, value };
    },
  };
}

function toTrusted(found: FoundConfig | null): FoundConfig | null {
  return found && { ...found, isTrusted: true };
}
