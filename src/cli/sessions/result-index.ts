import { createHash } from 'node:crypto';
import path from 'node:path';
import v8 from 'node:v8';
import { once } from '#base/memoize.js';
import type { IndexFolder } from '#platform/files/index-folder.js';
import type { Io } from '#platform/io.js';
import { findAncestors } from '#session/agents/codex/ancestors.js';
import type { Batch, JobResultOf, Jobs } from './jobs.js';

type World = Pick<Io, 'cwd' | 'files' | 'now'>;

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
  const packOf = ({ pack: name }: Question): IndexPack<JobResultOf<Name>> => {
    const pack = packs.get(name) ?? new IndexPack(world, index, name);
    packs.set(name, pack);
    return pack;
  };
  const ask = asking(world, job);
  const questions = inputs.map(ask);
  const known = questions.map((question) => packOf(question).answerTo(question));
  const isLeft = (_: unknown, at: number): boolean => !known[at];
  const left = { inputs: inputs.filter(isLeft), ...(sizes && { sizes: sizes.filter(isLeft) }) };
  const computing = compute(left);
  let computed: JobResultOf<Name>[] = [];
  let ready: JobResultOf<Name>[] = [];
  try {
    for (const [at, question] of questions.entries()) {
      const earlier = known[at];
      if (!earlier && computed.length === 0) {
        if (ready.length > 0) yield ready;
        ready = [];
        const { value } = await computing.next();
        computed = [...(value ?? [])];
      }
      const result = earlier ?? computed.shift();
      if (earlier) onDone();
      else if (result?.ok) packOf(question).note(question, result);
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
function asking(world: World, job: keyof Jobs): (input: Jobs[keyof Jobs]['input']) => Question {
  const written = new WeakMap<object, string>();
  const writtenOnce = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const text = written.get(value) ?? JSON.stringify(value);
    written.set(value, text);
    return text;
  };
  return (input) => {
    const { names, how } =
      typeof input === 'string' ? { names: [input], how: {} } : { names: filesIn(input), how: input };
    const asked = readFileStates(world, names);
    const settings = Object.entries(how).filter(([key]) => !OF_FILES.has(key));
    const texts = settings.map(([key, value]) => [key, writtenOnce(value)]);
    return { ...asked, pack: JSON.stringify([job, texts, path.dirname(asked.files[0] ?? '')]) };
  };
}

/** The fields of an input that name its files. */
const OF_FILES: ReadonlySet<string> = new Set(['file', 'files']);

function filesIn(input: Exclude<Jobs[keyof Jobs]['input'], string>): readonly string[] {
  if ('families' in input) return input.families.flat();
  return 'files' in input ? input.files : [input.file];
}

/** Files, and the state in which a question about them found them. */
export interface FileStates {
  /** The files as they were passed, since results name them so, and where they are. */
  readonly key: string;
  readonly files: readonly string[];
  /** Null for files that may change without being noticed. */
  readonly state: string | null;
  /** The state of the files that these continue, when it was first asked for; empty if they continue none. */
  stateBefore(): string | null;
}

export function readFileStates(world: World, names: readonly string[]): FileStates {
  const files = names.map((name) => path.resolve(world.cwd || '/', name));
  const state = names.includes('-') ? null : stateOf(world, files);
  return { key: JSON.stringify([names, files]), files, state, stateBefore: once(() => stateOfAncestors(world, files)) };
}

/** The state of the rollouts of Codex that files continue, also of those that do not exist. */
function stateOfAncestors(world: World, names: readonly string[]): string | null {
  const found = names.flatMap((name) => findAncestors(name, world.files));
  const states = found.map((file) => (file === null ? 'none' : world.files.state(file, world.now())));
  return states.includes(null) ? null : found.map((file, at) => `${file} ${states[at]}`).join('\n');
}

function stateOf({ files, now }: World, names: readonly string[]): string | null {
  const states = names.map((name) => files.state(name, now()));
  return states.includes(null) ? null : states.join(' ');
}

/** An answer, and the files that it is about. `before` is the state of the files that they continue. */
interface Known<Answer> extends Pick<FileStates, 'files' | 'state'> {
  readonly before: string;
  readonly answer: Answer;
}

/** Answers about files that are stored together in the index. An answer counts for the files in one state. */
export class IndexPack<Answer> {
  private readonly name: string;
  private readonly answers: Map<string, Known<Answer>>;

  private isChanged = false;

  constructor(
    private readonly world: World,
    private readonly index: IndexFolder,
    about: string,
  ) {
    this.name = createHash('sha256').update(index.program).update(about).digest('hex');
    const bytes = index.read(this.name);
    // The sum of the bytes is right, so another run of the same program has written them.
    this.answers = bytes === null ? new Map() : (v8.deserialize(bytes) as typeof this.answers);
  }

  /** The answer for the files as they are; null if it is not known. */
  answerTo({ key, state, stateBefore }: FileStates): Answer | null {
    const known = state === null ? undefined : this.answers.get(key);
    // A file in one state always continues the same files, so most need not be looked at.
    if (known?.state === state && (known.before === '' || known.before === stateBefore())) return known.answer;
    // The answer that is computed now may be from an earlier state than the one in which it is noted.
    stateBefore();
    return null;
  }

  /** Adds an answer, unless the files have changed since the question: then any state of them may have been read. */
  note({ key, files, state, stateBefore }: FileStates, answer: Answer): void {
    const before = stateBefore();
    if (state === null || before === null || stateOf(this.world, files) !== state) return;
    if (before !== '' && stateOfAncestors(this.world, files) !== before) return;
    this.answers.set(key, { files, state, before, answer });
    this.isChanged = true;
  }

  /** Writes all answers but those about files that are gone, if there are new ones. */
  save(): void {
    if (!this.isChanged) return;
    const left = [...this.answers].filter(([, { files }]) => files.every((file) => this.world.files.exists(file)));
    this.index.write(this.name, v8.serialize(new Map(left)));
  }
}
