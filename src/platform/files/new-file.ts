import path from 'node:path';
import { attempt, CtxError } from '#base/errors.js';
import { type Disk, type FileWorld, nodeDisk } from './disk.js';
import { finishBeforeSignals, passSignals, SIGNALS } from './signals.js';
import { buildUnfinishedName, removeAbandoned } from './unfinished-files.js';
import { explainWriteErrors, toWriteError } from './write-errors.js';

export interface NewFileOptions {
  /** Replace an existing file. */
  readonly force: boolean;
  /** The source of the file: it must be another file, and its permissions are copied. null: there is none. */
  readonly like: string | null;
  /** Whether only the user may read the file. */
  readonly isPrivate?: boolean;
  /** It may replace its source. */
  readonly inPlace?: boolean;
}

/** A file that becomes visible only when it is complete. */
export interface NewFile {
  write(bytes: Uint8Array): Promise<void>;
  /** Gives the file its name, and waits until it is on the disk. */
  commit(): void;
  /** Removes the written data; after `commit` as well, unless another file was replaced. Can be called at any time. */
  abandon(): void;
}

/** A new file on the disk. */
interface UnfinishedFile extends NewFile {
  /** The name that it has until it is complete. */
  readonly unfinished: string;
}

/**
 * Starts a new file next to its final place. On any error, the place is unchanged. Throws a
 * CtxError (refused) with a hint.
 */
export function createNewFile(
  file: string,
  options: NewFileOptions,
  world: FileWorld = { disk: nodeDisk, interrupts: process },
): UnfinishedFile {
  const { disk } = world;
  const target = explainWriteErrors(file, () => findTarget(file, options, disk));
  removeAbandoned(path.dirname(target));
  const writing = explainWriteErrors(file, () => new NewFileWriter(target, options, world));
  return {
    unfinished: writing.temporary,
    write: (bytes) => writing.write(bytes).catch((error: unknown) => writing.fail(file, error)),
    commit() {
      try {
        writing.commit();
      } catch (error) {
        writing.fail(file, error);
      }
    },
    abandon: () => writing.abandon(),
  };
}

/** The final place of the file: a symbolic link is kept, and its target is replaced. */
function findTarget(file: string, { force, like, inPlace = false }: NewFileOptions, disk: Disk): string {
  const target = disk.resolve(file);
  const there = disk.look(target);
  const original = like === null ? null : disk.look(like);
  if (there && there.identity === original?.identity && !inPlace) {
    throw new CtxError('refused', 'this is the session itself, which is never overwritten', {
      where: file,
      hint: 'choose another name for the new file',
    });
  }
  if (there && !there.isFile) {
    throw new CtxError('refused', there.isFolder ? 'this is a folder' : 'this is a device or a pipe, not a file', {
      where: file,
      hint: 'pass a file',
    });
  }
  if ((there || target !== file) && !force) throw buildExistsError(file);
  return target;
}

function buildExistsError(file: string): CtxError {
  return new CtxError('refused', 'the file already exists', {
    where: file,
    hint: 'use --force to overwrite',
  });
}

/** The number of bytes to write before other tasks, such as an interrupt, get a turn. */
const BYTES_AT_A_TIME = 1 << 24;

/** The errors of systems that cannot give a file a second name. */
const NO_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

class NewFileWriter {
  readonly temporary: string;
  private descriptor: number | null = null;
  private state: 'begun' | 'committed' | 'gone' = 'begun';
  private sinceRest = 0;

  constructor(
    private readonly target: string,
    private readonly options: NewFileOptions,
    private readonly world: FileWorld,
  ) {
    const { disk, interrupts } = world;
    passSignals(interrupts);
    const mode = options.like === null ? undefined : disk.look(options.like)?.mode;
    this.temporary = path.join(path.dirname(target), buildUnfinishedName());
    // Registered before the file exists, so that no signal comes between the two.
    for (const signal of SIGNALS) interrupts.on(signal, this.interrupt);
    interrupts.on('exit', this.abandon);
    this.orAbandon(() => {
      this.descriptor = disk.create(this.temporary, mode === undefined && !options.isPrivate ? 'usual' : 'private');
      if (mode !== undefined) disk.setMode(this.descriptor, mode);
    });
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let written = 0; written < bytes.length;)
      written += this.world.disk.write(this.openDescriptor(), bytes.subarray(written));
    this.sinceRest += bytes.length;
    if (this.sinceRest < BYTES_AT_A_TIME) return;
    this.sinceRest = 0;
    await new Promise((resolve) => void setImmediate(resolve));
  }

  commit(): void {
    const { disk } = this.world;
    disk.flush(this.openDescriptor());
    this.close();
    if (this.options.force) disk.rename(this.temporary, this.target);
    else this.takeFreeName();
    this.state = 'committed';
    // The file is whole, so an interrupt may no longer end the command as if nothing had been written.
    finishBeforeSignals(this.world.interrupts);
    this.stopWatching();
    disk.flushFolder(path.dirname(this.target));
  }

  readonly abandon = (): void => {
    const { state, world } = this;
    this.state = 'gone';
    if (state === 'begun') {
      ignoreErrors(() => this.close());
      ignoreErrors(() => world.disk.remove(this.temporary));
    } else if (state === 'committed' && !this.options.force) ignoreErrors(() => world.disk.remove(this.target));
    // Last, since a signal that nothing watches for ends the process at once, also before the file is removed.
    this.stopWatching();
  };

  fail(file: string, error: unknown): never {
    if (this.state === 'begun') this.abandon();
    throw toWriteError(file, error);
  }

  /** Takes a name only if it is free at this moment. */
  private takeFreeName(): void {
    const { disk } = this.world;
    try {
      disk.link(this.temporary, this.target);
      ignoreErrors(() => disk.remove(this.temporary));
    } catch (error) {
      if (!NO_LINKS.has((error as NodeJS.ErrnoException).code)) throw error;
      // An empty file reserves the name until the complete one replaces it.
      disk.close(disk.create(this.target, 'private'));
      this.orAbandon(() => disk.rename(this.temporary, this.target), this.target);
    }
  }

  private readonly interrupt = (signal: NodeJS.Signals): void => {
    this.abandon();
    // If there is no other listener, it terminates the process as if it had not been caught.
    this.world.interrupts.kill(this.world.interrupts.pid, signal);
  };

  private stopWatching(): void {
    const { interrupts } = this.world;
    for (const signal of SIGNALS) interrupts.off(signal, this.interrupt);
    interrupts.off('exit', this.abandon);
  }

  private orAbandon(act: () => void, alsoRemove?: string): void {
    try {
      act();
    } catch (error) {
      if (alsoRemove !== undefined) ignoreErrors(() => this.world.disk.remove(alsoRemove));
      this.abandon();
      throw error;
    }
  }

  private openDescriptor(): number {
    if (this.descriptor === null) throw new Error('the file is closed');
    return this.descriptor;
  }

  private close(): void {
    const { descriptor } = this;
    this.descriptor = null;
    if (descriptor !== null) this.world.disk.close(descriptor);
  }
}

/** Nothing can be done about a failure, and a more important error is being reported. */
function ignoreErrors(act: () => void): void {
  attempt(act, undefined);
}
