import { buildEnvelope } from '#context/replay/build.js';
import { type Check, reportAll, thatLookAt } from './check.js';
import { RequestWatches } from './request-watches.js';
import { walkEntries } from './walk-entries.js';

/** Runs the rules over a session. Every entry is parsed at most once, or not at all where no rule wants to see it. */
export async function checkSession(check: Check): Promise<void> {
  const { session } = check;
  for (const active of thatLookAt(check, 'session'))
    reportAll(check, active, await active.rule.find(session, active.options));
  await walkEntries(check);
  await checkLeaf(check);
}

/** What the model would be shown next. */
async function checkLeaf(check: Check): Promise<void> {
  const { session } = check;
  const forEnvelope = thatLookAt(check, 'envelope');
  const isAboutLeaf = check.requests === 'leaf' && thatLookAt(check, 'request').length > 0;
  if (forEnvelope.length === 0 && !isAboutLeaf) return;
  // A broken op has its own rule, and must not keep the others from looking.
  const envelope = buildEnvelope(session, session.tree.leaf, session.readPatch, { ...check.envelope, lenient: true });
  for (const active of forEnvelope) reportAll(check, active, await active.rule.find(envelope, session, active.options));
  if (!isAboutLeaf) return;
  const { cached, uncached } = envelope.messages;
  const { provenance } = envelope.meta;
  new RequestWatches(check).request(
    [...cached, ...uncached].flatMap((message, at) => {
      const from = provenance[at];
      return from ? [{ message, from }] : [];
    }),
  );
}
