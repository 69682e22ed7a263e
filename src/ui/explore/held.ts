import type { Clock } from './slices.js';

/** Messages and pieces of work that wait while the file is being looked at. */
export class Held<Message> implements Clock {
  private readonly waiting: (() => void)[] = [];
  isHeld = false;

  constructor(
    private readonly take: (message: Message) => void,
    private readonly clock: Clock,
  ) {}

  now(): number {
    return this.clock.now();
  }

  send(message: Message): void {
    if (this.isHeld) this.waiting.push(() => this.take(message));
    else this.take(message);
  }

  soon(call: () => void): () => void {
    let isOver = false;
    const once = (): void => {
      if (isOver) return;
      if (this.isHeld) this.waiting.push(once);
      else call();
    };
    const takeBack = this.clock.soon(once);
    return () => {
      isOver = true;
      takeBack();
    };
  }

  /** What the work finds out comes before all that waits. */
  async during(work: () => Promise<Message | null>): Promise<void> {
    this.isHeld = true;
    let found: Message | null = null;
    try {
      found = await work();
    } finally {
      this.isHeld = false;
      if (found !== null) this.take(found);
      for (const call of this.waiting.splice(0)) call();
    }
  }
}
