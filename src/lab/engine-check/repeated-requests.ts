import { createHash } from 'node:crypto';
import type { Breach } from '../drive/breaches/clauses.js';
import type { AssembledContent, Driven } from '../drive/driven-request.js';

/** Compares the requests of two runs over one conversation. */
export class RepeatedRequests {
  private readonly first: string[] = [];

  /** `names`: texts that differ from run to run: the id and the file of the session. */
  constructor(private readonly names: ReadonlySet<string>) {}

  /** A request of the first run. */
  note({ request, assembled }: Driven): void {
    this.first[request] = this.hashContent(assembled);
  }

  /** A request of the second run. */
  compare({ request, assembled }: Driven): Breach | null {
    const before = this.first[request];
    if (before === undefined || before === this.hashContent(assembled)) return null;
    return repeatBreach('another session of the same conversation, in the same process, gives another request');
  }

  /** The answers to one request that was asked for twice. */
  compareAnswers(one: AssembledContent, other: AssembledContent): Breach | null {
    return this.hashContent(one) === this.hashContent(other)
      ? null
      : repeatBreach('asked again, it gives another request');
  }

  private hashContent({ system, tools, messages }: AssembledContent): string {
    // Times are not sent.
    const sent = messages.map(({ role, content, toolCallId, isError }) => [role, content, toolCallId, isError]);
    let text = JSON.stringify([system.compiled, tools, sent]);
    for (const name of this.names) text = text.replaceAll(JSON.stringify(name).slice(1, -1), '');
    return createHash('sha256').update(text).digest('hex');
  }
}

function repeatBreach(message: string): Breach {
  return { clause: 'repeatable', method: 'assemble', message };
}
