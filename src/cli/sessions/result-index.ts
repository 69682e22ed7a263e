import path from 'node:path';
import type { IndexFolder } from '#platform/files/index-folder.js';
import { type FileStates, IndexPack, readFileStates, type World } from './index-pack.js';
import type { Batch, JobResultOf, Jobs } from './jobs/jobs.js';

/**
 * Gives results of earlier runs about files that have not changed since, and computes the others. Errors are not
 * remembered, nor are results about files that were written a moment ago, since a further write might have the same
 * time.
 */
export async function* reuseResults<Name extends keyof Jobs>(
  world: World,
  index: IndexFolder,
  { job, inputs, sizes, onDone = () => {} }: Batch<Name>,
  compute: (left: Pick<Batch<Name>, 'inputs' | 'sizes'>) => AsyncGenerator<readonly JobResultOf<Name>[]>,
): AsyncGenerator<readonly JobResultOf<Name>[]> {
  const packs = new Map<string, IndexPack<JobResultOf<Name>>>();
  const openPack = ({ pack: name }: Question): IndexPack<JobResultOf<Name>> => {
    const pack = packs.get(name) ?? new IndexPack(world, index, name);
    packs.set(name, pack);
    return pack;
  };
  const ask = createQuestions(world, job);
  const questions = inputs.map(ask);
  const remembered = questions.map((question) => openPack(question).answerTo(question));
  const isLeft = (_: unknown, at: number): boolean => !remembered[at];
  const left = { inputs: inputs.filter(isLeft), sizes: sizes?.filter(isLeft) };
  const computing = compute(left);
  let computed: JobResultOf<Name>[] = [];
  let ready: JobResultOf<Name>[] = [];
  try {
    for (const [at, question] of questions.entries()) {
      const earlier = remembered[at];
      if (!earlier && computed.length === 0) {
        if (ready.length > 0) yield ready;
        ready = [];
        const { value } = await computing.next();
        computed = [...(value ?? [])];
      }
      const result = earlier ?? computed.shift();
      if (earlier) onDone();
      else if (result?.ok) openPack(question).note(question, result);
      if (result) ready.push(result);
    }
    if (ready.length > 0) yield ready;
  } finally {
    await computing.return(undefined);
    for (const pack of packs.values()) pack.save();
  }
}

interface Question extends FileStates {
  /** Names the question and the folder; the results are stored together. */
  readonly pack: string;
}

/** Makes the questions of a job. Most inputs share their settings, which are large and so are written once. */
function createQuestions(world: World, job: keyof Jobs): (input: Jobs[keyof Jobs]['input']) => Question {
  const written = new WeakMap<object, string>();
  const stringifyOnce = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const text = written.get(value) ?? JSON.stringify(value);
    written.set(value, text);
    return text;
  };
  return (input) => {
    const { names, how } =
      typeof input === 'string' ? { names: [input], how: {} } : { names: listFiles(input), how: input };
    const asked = readFileStates(world, names);
    const settings = Object.entries(how).filter(([key]) => !OF_FILES.has(key));
    const texts = settings.map(([key, value]) => [key, stringifyOnce(value)]);
    return { ...asked, pack: JSON.stringify([job, texts, path.dirname(asked.files[0] ?? '')]) };
  };
}

/** The fields of an input that name its files. */
const OF_FILES: ReadonlySet<string> = new Set(['file', 'files']);

function listFiles(input: Exclude<Jobs[keyof Jobs]['input'], string>): readonly string[] {
  if ('families' in input) return input.families.flat();
  return 'files' in input ? input.files : [input.file];
}
