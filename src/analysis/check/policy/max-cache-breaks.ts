import * as z from 'zod/mini';
import { incrementCount } from '#base/maps.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import { activePath } from '#session/tree/tree.js';
import { reportCache } from '../../cache/report-cache.js';
import { defineRule, type Hit } from '../define.js';
import { ANSWERED, assistant, entry, HEADER, textContent, user } from '../example.js';

const cacheBreaks = z.strictObject({
  max: z.int().check(z.nonnegative(), z.describe('The allowed number of breaks on the active path.')),
});

export default defineRule({
  name: 'max-cache-breaks',
  severity: null,
  summary: 'The prompt cache was broken too often',
  help:
    'A provider bills the cached prefix of a request at a tenth of the price or less. A change of the system ' +
    'prompt, the tools, or an earlier message invalidates everything after it. This rule counts the breaks of the ' +
    'active path that `ctx cache` lists, without those after a pause that is longer than the lifetime of the cache. That is the one ' +
    'that a request wrote the cache with, else five minutes, whatever the configuration sets for `ctx cache --retention`.',
  options: cacheBreaks,
  example: {
    fires: [
      HEADER,
      ...ANSWERED,
      entry('context_edit', 'e1', 'a1', { targetId: 'u1', replacement: { content: 'What is it?' } }),
      user('u2', 'e1', 'And now?'),
      assistant('a2', 'u2', [textContent('Still a README.')]),
    ],
    silent: [
      HEADER,
      ...ANSWERED,
      user('u2', 'a1', 'And now?'),
      assistant('a2', 'u2', [textContent('Still a README.')]),
    ],
    options: { max: 0 },
  },
  looksAt: 'session',
  *find(session, { max }): Generator<Hit> {
    const source = { session: attachPatchReader(session), path: activePath(session.tree), baseline: {} };
    const requests = reportCache(source).requests.filter(({ break: broken }) => broken && broken.class !== 'ttl');
    const newest = requests.at(-1);
    if (newest === undefined || requests.length <= max) return;
    const counts = new Map<string, number>();
    for (const { class: cause } of requests.flatMap(({ break: broken }) => broken ?? [])) incrementCount(counts, cause);
    const causes = [...counts].map(([cause, count]) => `${cause} ${count}`).join(', ');
    const times = requests.length === 1 ? 'once' : `${requests.length} times`;
    yield {
      message: `the prompt cache was broken ${times}, more than the ${max} allowed: ${causes}`,
      at: { line: newest.line, id: newest.entryId },
      related: requests.slice(0, MOST_RELATED).map(({ entryId }) => entryId),
      fix: 'ctx cache names the entry that broke each',
    };
  },
});

const MOST_RELATED = 100;
