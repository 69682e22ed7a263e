import { EventEmitter } from 'node:events';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import { type Disk, nodeDisk } from '#platform/files/disk.js';
import { createNewFile, type NewFileOptions } from '#platform/files/new-file.js';
import { beginCommand, type Interrupts } from '#platform/files/signals.js';

let folder = '';
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(tmpdir(), 'ctx-new-file-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

const at = (name: string): string => path.join(folder, name);
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const USUAL: NewFileOptions = { force: false, like: null };

/** A process of which only the signals matter. */
class FakeProcess extends EventEmitter {
  readonly pid = 1;
  readonly killed: unknown[] = [];
  kill(_pid: number, signal?: string | number): true {
    this.killed.push(signal);
    return true;
  }
}

function worldWith(changed: Partial<Disk>): {
  readonly disk: Disk;
  readonly interrupts: Interrupts;
  events: FakeProcess;
} {
  const events = new FakeProcess();
  return { disk: { ...nodeDisk, ...changed }, interrupts: events as unknown as Interrupts, events };
}

/** A world in which one command runs, and what ends it. */
function commandWith(changed: Partial<Disk>) {
  const world = worldWith(changed);
  return { ...world, end: beginCommand(world.interrupts) };
}

function failing(code: string): never {
  throw Object.assign(new Error(code), { code });
}

async function written(name: string, text: string, options = USUAL, changed: Partial<Disk> = {}): Promise<void> {
  const file = createNewFile(at(name), options, worldWith(changed));
  await file.write(bytes(text));
  file.commit();
}

/** The error of something that is refused. */
async function refused(act: () => unknown): Promise<CtxError> {
  try {
    await act();
  } catch (error) {
    if (error instanceof CtxError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('a new file', () => {
  it('is there when it is whole, and nothing else is', async () => {
    const file = createNewFile(at('new'), USUAL);
    await file.write(bytes('one '));
    await file.write(bytes('two'));
    expect(fs.existsSync(at('new'))).toBe(false);
    file.commit();
    expect(fs.readFileSync(at('new'), 'utf8')).toBe('one two');
    expect(fs.readdirSync(folder)).toEqual(['new']);
  });

  it('leaves nothing behind when it is given up', async () => {
    const file = createNewFile(at('new'), USUAL);
    await file.write(bytes('one'));
    file.abandon();
    file.abandon();
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it('can be taken back after it was written', async () => {
    const file = createNewFile(at('new'), USUAL);
    file.commit();
    file.abandon();
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it('has the permissions of the one that it is made from', async () => {
    fs.writeFileSync(at('old'), '');
    for (const mode of [0o600, 0o640, 0o666, 0o755]) {
      fs.chmodSync(at('old'), mode);
      await written(`new-${mode}`, '', { force: false, like: at('old') });
      expect(fs.statSync(at(`new-${mode}`)).mode & 0o777).toBe(mode);
    }
  });

  it('is written whole where the system takes only a part of it at a time', async () => {
    const write: Disk['write'] = (descriptor, piece) => nodeDisk.write(descriptor, piece.subarray(0, 3));
    await written('new', 'ten letters', USUAL, { write });
    expect(fs.readFileSync(at('new'), 'utf8')).toBe('ten letters');
  });

  it('is on the disk before it has its name', async () => {
    const steps: string[] = [];
    const told =
      <Args extends readonly unknown[], Result>(name: string, act: (...args: Args) => Result) =>
      (...args: Args): Result => {
        steps.push(name);
        return act(...args);
      };
    const { write, flush, link, flushFolder } = nodeDisk;
    await written('new', 'x', USUAL, {
      write: told('write', write),
      flush: told('flush', flush),
      link: told('link', link),
      flushFolder: told('flushFolder', flushFolder),
    });
    expect(steps).toEqual(['write', 'flush', 'link', 'flushFolder']);
  });
});

describe('a file that is there', () => {
  beforeEach(() => fs.writeFileSync(at('there'), 'old'));

  it('stays', async () => {
    expect(await refused(() => createNewFile(at('there'), USUAL))).toMatchObject({
      kind: 'refused',
      where: at('there'),
      hint: 'use --force to overwrite',
    });
    expect(fs.readFileSync(at('there'), 'utf8')).toBe('old');
  });

  it('is replaced if that is asked for', async () => {
    await written('there', 'new', { force: true, like: null });
    expect(fs.readFileSync(at('there'), 'utf8')).toBe('new');
  });

  it('stays also if it came while the new one was written', async () => {
    const file = createNewFile(at('late'), USUAL);
    await file.write(bytes('new'));
    fs.writeFileSync(at('late'), 'from somebody else');
    expect((await refused(() => file.commit())).message).toBe('the file already exists');
    expect(fs.readFileSync(at('late'), 'utf8')).toBe('from somebody else');
    expect(fs.readdirSync(folder)).toEqual(['late', 'there']);
  });

  it.each(['EPERM', 'ENOTSUP', 'EMLINK'])('stays where the system has no second names (%s)', async (code) => {
    const link = (): never => failing(code);
    await written('new', 'new', USUAL, { link });
    expect(fs.readFileSync(at('new'), 'utf8')).toBe('new');
    const file = createNewFile(at('late'), USUAL, worldWith({ link }));
    fs.writeFileSync(at('late'), 'from somebody else');
    expect((await refused(() => file.commit())).kind).toBe('refused');
    expect(fs.readFileSync(at('late'), 'utf8')).toBe('from somebody else');
    expect(fs.readdirSync(folder)).toEqual(['late', 'new', 'there']);
  });

  it('is never the one that the new one is made from', async () => {
    fs.symlinkSync('there', at('link'));
    fs.linkSync(at('there'), at('hard'));
    for (const name of ['there', 'link', 'hard']) {
      const error = await refused(() => createNewFile(at(name), { force: true, like: at('there') }));
      expect(error.message).toBe('this is the session itself, which is never overwritten');
    }
    expect(fs.readFileSync(at('there'), 'utf8')).toBe('old');
  });
});

describe('a symbolic link', () => {
  it.each([true, false])('stays as it is, whether it leads to a file: %s', async (leadsToFile) => {
    if (leadsToFile) fs.writeFileSync(at('file'), 'old');
    fs.symlinkSync('file', at('link'));
    expect((await refused(() => createNewFile(at('link'), USUAL))).kind).toBe('refused');
    await written('link', 'new', { force: true, like: null });
    expect(fs.lstatSync(at('link')).isSymbolicLink()).toBe(true);
    expect(fs.readFileSync(at('file'), 'utf8')).toBe('new');
  });

  it('may lead through other folders', async () => {
    fs.mkdirSync(at('a/b'), { recursive: true });
    fs.symlinkSync('a/b', at('deep'));
    fs.symlinkSync('../file', at('a/b/link'));
    await written('deep/link', 'new', { force: true, like: null });
    expect(fs.readFileSync(at('a/file'), 'utf8')).toBe('new');
  });

  it('that leads to itself is refused', async () => {
    fs.symlinkSync('loop', at('loop'));
    expect((await refused(() => createNewFile(at('loop'), USUAL))).message).toBe('too many symbolic links');
  });
});

describe('it is refused', () => {
  it('where there is no such folder', async () => {
    fs.writeFileSync(at('file'), '');
    for (const name of ['none/new', 'file/new']) {
      const error = await refused(() => createNewFile(at(name), USUAL));
      expect([error.kind, error.message, error.hint]).toEqual([
        'refused',
        'no such folder',
        'create the folder first, or choose another one',
      ]);
    }
  });

  it('to write over a folder or a device', async () => {
    fs.mkdirSync(at('folder'));
    for (const force of [true, false]) {
      expect((await refused(() => createNewFile(at('folder'), { force, like: null }))).message).toBe(
        'this is a folder',
      );
      expect((await refused(() => createNewFile('/dev/null', { force, like: null }))).message).toBe(
        'this is a device or a pipe, not a file',
      );
    }
  });

  it('with a name that is too long', async () => {
    const error = await refused(() => createNewFile(at('x'.repeat(300)), USUAL));
    expect(error.message).toBe('the file name is too long');
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['EACCES', 'no permission to write in this folder'],
    ['EROFS', 'the file system is read-only'],
    ['EWEIRD', 'cannot write the file (EWEIRD)'],
  ])('where nothing can be made (%s)', async (code, what) => {
    const error = await refused(() => createNewFile(at('new'), USUAL, worldWith({ create: () => failing(code) })));
    expect([error.kind, error.message]).toEqual(['refused', what]);
  });
});

describe('nothing is left', () => {
  const full = (): never => failing('ENOSPC');

  it('of a file that the disk has no room for', async () => {
    let room = 10;
    const write: Disk['write'] = (descriptor, piece) => {
      if (room === 0) full();
      const part = piece.subarray(0, room);
      room -= part.length;
      return nodeDisk.write(descriptor, part);
    };
    const file = createNewFile(at('new'), USUAL, worldWith({ write }));
    const error = await refused(() => file.write(bytes('more than ten letters')));
    expect([error.kind, error.message]).toEqual(['refused', 'no space is left on the disk; nothing was written']);
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['flush', { flush: full }],
    ['close', { close: full }],
    ['link', { link: full }],
    ['rename', { link: () => failing('EPERM'), rename: full }],
  ])('when the last step fails: %s', async (_name, changed: Partial<Disk>) => {
    const file = createNewFile(at('new'), USUAL, worldWith(changed));
    await file.write(bytes('x'));
    expect((await refused(() => file.commit())).kind).toBe('refused');
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it('when the permissions cannot be set', async () => {
    fs.writeFileSync(at('old'), '');
    const world = worldWith({ setMode: () => failing('EPERM') });
    expect((await refused(() => createNewFile(at('new'), { force: false, like: at('old') }, world))).kind).toBe(
      'refused',
    );
    expect(fs.readdirSync(folder)).toEqual(['old']);
    expect(world.events.eventNames()).toEqual([]);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'])(
    'when it is interrupted by %s, which goes on to end the run',
    async (signal) => {
      fs.writeFileSync(at('old'), 'old');
      const world = worldWith({});
      const file = createNewFile(at('old'), { force: true, like: null }, world);
      await file.write(bytes('new'));
      world.events.emit(signal, signal);
      expect(world.events.killed).toEqual([signal]);
      expect(fs.readdirSync(folder)).toEqual(['old']);
      expect(fs.readFileSync(at('old'), 'utf8')).toBe('old');
    },
  );

  it('when the process ends', async () => {
    const world = worldWith({});
    createNewFile(at('new'), USUAL, world);
    world.events.emit('exit', 70);
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it('to watch afterwards', async () => {
    const world = worldWith({});
    createNewFile(at('one'), USUAL, world).commit();
    createNewFile(at('two'), USUAL, world).abandon();
    expect(world.events.eventNames()).toEqual([]);
  });
});

describe('a signal after a file is whole', () => {
  it('ends the process of an agent or a library, which is no command', async () => {
    const world = worldWith({});
    createNewFile(at('one'), USUAL, world).commit();
    expect(world.events.eventNames()).toEqual([]);
  });

  it('lets the command end, so that it reports what it has written', async () => {
    const world = commandWith({});
    createNewFile(at('one'), USUAL, world).commit();
    world.events.emit('SIGINT', 'SIGINT');
    expect(world.events.killed).toEqual([]);
    expect(fs.readdirSync(folder)).toEqual(['one']);
    world.end();
    expect([world.events.killed, world.events.eventNames()]).toEqual([[], []]);
  });

  it('ends the command before it begins another file', async () => {
    const world = commandWith({});
    createNewFile(at('one'), USUAL, world).commit();
    world.events.emit('SIGTERM', 'SIGTERM');
    createNewFile(at('two'), USUAL, world);
    expect(world.events.killed).toEqual(['SIGTERM']);
  });

  it('ends the command if it comes twice', async () => {
    const world = commandWith({});
    createNewFile(at('one'), USUAL, world).commit();
    world.events.emit('SIGINT', 'SIGINT');
    world.events.emit('SIGINT', 'SIGINT');
    expect(world.events.killed).toEqual(['SIGINT']);
    expect(world.events.eventNames()).toEqual([]);
  });
});

it('a file is gone before signals are no longer watched', () => {
  const world = worldWith({
    remove(file) {
      expect(world.events.listenerCount('SIGTERM')).toBe(1);
      nodeDisk.remove(file);
    },
  });
  createNewFile(at('new'), USUAL, world).abandon();
  expect([fs.readdirSync(folder), world.events.listenerCount('SIGTERM')]).toEqual([[], 0]);
});
