import { createHash } from 'node:crypto';
import path from 'node:path';
import v8 from 'node:v8';
import { once } from '#base/memoize.js';
import type { IndexFolder } from '#platform/files/index-folder.js';
import type { Io } from '#platform/io.js';
import { findAncestors } from '#session/agents/codex/ancestors.js';

export type World = Pick<Io, 'cwd' | 'files' | 'now'>;

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
  const state = names.includes('-') ? null : readState(world, files);
  return {
    key: JSON.stringify([names, files]),
    files,
    state,
    stateBefore: once(() => readAncestorState(world, files)),
  };
}

/** The state of the rollouts of Codex that files continue, also of those that do not exist. */
function readAncestorState(world: World, names: readonly string[]): string | null {
  const found = names.flatMap((name) => findAncestors(name, world.files));
  const states = found.map((file) => (file === null ? 'none' : world.files.state(file, world.now())));
  return states.includes(null) ? null : found.map((file, at) => `${file} ${states[at]}`).join('\n');
}

function readState({ files, now }: World, names: readonly string[]): string | null {
  const states = names.map((name) => files.state(name, now()));
  return states.includes(null) ? null : states.join(' ');
}

/** An answer, and the files that it is about. `before` is the state of the earlier files that they continue. */
interface StoredAnswer<Answer> extends Pick<FileStates, 'files' | 'state'> {
  readonly before: string;
  readonly answer: Answer;
}

/** Answers about files that are stored together in the index. An answer counts for the files in one state. */
export class IndexPack<Answer> {
  private readonly name: string;
  private readonly answers: Map<string, StoredAnswer<Answer>>;

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
    const stored = state === null ? undefined : this.answers.get(key);
    // A file in one state always continues the same files, so most need not be looked at.
    if (stored?.state === state && (stored.before === '' || stored.before === stateBefore())) return stored.answer;
    // The answer that is computed now may be from an earlier state than the one in which it is noted.
    stateBefore();
    return null;
  }

  /** Adds an answer, unless the files have changed since the question: then any state of them may have been read. */
  note({ key, files, state, stateBefore }: FileStates, answer: Answer): void {
    const before = stateBefore();
    if (state === null || before === null || readState(this.world, files) !== state) return;
    if (before !== '' && readAncestorState(this.world, files) !== before) return;
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
