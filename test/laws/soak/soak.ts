import { type OpenSession, openSession } from '#context/open.js';
import { replayContext } from '#context/replay/build-envelope.js';
import { hashEnvelope } from '#context/replay/envelope-hash.js';
import type { Head } from '#session/heads/head.js';
import { pathTo } from '#session/tree/tree.js';
import { nodeFiles } from '../../../src/platform/files/node-files.js';
import { ctx, type Ran } from '../../support/memory-io.js';
import type { Random } from '../../support/random.js';
import { type Action, actionOf, ACTIONS, changeOf, PATCH, patchOf } from './choices.js';
import { expectAllLaws, holds } from './laws.js';
import { PiWrites } from './pi-writes.js';

const SESSION = 's.jsonl';
const NEW = 'new.jsonl';
const NOW = Date.UTC(2026, 2, 1);
/** Bytes from which on a session is written anew, from its end on. */
const MOST_BYTES = 50_000;
/** Of so many steps, one is followed by all laws. */
const ALL_LAWS = 50;
const HEADER = { type: 'session', version: 3, id: 'soak', timestamp: '2026-01-05T09:00:00.000Z', cwd: '/home/ada' };
const BEGINNING = Buffer.from(`${JSON.stringify(HEADER)}\n`);
const CHANGES: ReadonlySet<string> = new Set(['compaction', 'context_transform', 'context_edit']);
/** Fine, findings, what cannot be replayed or named, and refused. */
const EXIT_CODES: ReadonlySet<number> = new Set([0, 1, 3, 4]);

/** How often each action was done, and how often it was refused. */
type Tally = Record<Action, { done: number; refused: number }>;

/** A change that was the last one, and what the context was before it. */
interface Last {
  readonly entryId: string;
  readonly hashBefore: string;
}

/** One session that is written to again and again, in any order; every step keeps the laws. */
export class Soak {
  readonly tally = Object.fromEntries(ACTIONS.map((each) => [each, { done: 0, refused: 0 }])) as Tally;
  /** How often it could not be made smaller. */
  anew = 0;
  private bytes: Uint8Array = BEGINNING;
  private readonly pi: PiWrites;
  private last: Last | null = null;
  private steps = 0;

  constructor(
    private readonly random: Random,
    private readonly seed: number,
  ) {
    this.pi = new PiWrites(random);
  }

  async step(): Promise<void> {
    this.steps += 1;
    const action = actionOf(this.random);
    try {
      await this.does(action);
      if (this.bytes.length > MOST_BYTES) await this.shrink();
      if (this.steps % ALL_LAWS === 0) await expectAllLaws(this.bytes);
    } catch (error) {
      throw new Error(`seed ${this.seed}, step ${this.steps}: ${action}`, { cause: error });
    }
  }

  private async does(action: Action): Promise<void> {
    switch (action) {
      case 'append':
        return this.append();
      case 'compact':
      case 'prune':
      case 'apply':
        return this.change(action, changeOf(action, SESSION, this.random));
      case 'restore':
        return this.restore();
      case 'undo':
        return this.undo();
      case 'migrate':
        return this.migrate();
      case 'extract':
        return this.extract();
    }
  }

  /** What stays of a session is its context, compacted. */
  private async shrink(): Promise<void> {
    await this.change('compact', ['compact', SESSION, '--yes', '--keep-recent', '100']);
    // A range that holds a compaction would need what that one dropped.
    const { tree } = await this.session();
    this.bytes = Buffer.concat([this.bytes, Buffer.from(this.pi.name(idOf(tree.leaf)))]);
    await this.extract('HEAD');
    if (this.bytes.length < MOST_BYTES) return;
    this.anew += 1;
    this.bytes = BEGINNING;
  }

  private async append(): Promise<void> {
    const { tree } = await this.session();
    const path = tree.leaf ? pathTo(tree, tree.leaf) : [];
    // Pi compacts from where it compacted before, and people edit what they see.
    const start = path.findLastIndex(({ type }) => type === 'compaction') + 1;
    const asked = path.slice(start).filter(({ type, role }) => type === 'message' && role === 'user');
    // Now and then somebody goes back, and on from there.
    const isBack = this.random.chance(0.05) && asked.length > 0;
    const above = isBack ? asked.slice(0, this.random.int(1, asked.length)) : asked;
    const parent = isBack ? above.at(-1) : tree.leaf;
    const lines = this.pi.lines(
      idOf(parent),
      above.map(({ id }) => String(id)),
    );
    this.bytes = Buffer.concat([this.bytes, Buffer.from(lines)]);
    this.last = null;
    this.tally.append.done += 1;
  }

  /** Writes, and does the same by a plan that was saved: law L6. */
  private async change(action: 'compact' | 'prune' | 'apply', argv: readonly string[]): Promise<void> {
    const hashBefore = await this.hash();
    const patch = JSON.stringify(patchOf(this.random));
    const files = { [SESSION]: this.bytes, [PATCH]: patch };
    const ran = await this.run(action, argv, files);
    if (ran === null) return;
    if (action !== 'apply' && this.random.chance(0.3)) await this.expectSameByPlan(argv, files, ran);
    await this.took(ran, hashBefore);
  }

  /** Where there is nothing to do, there is no plan. */
  private async expectSameByPlan(argv: readonly string[], files: Ran['files'], ran: Ran): Promise<void> {
    const planned = await ctx([...argv, '--plan', 'plan.json'], { files, now: NOW });
    holds('a plan writes nothing', [planned.exitCode, planned.files[SESSION]], [0, files[SESSION]]);
    const isPlanned = Object.hasOwn(planned.files, 'plan.json');
    const applied = isPlanned
      ? await ctx(['apply', 'plan.json', '--yes'], { files: planned.files, now: NOW })
      : planned;
    holds('a plan is what is written', [applied.exitCode, textOf(applied)], [0, textOf(ran)]);
  }

  /** What was written is what was foretold. */
  private async took(ran: Ran, hashBefore: string): Promise<void> {
    this.bytes = Buffer.from(ran.files[SESSION] ?? '');
    const said = JSON.parse(ran.stdout) as {
      schema: string;
      envelopeSha256?: string;
      entries?: { entryId: string; type: string }[];
    };
    this.last = null;
    if (said.schema !== 'ctx/written') return;
    holds('what was foretold is there', said.envelopeSha256, await this.hash());
    const { entries = [] } = said;
    const first = entries.find(({ type }) => CHANGES.has(type));
    // To take back a compaction of before there were checkpoints may say the prompt anew, and that stays.
    const saysPrompt = first?.type === 'compaction' && entries.some(({ type }) => type === 'message');
    if (first && !saysPrompt) this.last = { entryId: first.entryId, hashBefore };
  }

  /** Takes back the change that was the last thing to happen: law L8. */
  private async undo(): Promise<void> {
    const { last } = this;
    if (!last) return this.restore();
    const before = await this.hash();
    const ran = await this.run('undo', ['revert', SESSION, last.entryId, '--yes'], { [SESSION]: this.bytes });
    if (ran === null) return;
    await this.took(ran, before);
    holds('what was undone has left nothing', await this.hash(), last.hashBefore);
  }

  /** Takes back any change of the path. */
  private async restore(): Promise<void> {
    const { tree } = await this.session();
    const changes = (tree.leaf ? pathTo(tree, tree.leaf) : []).filter(({ type }) => CHANGES.has(String(type)));
    if (changes.length === 0) return;
    const before = await this.hash();
    const ran = await this.run('restore', ['revert', SESSION, String(this.random.pick(changes).id), '--yes'], {
      [SESSION]: this.bytes,
    });
    if (ran !== null) await this.took(ran, before);
  }

  /** Keeps every context, and has nothing left to do: law L9. */
  private async migrate(): Promise<void> {
    const before = await this.hash();
    const ran = await this.run('migrate', ['migrate', SESSION, '--compactions', '--output', NEW], {
      [SESSION]: this.bytes,
    });
    const migrated = ran?.files[NEW];
    if (migrated === undefined) return;
    this.bytes = Buffer.from(migrated);
    this.last = null;
    holds('another file shows the same', await this.hash(), before);
    const again = await ctx(['migrate', SESSION, '--compactions', '--check'], { files: { [SESSION]: this.bytes } });
    holds('nothing is left to migrate', [again.exitCode, again.stderr], [0, '']);
  }

  private async extract(from = `HEAD~${this.random.int(0, 3)}`): Promise<void> {
    const before = await this.hash();
    const ran = await this.run('extract', ['extract', SESSION, '--from', from, '--output', NEW], {
      [SESSION]: this.bytes,
    });
    if (ran === null) return;
    this.bytes = Buffer.from(ran.files[NEW] ?? '');
    this.last = null;
    holds('another file shows the same', await this.hash(), before);
  }

  /** null where it was refused: then nothing has changed. What was there stays as it was, whatever is appended. */
  private async run(
    action: Action,
    argv: readonly string[],
    files: Readonly<Record<string, string | Uint8Array>>,
  ): Promise<Ran | null> {
    const ran = await ctx([...argv, '--json'], { files, now: NOW });
    holds(`${argv.join(' ')} ends well: ${ran.stderr}`, EXIT_CODES.has(ran.exitCode), true);
    const isDone = ran.exitCode <= 1;
    this.tally[action][isDone ? 'done' : 'refused'] += 1;
    if (!isDone) {
      holds('what was refused has changed nothing', ran.files, files);
      return null;
    }
    const after = Buffer.from(ran.files[SESSION] ?? '');
    holds('what was there is there', after.subarray(0, this.bytes.length).equals(this.bytes), true);
    const more = Object.keys(ran.files).filter((name) => !Object.hasOwn(files, name) && name !== NEW);
    holds('nothing is left lying about', more, []);
    return ran;
  }

  private session(): Promise<OpenSession> {
    return openSession(this.bytes, nodeFiles);
  }

  private async hash(): Promise<string> {
    const session = await this.session();
    return hashEnvelope(replayContext(session, session.tree.leaf));
  }
}

function idOf(leaf: Head | null | undefined): string | null {
  return leaf ? String(leaf.id) : null;
}

function textOf({ files }: Ran): string {
  return Buffer.from(files[SESSION] ?? '').toString();
}
