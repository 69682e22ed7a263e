import { describe, expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import { repairBytes, saidOf } from '../../support/repaired.js';

const HEADER = '{"type":"session","version":3,"id":"s"}';
const A = '{"type":"custom","id":"a","parentId":null}';
const B = '{"type":"custom","id":"b","parentId":"a"}';

/** The header that a file with this name gets, and what is said about it. */
async function newHeader(name: string, file: string): Promise<readonly [header: string, said: string]> {
  const repaired = await repairBytes(Buffer.from(file), name);
  const text = Buffer.from(repaired.bytes).toString();
  const [header = ''] = text.split('\n');
  expect(text).toBe(`${header}\n${file}`);
  const [said = '', ...others] = saidOf(repaired, file);
  expect(others).toEqual([]);
  return [header, said];
}

function saying(id: string, version = 3): string {
  return `1 missing-header - 0+0: header added, with ${id} and version ${version}; its folder is unknown`;
}

describe('a session without a header', () => {
  const NAME = '2026-01-05T09-00-00-000Z_the-id.jsonl';

  it.each(['', 'x/y/', '/home/', 'x\\y\\'])(
    'gets the id and the time that its name says, in the folder %j',
    async (folder) => {
      expect(await newHeader(folder + NAME, `${A}\n${B}\n`)).toEqual([
        '{"type":"session","version":3,"id":"the-id","timestamp":"2026-01-05T09:00:00.000Z"}',
        saying('the id from the file name'),
      ]);
    },
  );

  it.each(['T', '7', 'a.b_c-9', 'ab'])('may be named %s', async (id) => {
    const [header] = await newHeader(NAME.replace('the-id', id), `${A}\n`);
    expect(header).toBe(`{"type":"session","version":3,"id":"${id}","timestamp":"2026-01-05T09:00:00.000Z"}`);
  });

  it.each([
    `x-${NAME}`,
    NAME.replace('jsonl', 'json'),
    `${NAME}.bak`,
    NAME.replace('the-id', 'the-id-'),
    NAME.replace('the-id', '-the-id'),
    NAME.replace('the-id', 'the id'),
    NAME.replace('2026', '26'),
    NAME.replace('-000Z', '-00Z'),
    NAME.replace('09-00', '09:00'),
  ])('gets a new id where its name is %s', async (name) => {
    const [header, said] = await newHeader(name, `${A}\n`);
    expect(header).toMatch(
      /^\{"type":"session","version":3,"id":"recovered-[0-9a-f]{8}","timestamp":"1970-01-01T00:00:00\.000Z"\}$/,
    );
    expect(said).toBe(saying('a new id'));
  });

  it('gets the same new id in every folder, and another one under another name', async () => {
    const [header] = await newHeader('s.jsonl', `${A}\n${B}\n`);
    expect(header).toContain('"id":"recovered-b9c65f90"');
    for (const name of ['/home/s.jsonl', 'c:\\x\\s.jsonl', './a/b/s.jsonl'])
      expect((await newHeader(name, `${A}\n${B}\n`))[0]).toBe(header);
    expect((await newHeader('t.jsonl', `${A}\n${B}\n`))[0]).not.toBe(header);
    expect((await newHeader('s.jsonl', `${A}\n`))[0]).not.toBe(header);
  });

  it('is as old as the first of its entries that says so', async () => {
    const timed = ['02', '01'].map(
      (day, at) => `{"type":"custom","id":"t${at}","parentId":"a","timestamp":"2026-01-${day}T09:00:01Z"}`,
    );
    const [header] = await newHeader('s.jsonl', `${[A, ...timed].join('\n')}\n`);
    expect(header).toContain('"timestamp":"2026-01-02T09:00:01.000Z"');
  });

  const hook = (id: string): string => `{"type":"message",${id}"message":{"role":"hookMessage","content":"x"}}\n`;
  it.each([
    [1, 'where no entry has an id', '{"type":"custom"}\n{"type":"custom"}\n'],
    [1, 'where a hook spoke without an id', hook('')],
    [2, 'where a hook spoke', hook('"id":"a","parentId":null,')],
    [2, 'where a hook spoke further down', `${A}\n${hook('"id":"b","parentId":"a",')}`],
    [3, 'else', '{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"x"}}\n'],
  ])('is of version %i %s', async (version, _where, file) => {
    const [header, said] = await newHeader('s.jsonl', file);
    expect((JSON.parse(header) as { version?: number }).version).toBe(version === 1 ? undefined : version);
    expect(said).toBe(saying('a new id', version));
  });

  it('gets one though it has another header further down, which has no id', async () => {
    const file = `${A}\n{"type":"session","version":3}\n${B}\n`;
    const repaired = await repairBytes(Buffer.from(file), 's.jsonl');
    expect(saidOf(repaired, file)).toEqual([
      saying('a new id'),
      '2 repeated-header lost: {"type":"session","version":3}\n',
    ]);
  });
});

/** A file, what becomes of it, and what is said. */
type Case = readonly [about: string, before: string, after: string, said: readonly string[]];

describe('the header of a session', () => {
  it.each<Case>([
    [
      'further down comes first',
      `${A}\n${HEADER}\n${B}\n`,
      `${HEADER}\n${A}\n${B}\n`,
      ['2 late-header - 43+40: moved to the first line'],
    ],
    [
      'at the end comes first',
      `${A}\n${B}\n${HEADER}`,
      `${HEADER}\n${A}\n${B}\n`,
      ['3 no-final-newline - 85+39: newline added', '3 late-header - 85+39: moved to the first line'],
    ],
    ['behind blank lines stays', `\n \n${HEADER}\n${A}\n`, `\n \n${HEADER}\n${A}\n`, []],
    [
      'that is repeated stays, and the other goes',
      `${HEADER}\n${A}\n${HEADER}\n${B}\n`,
      `${HEADER}\n${A}\n${B}\n`,
      [`3 repeated-header lost: ${HEADER}\n`],
    ],
    [
      'that is repeated at once stays, and the other goes',
      `${HEADER}\n${HEADER}\n${A}\n`,
      `${HEADER}\n${A}\n`,
      [`2 repeated-header lost: ${HEADER}\n`],
    ],
    [
      'that is repeated at the end stays, and all others go',
      `${HEADER}\n${A}\n${HEADER}\n${B}\n${HEADER}`,
      `${HEADER}\n${A}\n${B}\n`,
      [
        '5 no-final-newline - 165+39: newline added',
        `3 repeated-header lost: ${HEADER}\n`,
        `5 repeated-header lost: ${HEADER}`,
      ],
    ],
    [
      'further down is the first of two',
      `${A}\n${HEADER}\n${B}\n{"type":"session","version":3,"id":"t"}\n`,
      `${HEADER}\n${A}\n${B}\n`,
      [
        '2 late-header - 43+40: moved to the first line',
        '4 repeated-header lost: {"type":"session","version":3,"id":"t"}\n',
      ],
    ],
    [
      'without an id gets one',
      `{"type":"session","version":3}\n${A}\n`,
      `{"type":"session","id":"recovered-a60f289d","version":3}\n${A}\n`,
      ['1 missing-header - 0+31: new header id "recovered-a60f289d"'],
    ],
    [
      'with a number for its id gets another one',
      `{"type":"session","version":3,"id":7}\n${A}\n`,
      `{"type":"session","version":3,"id":"recovered-f9937c74"}\n${A}\n`,
      ['1 missing-header - 0+38: new header id "recovered-f9937c74"'],
    ],
    [
      'is the one that has an id',
      `{"type":"session","version":3}\n${A}\n${HEADER}\n${B}\n`,
      `${HEADER}\n${A}\n${B}\n`,
      ['3 late-header - 74+40: moved to the first line', '1 repeated-header lost: {"type":"session","version":3}\n'],
    ],
    [
      'alone, without an id, gets one',
      '{"type":"session","version":3}\n',
      '{"type":"session","id":"recovered-a60f289d","version":3}\n',
      ['1 missing-header - 0+31: new header id "recovered-a60f289d"'],
    ],
    [
      'of version 1 stays together with others, which are counted',
      '{"type":"session","id":"s"}\n{"type":"custom"}\n{"type":"session","id":"s"}\n{"type":"custom"}\n',
      '{"type":"session","id":"s"}\n{"type":"custom"}\n{"type":"session","id":"s"}\n{"type":"custom"}\n',
      [],
    ],
    [
      'of version 1 goes before the first one that has an id',
      '{"type":"session"}\n{"type":"custom"}\n{"type":"session","id":"s"}\n{"type":"custom"}\n{"type":"session","id":"s"}\n',
      '{"type":"session","id":"s"}\n{"type":"custom"}\n{"type":"custom"}\n{"type":"session","id":"s"}\n',
      ['3 late-header - 37+28: moved to the first line', '1 repeated-header lost: {"type":"session"}\n'],
    ],
    [
      'of version 2 stays alone',
      `{"type":"session","version":2,"id":"s"}\n${A}\n{"type":"session","id":"t"}\n`,
      `{"type":"session","version":2,"id":"s"}\n${A}\n`,
      ['3 repeated-header lost: {"type":"session","id":"t"}\n'],
    ],
    [
      'with the version "1" is of version 1',
      `{"type":"session","version":"1","id":"s"}\n${A}\n{"type":"session","id":"t"}\n`,
      `{"type":"session","version":"1","id":"s"}\n${A}\n{"type":"session","id":"t"}\n`,
      [],
    ],
    [
      'with a list for its version is of no version',
      `{"type":"session","version":[1],"id":"s"}\n${A}\n{"type":"session","id":"t"}\n`,
      `{"type":"session","version":[1],"id":"s"}\n${A}\n`,
      ['3 repeated-header lost: {"type":"session","id":"t"}\n'],
    ],
    [
      'with an object for its version is of no version',
      `{"type":"session","version":{},"id":"s"}\n${A}\n{"type":"session","id":"t"}\n`,
      `{"type":"session","version":{},"id":"s"}\n${A}\n`,
      ['3 repeated-header lost: {"type":"session","id":"t"}\n'],
    ],
    [
      'without a version is of version 1',
      `{"type":"session","version":null,"id":"s"}\n${A}\n{"type":"session","id":"t"}\n`,
      `{"type":"session","version":null,"id":"s"}\n${A}\n{"type":"session","id":"t"}\n`,
      [],
    ],
    ['alone stays', `${HEADER}\n`, `${HEADER}\n`, []],
  ])('%s', async (_about, before, after, said) => {
    const repaired = await repairBytes(Buffer.from(before), 's.jsonl');
    expect(Buffer.from(repaired.bytes).toString()).toBe(after);
    expect(saidOf(repaired, before)).toEqual(said);
  });

  it('without an id gets the one that the name of the file says', async () => {
    const { bytes } = await repairBytes(Buffer.from('{"type":"session"}\n'), '2026-01-05T09-00-00-000Z_the-id.jsonl');
    expect(Buffer.from(bytes).toString()).toBe('{"type":"session","id":"the-id"}\n');
  });
});

const NO_SESSION = 'this is no session: it has no header and no entry; it cannot be repaired';

it.each([
  ['', 'the file is empty; it cannot be repaired'],
  ['\n', NO_SESSION],
  ['junk\n', NO_SESSION],
  ['{"type":"x","id":"a","parentId":null}\n{}\n', NO_SESSION],
])('%j is no session', async (file, message) => {
  const error: unknown = await repairBytes(Buffer.from(file), 's.jsonl').catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(CtxError);
  expect(error).toMatchObject({
    kind: 'input',
    message,
    where: 's.jsonl',
    hint: 'list the sessions that ctx reads: ctx ls --agent all',
  });
});

it('a file is a session as soon as one entry is of a type that Pi knows', async () => {
  const [header] = await newHeader(
    's.jsonl',
    '{"type":"x","id":"a","parentId":null}\n{"type":"label","id":"b","parentId":"a","targetId":"a"}\n',
  );
  expect(header).toContain('"version":3');
});
