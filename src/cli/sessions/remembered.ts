import { createHash } from 'node:crypto';
import path from 'node:path';
import v8 from 'node:v8';
import type { IndexFolder } from '#platform/files/index-folder.js';
import type { Io } from '#platform/io.js';
import type { Batch, Jobs, ResultOf } from './parallel.js';

type World = Pick<Io, 'cwd' | 'files' | 'now'>;

/**
 * Gives results of earlier runs about files that have not changed since, and computes the others. Errors are not
 * remembered, nor are results about files that were written a moment ago, since a further write might have the same
 * time.
 */
export async function* remembered<Name extends keyof Jobs>(
  world: World,
  index: IndexFolder,
  { job, inputs, onDone = () => {} }: Batch<Name>,
  compute: (inputs: readonly Jobs[Name]['input'][]) => AsyncGenerator<readonly ResultOf<Name>[]>,
): AsyncGenerator<readonly ResultOf<Name>[]> {
  const memory = new Memory<ResultOf<Name>>(world, index);
  const ask = asking(world, job);
  const questions = inputs.map(ask);
  const known = questions.map((question) => memory.answerTo(question));
  const computing = compute(inputs.filter((_, at) => !known[at]));
  let computed: ResultOf<Name>[] = [];
  let ready: ResultOf<Name>[] = [];
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
      else if (result) memory.note(question, result);
      if (result) ready.push(result);
    }
    if (ready.length > 0) yield ready;
  } finally {
    await computing.return(undefined);
    memory.save();
  }
}

/** A job for files as they are. */
interface Question {
  /** Names the question and the folder; the results are stored together. */
  readonly pack: string;
  /** The files as they were passed, since results name them so, and where they are. */
  readonly key: string;
  readonly files: readonly string[];
  /** Null for files that may change without being noticed. */
  readonly state: string | null;
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
    const files = names.map((name) => path.resolve(world.cwd, name));
    const settings = Object.entries(how).filter(([key]) => !OF_FILES.has(key));
    const texts = settings.map(([key, value]) => [key, writtenOnce(value)]);
    const pack = JSON.stringify([job, texts, path.dirname(files[0] ?? '')]);
    const state = names.includes('-') ? null : stateOf(world, files);
    return { pack, key: JSON.stringify([names, files]), files, state };
  };
}

/** The fields of an input that name its files. */
const OF_FILES: ReadonlySet<string> = new Set(['file', 'files']);

function filesIn(input: Exclude<Jobs[keyof Jobs]['input'], string>): readonly string[] {
  if ('families' in input) return input.families.flat();
  return 'files' in input ? input.files : [input.file];
}

function stateOf({ files, now }: World, names: readonly string[]): string | null {
  const states = names.map((name) => files.state(name, now()));
  return states.includes(null) ? null : states.join(' ');
}

/** The results of a question about the files of a folder. */
type Pack = Map<string, { readonly files: readonly string[]; readonly state: string; readonly result: unknown }>;

class Memory<Result extends { readonly ok: boolean }> {
  private readonly packs = new Map<string, Pack>();
  private readonly changed = new Set<string>();

  constructor(
    private readonly world: World,
    private readonly index: IndexFolder,
  ) {}

  /** The result for the files as they are; null if it is not known. */
  answerTo({ pack, key, state }: Question): Result | null {
    const known = state === null ? undefined : this.pack(pack).get(key);
    return known?.state === state ? (known.result as Result) : null;
  }

  note({ pack, key, files, state }: Question, result: Result): void {
    // Files that were written since the question may have been read in any state.
    if (!result.ok || state === null || stateOf(this.world, files) !== state) return;
    this.pack(pack).set(key, { files, state, result });
    this.changed.add(pack);
  }

  /** Writes the packs with new results, without those about files that are gone. */
  save(): void {
    for (const name of this.changed) {
      const pack = [...this.pack(name)].filter(([, { files }]) => files.every((file) => this.world.files.exists(file)));
      this.index.write(this.fileOf(name), v8.serialize(new Map(pack)));
    }
  }

  private pack(name: string): Pack {
    const known = this.packs.get(name);
    if (known) return known;
    const bytes = this.index.read(this.fileOf(name));
    // The sum of the bytes is right, so that they are what another run of the same program has written.
    const pack = bytes === null ? new Map() : (v8.deserialize(bytes) as Pack);
    this.packs.set(name, pack);
    return pack;
  }

  private fileOf(pack: string): string {
    return createHash('sha256').update(this.index.program).update(pack).digest('hex');
  }
}
