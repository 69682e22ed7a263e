import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { FactReader, readStatedFacts } from './fact-reader.js';
import { FactCollection } from './facts.js';
import type { ReadPosition } from './statements.js';

/** The facts along a path that grows. Each entry is read once, unless an edit changes statements before it. */
export class GrowingFacts {
  private facts = new FactCollection();
  private reader = new FactReader();
  private position: ReadPosition = { read: 0, time: 0 };

  constructor(private readonly session: Session) {}

  readTo(path: readonly Head[]): FactCollection {
    const fresh = path.slice(this.position.read);
    if (fresh.some(({ type }) => type === 'context_edit')) this.startOver();
    for (const fact of readStatedFacts(this.session, path, this.reader, this.position)) this.facts.add(fact);
    const time = fresh.findLast((head) => Number.isFinite(head.time))?.time ?? this.position.time;
    this.position = { read: path.length, time };
    return this.facts;
  }

  private startOver(): void {
    this.facts = new FactCollection();
    this.reader = new FactReader();
    this.position = { read: 0, time: 0 };
  }
}
