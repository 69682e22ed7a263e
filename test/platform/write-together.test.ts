import { expect, it } from 'vitest';
import type { NewFile } from '#platform/files/new-file.js';
import { type CreateNewFile, type FilePart, writeTogether } from '#platform/files/write-together.js';

const options = { force: false, like: null };
/** The session first, then what belongs to it. */
const PARTS: readonly FilePart[] = ['session', 'lost', 'images'].map((file) => {
  return { file, options, bytes: [new Uint8Array(1)] };
});

/** Notes what is done with files, and fails where `failing` says, such as `commit lost`. */
function watchFiles(failing: string | null): { readonly done: readonly string[]; readonly createNew: CreateNewFile } {
  const done: string[] = [];
  const act = (what: string): void => {
    if (what === failing) throw new Error(what);
    done.push(what);
  };
  const createNew = async (file: string): Promise<NewFile> => {
    act(`begin ${file}`);
    return {
      write: async () => act(`write ${file}`),
      commit: () => act(`commit ${file}`),
      abandon: () => act(`abandon ${file}`),
    };
  };
  return { done, createNew };
}

it('several files take their names when all are written, the session last', async () => {
  const { done, createNew } = watchFiles(null);
  await writeTogether(createNew, PARTS);
  expect(done.slice(-3)).toEqual(['commit images', 'commit lost', 'commit session']);
  expect(done.slice(0, 2)).toEqual(['begin session', 'write session']);
});

it.each([
  ['begin images', ['session', 'lost']],
  ['write lost', ['session', 'lost']],
  ['commit lost', ['session', 'lost', 'images']],
  ['commit session', ['session', 'lost', 'images']],
])('several files are all abandoned after a failed "%s", the session first', async (failing, abandoned) => {
  const { done, createNew } = watchFiles(failing);
  await expect(writeTogether(createNew, PARTS)).rejects.toThrow(failing);
  expect(done.filter((what) => what.startsWith('abandon'))).toEqual(abandoned.map((file) => `abandon ${file}`));
});

it('no file takes its name after the last check has failed', async () => {
  const { done, createNew } = watchFiles(null);
  const check = (): void => {
    throw new Error('the session has changed');
  };
  await expect(writeTogether(createNew, PARTS, check)).rejects.toThrow('the session has changed');
  expect(done.some((what) => what.startsWith('commit'))).toBe(false);
  expect(done.slice(-3)).toEqual(['abandon session', 'abandon lost', 'abandon images']);
});
