import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import { buildDraft, buildPlan } from '#change/plan/draft.js';
import type { Plan } from '#change/plan/plan.js';
import { type ApplyOptions, applyPlan } from '#change/write/apply-plan.js';
import { encodeEntries } from '#change/write/encode-entries.js';
import type { WriteResult } from '#change/write/write-contract.js';
import { openToAppend, takeLock } from '#platform/files/append-file.js';
import { type Disk, nodeDisk } from '#platform/files/disk.js';
import { nodeFiles } from '../../../src/platform/files/node-files.js';
import { readSession } from '../../../src/session/read-session.js';
import { toByteSource } from '../../../src/session/scan/byte-source.js';
import { entry, HEADER, lines, TALK, user } from '../../support/entries.js';
import { isWhole } from '../../support/runs.js';

let folder = '';
let file = '';
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(tmpdir(), 'ctx-append-'));
  file = path.join(folder, 's.jsonl');
  fs.writeFileSync(file, BEFORE);
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

const BEFORE = lines(HEADER, ...TALK);
const OTHER = lines(user('u9', 'a2', 'from somebody else'));

function planFor(name = file): Plan {
  const session = readSession(toByteSource(fs.readFileSync(name)), name);
  const entries = [
    entry('context_edit', 'e1', 'a2', { targetId: 'u1', replacement: null }),
    user('u3', 'e1', 'x'.repeat(9000)),
    entry('custom', 'c1', 'u3', { customType: 'note' }),
  ];
  return buildPlan(buildDraft(session, entries), 'test');
}

function apply(plan: Plan, changed: Partial<Disk> = {}, options: ApplyOptions = {}): Promise<WriteResult> {
  const disk = { ...nodeDisk, ...changed };
  const files = {
    ...nodeFiles,
    openToAppend: (name: string) => openToAppend(name, { disk, lock: takeLock, interrupts: process }),
  };
  return applyPlan({ files, now: Date.now }, plan, options);
}

async function refused(act: Promise<unknown>): Promise<string> {
  try {
    await act;
  } catch (error) {
    if (error instanceof CtxError && error.kind === 'refused') return error.message;
    throw error;
  }
  throw new Error('it was not refused');
}

const text = (name = file): string => fs.readFileSync(name, 'utf8');
const after = (plan: Plan): string => BEFORE + Buffer.from(encodeEntries(plan)).toString();
const names = (): readonly string[] => fs.readdirSync(folder).toSorted();

function failing(code: string): never {
  throw Object.assign(new Error(code), { code });
}

describe('a plan', () => {
  it('is appended in one write, behind what is there', async () => {
    const plan = planFor();
    const writes: number[] = [];
    const write: Disk['write'] = (descriptor, bytes) => {
      writes.push(bytes.length);
      return nodeDisk.write(descriptor, bytes);
    };
    const applied = await apply(plan, { write });
    expect(text()).toBe(after(plan));
    expect(names()).toEqual(['s.jsonl']);
    // The journal, then the lines.
    expect(writes).toHaveLength(2);
    expect(writes[1]).toBe(encodeEntries(plan).length);
    expect(applied).toMatchObject({ file, oldSize: BEFORE.length, newSize: text().length });
  });

  it('follows symbolic links, and keeps them and the permissions', async () => {
    fs.chmodSync(file, 0o640);
    const link = path.join(folder, 'link.jsonl');
    fs.symlinkSync('s.jsonl', link);
    const plan = planFor(link);
    await apply(plan);
    expect(text()).toBe(after(plan));
    expect(fs.readlinkSync(link)).toBe('s.jsonl');
    expect(fs.statSync(file).mode & 0o777).toBe(0o640);
  });

  it('says which processes have the session open', async () => {
    const { notes } = await apply(planFor(), { processesWith: () => [42] });
    expect(notes.join()).toContain('process 42 has the file open');
  });

  it('finds a process that has the file open', async () => {
    const { spawn } = await import('node:child_process');
    const child = spawn('sleep', ['20'], { stdio: [fs.openSync(file, 'r'), 'ignore', 'ignore'] });
    try {
      expect(nodeDisk.processesWith(fs.realpathSync(file))).toContain(child.pid);
    } finally {
      child.kill();
    }
  });

  it('is not applied twice', async () => {
    const plan = planFor();
    await apply(plan);
    expect(await refused(apply(plan))).toContain('has changed since');
    expect(text()).toBe(after(plan));
  });

  it('of two that are applied at once, one is written and the other refused', async () => {
    const plan = planFor();
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => apply(plan)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(text()).toBe(after(plan));
    expect(names()).toEqual(['s.jsonl']);
  });

  it('does not wait for the lock of Pi', async () => {
    fs.mkdirSync(`${file}.lock`);
    expect(await refused(apply(planFor()))).toBe('another program is writing to this session');
    expect(text()).toBe(BEFORE);
  });

  it('takes a lock that was left behind', async () => {
    fs.mkdirSync(`${file}.lock`);
    fs.utimesSync(`${file}.lock`, new Date(0), new Date(0));
    const plan = planFor();
    await apply(plan);
    expect(text()).toBe(after(plan));
  });

  it('goes into a copy with --output, and the session stays', async () => {
    const plan = planFor();
    const output = path.join(folder, 'new.jsonl');
    await apply(plan, {}, { output });
    expect([text(), text(output)]).toEqual([BEFORE, after(plan)]);
    expect(await refused(apply(plan, {}, { output }))).toContain('the file already exists');
    expect(await refused(apply(plan, {}, { output: file, force: true }))).toContain('the session itself');
  });
});

describe('when something goes wrong, the session is as long as before', () => {
  it.each([
    ['the disk is full', () => failing('ENOSPC'), 'no space is left on the disk; nothing was written'],
    ['the disk fails', () => failing('EIO'), 'cannot write the file (EIO)'],
    [
      'only a part fits',
      (descriptor: number, bytes: Uint8Array) => nodeDisk.write(descriptor, bytes.subarray(0, 5000)),
      'no space is left on the disk; nothing was written',
    ],
    [
      'a part is written before it fails',
      (descriptor: number, bytes: Uint8Array) => {
        nodeDisk.write(descriptor, bytes.subarray(0, 300));
        return failing('EIO');
      },
      'cannot write the file (EIO)',
    ],
    [
      'something else arrives on the disk',
      (descriptor: number, bytes: Uint8Array) => {
        const wrong = bytes.map((byte) => (byte === 0x78 ? 0x79 : byte));
        return nodeDisk.write(descriptor, wrong);
      },
      'another program is writing to the session',
    ],
  ])('%s', async (_, act, error) => {
    let writes = 0;
    const write: Disk['write'] = (descriptor, bytes) => {
      writes += 1;
      // The first write is the journal.
      return writes === 1 ? nodeDisk.write(descriptor, bytes) : act(descriptor, bytes);
    };
    const plan = planFor();
    expect(await refused(apply(plan, { write }))).toContain(error);
    expect(text()).toBe(BEFORE);
    expect(names()).toEqual(['s.jsonl']);
  });

  it.each([
    ['the journal finds no room', { write: () => failing('ENOSPC') }, 'no space is left'],
    ['the folder is read-only', { create: () => failing('EACCES') }, 'no permission to write'],
    ['the disk is read-only', { openToAppend: () => failing('EROFS') }, 'the file system is read-only'],
    ['the file is gone', { openToAppend: () => failing('ENOENT') }, 'the file no longer exists'],
  ] satisfies readonly (readonly [string, Partial<Disk>, string])[])('%s', async (_, changed, error) => {
    expect(await refused(apply(planFor(), changed))).toContain(error);
    expect(text()).toBe(BEFORE);
    expect(names()).toEqual(['s.jsonl']);
  });

  it('the disk cannot be flushed', async () => {
    let flushes = 0;
    const flush: Disk['flush'] = () => {
      flushes += 1;
      if (flushes === 2) failing('EIO');
    };
    await refused(apply(planFor(), { flush }));
    expect(text()).toBe(BEFORE);
    expect(names()).toEqual(['s.jsonl']);
  });

  it('reads back as something that was not predicted', async () => {
    const plan = planFor();
    const other = { ...plan, predicted: { ...plan.predicted, sha256: 'f'.repeat(64) } };
    expect(await refused(apply(other))).toContain('differs from the plan');
    expect(text()).toBe(BEFORE);
    expect(names()).toEqual(['s.jsonl']);
  });

  it('there is no such file', async () => {
    const plan = planFor();
    fs.rmSync(file);
    await refused(apply(plan));
    expect(names()).toEqual([]);
  });

  it('has become a folder', async () => {
    const plan = planFor();
    fs.rmSync(file);
    fs.mkdirSync(file);
    await refused(apply(plan));
    expect(fs.readdirSync(file)).toEqual([]);
  });
});

describe('what others write at the same time is kept', () => {
  it('before the comparison: nothing is written', async () => {
    const plan = planFor();
    fs.appendFileSync(file, OTHER);
    expect(await refused(apply(plan))).toContain('has changed since');
    expect(text()).toBe(BEFORE + OTHER);
  });

  it('between the comparison and the write: what was appended is taken back', async () => {
    const plan = planFor();
    const create: Disk['create'] = (name, access) => {
      fs.appendFileSync(file, OTHER);
      return nodeDisk.create(name, access);
    };
    expect(await refused(apply(plan, { create }))).toContain('is writing to the session');
    expect(text()).toBe(BEFORE + OTHER);
    expect(names()).toEqual(['s.jsonl']);
  });

  it('after the write: both stay', async () => {
    const plan = planFor();
    let writes = 0;
    const write: Disk['write'] = (descriptor, bytes) => {
      writes += 1;
      const written = nodeDisk.write(descriptor, bytes);
      if (writes === 2) fs.appendFileSync(file, OTHER);
      return written;
    };
    await apply(plan, { write });
    expect(text()).toBe(after(plan) + OTHER);
  });

  it('after a write that failed: it is not cut off', async () => {
    let writes = 0;
    const write: Disk['write'] = (descriptor, bytes) => {
      writes += 1;
      if (writes === 1) return nodeDisk.write(descriptor, bytes);
      nodeDisk.write(descriptor, bytes.subarray(0, 100));
      fs.appendFileSync(file, `\n${OTHER}`);
      return 100;
    };
    const plan = planFor();
    await refused(apply(plan, { write }));
    expect(text().endsWith(OTHER)).toBe(true);
    expect(names()).toEqual(['s.jsonl', 's.jsonl.ctx-journal']);
    expect(await refused(apply(planFor()))).toContain('another program wrote after it');
    const next = planFor();
    await apply(next, {}, { force: true });
    expect(names()).toEqual(['s.jsonl']);
  });

  it.each(['before', 'after'])('the file is replaced %s the write: the new one is as it was', async (when) => {
    const plan = planFor();
    const other = path.join(folder, 'other.jsonl');
    fs.writeFileSync(other, OTHER);
    let writes = 0;
    const write: Disk['write'] = (descriptor, bytes) => {
      writes += 1;
      if (writes === 2 && when === 'before') fs.renameSync(other, file);
      const written = nodeDisk.write(descriptor, bytes);
      if (writes === 2 && when === 'after') fs.renameSync(other, file);
      return written;
    };
    expect(await refused(apply(plan, { write }))).toContain('another program replaced the file');
    expect(text()).toBe(OTHER);
    expect(names()).toEqual(['s.jsonl']);
  });

  it('the file shrinks while it is read', async () => {
    const plan = planFor();
    const readInto: Disk['readInto'] = (descriptor, target, start) => {
      fs.truncateSync(file, 100);
      return nodeDisk.readInto(descriptor, target, start);
    };
    await refused(apply(plan, { readInto }));
    expect(text()).toBe(BEFORE.slice(0, 100));
  });
});

describe('after a process was killed', () => {
  /** Leaves the files as a process that died at some moment. */
  async function killedAfter(plan: Plan, bytes: number): Promise<void> {
    const files: Record<string, string> = {};
    const write: Disk['write'] = (descriptor, all) => {
      if (Object.keys(files).length > 0) {
        nodeDisk.write(descriptor, all.subarray(0, bytes));
        for (const name of names()) if (name !== 's.jsonl.lock') files[name] = text(path.join(folder, name));
        return failing('EIO');
      }
      files['journal'] = 'is written';
      return nodeDisk.write(descriptor, all);
    };
    await refused(apply(plan, { write }));
    delete files['journal'];
    for (const [name, content] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), content);
  }

  it('the next one undoes its half, at whatever byte it ended', async () => {
    const plan = planFor();
    const { length } = encodeEntries(plan);
    const step = isWhole ? 7 : 31;
    for (let bytes = 0; bytes <= length; bytes += bytes < 300 ? step : 613) {
      await killedAfter(plan, bytes);
      expect(names()).toContain('s.jsonl.ctx-journal');
      const { notes } = await apply(plan);
      expect(notes.join().includes('was rolled back')).toBe(bytes > 0);
      expect(text()).toBe(after(plan));
      expect(names()).toEqual(['s.jsonl']);
      fs.writeFileSync(file, BEFORE);
    }
  });

  it('what it has written whole stays', async () => {
    const plan = planFor();
    await killedAfter(plan, encodeEntries(plan).length);
    expect(await refused(apply(plan))).toContain('has changed since');
    expect(text()).toBe(after(plan));
    expect(names()).toEqual(['s.jsonl']);
  });

  it('before it has touched the session, nothing is undone, whatever Pi writes then', async () => {
    const plan = planFor();
    await killedAfter(plan, 0);
    fs.appendFileSync(file, lines(entry('context_edit', 'e7', 'a2', { targetId: 'u1', replacement: null })));
    const next = planFor();
    await apply(next);
    expect(text().split('\n')).toHaveLength(BEFORE.split('\n').length + 4);
    expect(names()).toEqual(['s.jsonl']);
  });

  it('a journal of another file, or one made up, cuts nothing off', async () => {
    const stranger = Buffer.from(`${BEFORE}more\n`);
    for (const sha256 of ['', '0'.repeat(64), undefined]) {
      const first = JSON.stringify({
        schema: 'ctx/journal',
        schemaVersion: 1,
        size: 0,
        sha256,
        length: stranger.length,
      });
      fs.writeFileSync(`${file}.ctx-journal`, Buffer.concat([Buffer.from(`${first}\n`), stranger]));
      const plan = planFor();
      await apply(plan);
      expect(text()).toBe(after(plan));
      fs.writeFileSync(file, BEFORE);
    }
  });

  it('refuses a pipe in place of the journal, and does not wait for it', async () => {
    const { execFileSync } = await import('node:child_process');
    execFileSync('mkfifo', [`${file}.ctx-journal`]);
    await expect(apply(planFor())).rejects.toThrow(CtxError);
    expect(text()).toBe(BEFORE);
  });

  it.each(['', '{"schema":"ctx/journal"', '{"schema":"ctx/journal","size":10,"length":100}\nonly a part'])(
    'a journal that is not whole is thrown away: %j',
    async (journal) => {
      fs.writeFileSync(`${file}.ctx-journal`, journal);
      const plan = planFor();
      await apply(plan);
      expect(text()).toBe(after(plan));
      expect(names()).toEqual(['s.jsonl']);
    },
  );
});
