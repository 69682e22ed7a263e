import * as z from 'zod/mini';
import type { JsonObject } from '#base/json.js';
import { option } from '#base/schema.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { EMPTY_ENVELOPE } from '#context/replay/overview.js';
import { answersRequest } from '#session/tree/turns.js';
import { defineRule, type Example, type Hit, type PathEntry, type Rule, type RuleDefinition } from '../define.js';
import { assistant, HEADER, system, textContent, user } from '../example.js';

interface ChangeCountRule<Part> extends Pick<Rule, 'name' | 'summary' | 'help'> {
  /** The name of the part, as the subject of a sentence. */
  readonly part: string;
  partOf(content: EnvelopeContent): Part;
  isSame(before: Part, after: Part): boolean;
  readonly fix: string;
  readonly example: { readonly fires: Example; readonly silent: Example };
}

/** Defines a rule that limits the number of changes of a part of the prefix. */
export function defineChangeCountRule<Part>({
  part,
  partOf,
  isSame,
  fix,
  example,
  ...about
}: ChangeCountRule<Part>): RuleDefinition {
  const options = z.strictObject({
    most: option(z.int().check(z.nonnegative()), 5, `The number of changes of ${part} that is always allowed`),
    requestsEach: option(z.int().check(z.positive()), 20, 'The minimum number of requests for each further change'),
  });
  return defineRule<z.infer<typeof options>>({
    ...about,
    severity: 'warning',
    options,
    example: { ...example, options: { most: 1, requestsEach: 20 } },
    looksAt: 'path',
    watch: ({ most, requestsEach }) => {
      const count = new ChangeCount(partOf, isSame);
      return {
        step: (step) => count.step(step),
        end() {
          const { changes, requests, lastAt } = count;
          if (changes <= most || changes * requestsEach <= requests) return NO_HITS;
          const message = `${part} changed ${changes} times in ${requests} requests, most recently here`;
          return [{ message, at: lastAt ?? undefined, fix }];
        },
      };
    },
  });
}

const NO_HITS: readonly Hit[] = [];

/** The number of requests along a path, and of those whose part differs from that of the request before. */
class ChangeCount<Part> {
  changes = 0;
  requests = 0;
  /** The entry of the newest change that was sent. */
  lastAt: PathEntry['head'] | null = null;
  /** The part after the newest entry, and in the newest request. */
  private current: Part;
  private sent: Part;
  private changedBy: PathEntry['head'] | null = null;

  constructor(
    private readonly partOf: (content: EnvelopeContent) => Part,
    private readonly isSame: (before: Part, after: Part) => boolean,
  ) {
    this.current = partOf(EMPTY_ENVELOPE);
    this.sent = this.current;
  }

  step({ head, change }: PathEntry): readonly Hit[] {
    if (change) {
      const now = this.partOf(change.after);
      if (now !== this.current) this.changedBy = head;
      this.current = now;
    }
    if (answersRequest(head)) this.takeRequest();
    return NO_HITS;
  }

  private takeRequest(): void {
    this.requests += 1;
    if (this.requests > 1 && !this.isSame(this.sent, this.current)) {
      this.changes += 1;
      this.lastAt = this.changedBy;
    }
    this.sent = this.current;
  }
}

/** A session with a system message before each request. */
export function declareBeforeRequests(declarations: readonly JsonObject[]): Example {
  const more = declarations.flatMap((declared, at) => [
    system(`s${at}`, `a${at}`, declared),
    user(`u${at + 1}`, `s${at}`, 'Go on.'),
    assistant(`a${at + 1}`, `u${at + 1}`, [textContent('Done.')]),
  ]);
  return [HEADER, user('u0', null, 'What is in here?'), assistant('a0', 'u0', [textContent('A README.')]), ...more];
}
