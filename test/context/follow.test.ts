import { describe, expect, it } from 'vitest';
import { SessionFollower } from '#context/follow.js';
import { activePath, assistant, bytes, HEADER, lines, TALK, user } from '../support/entries.js';
import { generateSession } from '../support/generate.js';
import { memoryFiles } from '../support/memory-io.js';

const BEGINNING = lines(HEADER, ...TALK);

/** A file that is what was last written to it. */
function growing(content: string): { files: ReturnType<typeof memoryFiles>; write(content: string): void } {
  const disk: Record<string, string | Uint8Array> = { f: content };
  return { files: memoryFiles(disk), write: (next) => (disk['f'] = next) };
}

async function opened(content: string): Promise<{ live: SessionFollower; write(content: string): void }> {
  const { files, write } = growing(content);
  return { live: await SessionFollower.open('f', files), write };
}

async function ids(live: SessionFollower): Promise<readonly unknown[]> {
  return activePath(await live.session());
}

describe('a session that is being written', () => {
  it('has what was appended', async () => {
    const { live, write } = await opened(BEGINNING);
    expect(await live.grow()).toBe('nothing');
    write(BEGINNING + lines(user('u3', 'a2')));
    expect(await live.grow()).toBe('more');
    expect(await ids(live)).toEqual(['u1', 'a1', 'u2', 'a2', 'u3']);
    const { tree } = await live.session();
    expect(tree.leaf?.line).toBe(6);
    expect((await live.session()).entry(tree.leaf!)).toMatchObject({ id: 'u3' });
  });

  it('leaves a half-written line for later', async () => {
    const { live, write } = await opened(BEGINNING);
    const line = lines(user('u3', 'a2'));
    write(BEGINNING + line.slice(0, 30));
    expect(await live.grow()).toBe('nothing');
    expect((await live.session()).problems).toEqual([]);
    write(BEGINNING + line);
    expect(await live.grow()).toBe('more');
    expect(await ids(live)).toEqual(['u1', 'a1', 'u2', 'a2', 'u3']);
  });

  it('takes an entry that lacks only its newline, once', async () => {
    const { live, write } = await opened(BEGINNING.trimEnd());
    expect(await ids(live)).toEqual(['u1', 'a1', 'u2', 'a2']);
    write(BEGINNING);
    await live.grow();
    write(BEGINNING + lines(user('u3', 'a2')));
    expect(await live.grow()).toBe('more');
    const { tree, problems } = await live.session();
    expect(Array.from(tree.heads, ({ id, line }) => [id, line])).toEqual([
      ['u1', 2],
      ['a1', 3],
      ['u2', 4],
      ['a2', 5],
      ['u3', 6],
    ]);
    expect(problems).toEqual([]);
  });

  it.each([
    ['is shorter', lines(HEADER, user('x1', null))],
    ['is longer', lines(HEADER, user('x1', null), ...TALK, ...TALK)],
    ['goes on behind an entry that lacked its newline', `${BEGINNING.trimEnd()} ${lines(user('x', null))}`],
  ])('is read anew where the new file %s', async (_name, content) => {
    const { live, write } = await opened(BEGINNING.trimEnd());
    write(content);
    expect(await live.grow()).toBe('rewritten');
    const { files } = growing(content);
    const fresh = await SessionFollower.open('f', files);
    expect(await ids(live)).toEqual(await ids(fresh));
  });

  it('is in the end what one reading of the file gives, however it came', async () => {
    const file = generateSession({ seed: 11, entries: 120, odd: 0.2 });
    const { live, write } = await opened(file.slice(0, file.indexOf('\n') + 1));
    for (let end = 1000; end < file.length + 1000; end += 1000) {
      write(file.slice(0, end));
      await live.grow();
    }
    const { files } = growing(file);
    const whole = await (await SessionFollower.open('f', files)).session();
    const { tree, problems } = await live.session();
    expect(
      Array.from(tree.heads, ({ id, parentId, line, offset, length }) => [id, parentId, line, offset, length]),
    ).toEqual(
      Array.from(whole.tree.heads, ({ id, parentId, line, offset, length }) => [id, parentId, line, offset, length]),
    );
    expect(problems).toEqual(whole.problems);
    expect(bytes(file).length).toBe((await live.session()).scan.size);
  });

  it('is refused while it is empty', async () => {
    const { live, write } = await opened('');
    await expect(live.session()).rejects.toThrow('the file is empty');
    write(lines(HEADER, assistant('a1', null)));
    await live.grow();
    expect(await ids(live)).toEqual(['a1']);
  });
});
