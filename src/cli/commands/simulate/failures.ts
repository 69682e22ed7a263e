import { count, plural } from '#base/words.js';
import { shortened } from '#context/words/message-text.js';
import type { SummedEngine } from '#engines/simulate/document.js';
import type { View } from '#ui/doc/define.js';
import type { Doc } from '#ui/doc/doc.js';
import { paragraphs } from '#ui/doc/paragraphs.js';

/** Why engines cannot be used, and where they gave up. */
export function failureLines(engines: readonly SummedEngine[], view: View): Doc {
  return engines.flatMap((engine) => [...refusals(engine, view), ...breaches(engine, view), ...failure(engine, view)]);
}

function refusals({ name, refused }: SummedEngine, view: View): Doc {
  return refused.flatMap(({ rule, requests, first, message }) => {
    const which = `providers refuse ${plural(requests, 'request')}, first request ${count(first)}`;
    return paragraphs(`${name}: ${which}: ${message} (${rule})`, view);
  });
}

function breaches({ name, breaches: all }: SummedEngine, view: View): Doc {
  return all.flatMap(({ clause, sentence, message }) =>
    paragraphs(`${name} breaks the contract (${clause}): ${sentence} Here: ${shortened(message)}`, view),
  );
}

function failure({ name, failure: why }: SummedEngine, view: View): Doc {
  if (why === null) return [];
  const where = why.request === null ? 'behind the last request' : `at request ${count(why.request)}`;
  return paragraphs(`${name} failed ${where}: ${why.method}: ${shortened(why.message)}`, view);
}
