import type { LlmMessage } from '#context/replay/content.js';
import type { Session } from '#session/session.js';
import { type Head, idText } from '#session/table/head.js';
import { endsTurn } from '../facts/ends-turn.js';
import { textOf } from '../facts/text.js';
import type { Candidate, Slot, State } from './candidate.js';
import type { Fact } from './fact.js';
import { decisionsOf, outcomeOf, stepsOf, todosOf } from './of-assistant.js';
import { factsOfSummary } from './of-summary.js';
import { type Call, callsIn, failureIn } from './of-tools.js';
import { factsOfUser } from './of-user.js';
import { type Saying, sayingsAlong } from './sayings.js';

/**
 * All that was said along a path and may have a place in the ledger. Entries are parsed one at a time, and of what was
 * said only what is still open is remembered.
 */
export function* candidatesIn(session: Session, path: readonly Head[]): Generator<Candidate> {
  const listener = new Listener();
  for (const { head, time, saying } of sayingsAlong(session, path)) {
    const kind = saying.kind === 'message' ? saying.message.role : saying.kind;
    for (const [place, fact] of listener.take(saying).entries())
      yield { ...fact, time, source: { entryId: idText(head.id), line: head.line, kind, place } };
  }
}

/** Things that hold until something takes their place or nobody speaks of them any more. */
interface Open {
  readonly facts: readonly Fact[];
  /** The turn in which they were said. */
  readonly since: number;
}

/** Names of lists, each of which takes the place of the one before it. What failed, and what a branch left, are lists of their own. */
type ListName = 'todos' | 'steps' | 'tasks' | 'blockers' | `branch ${number}` | `failed ${string}`;

/** Knows what is open, and so what is over once an answer, a success or a newer list comes. */
export class Listener {
  private hasGoal = false;
  /** What the user asked for and nobody has answered. */
  private asked: readonly Fact[] = [];
  /** Turns that began with a request. */
  private turns = 0;
  private branches = 0;
  private readonly open = new Map<ListName, Open>();
  private readonly calls = new Map<unknown, Call>();

  take(saying: Saying): readonly Fact[] {
    if (saying.kind !== 'message') return this.ofSummary(saying.kind, saying.summary);
    const { message } = saying;
    switch (message.role) {
      case 'user':
        return this.ofUser(textOf(message));
      case 'assistant':
        return this.ofAssistant(message);
      case 'toolResult':
        return this.ofResult(message);
    }
  }

  private ofUser(text: string): readonly Fact[] {
    const facts = factsOfUser(text, this.hasGoal);
    const tasks = facts.filter(({ slot }) => slot === 'task');
    if (tasks.length > 0 && this.asked.length === 0) this.turns += 1;
    this.hasGoal ||= facts.some(({ slot }) => slot === 'goal');
    this.asked = [...this.asked, ...tasks].slice(-MOST_OPEN);
    return facts;
  }

  private ofAssistant(message: LlmMessage): readonly Fact[] {
    for (const [id, call] of callsIn(message)) remember(this.calls, id, call);
    const text = textOf(message);
    const todos = todosOf(message);
    const facts = [...decisionsOf(text), ...(todos.length > 0 ? this.replace('todos', todos) : [])];
    return endsTurn(message) ? [...facts, ...this.atEndOfTurn(text)] : facts;
  }

  private atEndOfTurn(text: string): readonly Fact[] {
    const { asked } = this;
    this.asked = [];
    const steps = this.replace('steps', stepsOf(text));
    const old = [...this.open].flatMap(([name, { since }]) => (this.turns - since >= MOST_TURNS ? [name] : []));
    const outcome = outcomeOf(text);
    // Of several requests the last one is answered last.
    const last = asked.length - 1;
    const answered = asked.map((fact, at) => ({
      ...fact,
      state: 'done' as const,
      outcome: at === last ? outcome : null,
    }));
    return [...steps, ...this.drop(old), ...answered];
  }

  private ofResult(message: LlmMessage): readonly Fact[] {
    const id = message['toolCallId'];
    const call = this.calls.get(id);
    this.calls.delete(id);
    if (!call) return [];
    const failure = failureIn(message, call);
    if (!failure) return call.keys.flatMap((key) => this.close(`failed ${key}`, 'done'));
    // Whoever answers has got around what failed on the way, but not around a check.
    const since = call.isLasting ? this.turns : this.turns - MOST_TURNS;
    remember<ListName, Open>(this.open, `failed ${failure.key}`, { facts: [failure], since });
    return [failure];
  }

  private ofSummary(kind: 'compaction' | 'branch', summary: string): readonly Fact[] {
    const facts = factsOfSummary(kind, summary);
    this.hasGoal ||= facts.some(({ slot }) => slot === 'goal');
    const inSlot = (slot: Slot): readonly Fact[] => facts.filter((fact) => fact.slot === slot);
    const holding = facts.filter(({ slot }) => slot !== 'task' && slot !== 'blocker');
    if (kind === 'branch') {
      this.branches += 1;
      return [...holding, ...this.replace(`branch ${this.branches}`, [...inSlot('task'), ...inSlot('blocker')])];
    }
    return [...holding, ...this.replace('tasks', inSlot('task')), ...this.replace('blockers', inSlot('blocker'))];
  }

  /** A new list, and what of the one before is not in it any more. */
  private replace(name: ListName, facts: readonly Fact[]): readonly Fact[] {
    const kept = facts.slice(0, MOST_OPEN);
    const keys = new Set(kept.map(({ key }) => key));
    const left = this.drop([name]).filter(({ key }) => !keys.has(key));
    const open = kept.filter(({ state }) => state === 'open');
    if (open.length > 0) remember<ListName, Open>(this.open, name, { facts: open, since: this.turns });
    return [...kept, ...left];
  }

  /** What is gone with some lists, because nobody else asks for it. */
  private drop(names: readonly ListName[]): readonly Fact[] {
    const facts = names.flatMap((name) => this.close(name, 'gone'));
    if (facts.length === 0) return [];
    const others = [this.asked, ...[...this.open.values()].map((open) => open.facts)].flat();
    const keys = new Set(others.map(({ slot, key }) => `${slot} ${key}`));
    return facts.filter(({ slot, key }) => !keys.has(`${slot} ${key}`));
  }

  private close(name: ListName, state: State): readonly Fact[] {
    const known = this.open.get(name);
    this.open.delete(name);
    return known ? known.facts.map((fact) => ({ ...fact, state })) : [];
  }
}

/** After so many more turns with a request nobody is held by a list, or a check, that was not touched since. */
const MOST_TURNS = 4;

/** How many things of one sort are remembered as open at most, so that memory has a bound. */
const MOST_OPEN = 200;

function remember<Key, Value>(known: Map<Key, Value>, key: Key, value: Value): void {
  known.delete(key);
  known.set(key, value);
  const [oldest = key] = known.keys();
  if (known.size > MOST_OPEN) known.delete(oldest);
}
