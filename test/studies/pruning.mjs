import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
// What pruning makes of recorded sessions: tables for docs/pruning.md.
//
//   node test/studies/pruning.mjs DIR… [--limit 200000,64000,32000] [--least 1500]
//
// Each session is pruned at its leaf by each strategy and by the steps of each zone. Then each is gone through from its
// first turn on, pruned at every end of a turn as the default policy says, and what its later calls ask for is looked up
// in what was pruned before. Tokens are estimated, as Pi does it, without a prompt and tools that nobody recorded.
import { build } from 'esbuild';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    limit: { type: 'string', default: '200000,64000,32000' },
    least: { type: 'string', default: '1500' },
  },
});

const entry = `
  export { readSession } from './session/session.js';
  export { bytesIn } from './session/bytes.js';
  export { pathTo } from './session/tree.js';
  export { startsTurn, answersRequest } from './session/turns.js';
  export { buildEnvelope } from './context/build.js';
  export { readPatch } from './ops/read-patch.js';
  export { commandOf, fileOf } from './facts/tool-uses.js';
  export { textOf } from './facts/text.js';
  export { extended } from './plan/extended.js';
  export { breakEven } from './cache/break-even.js';
  export { lastRequest } from './cache/last-request.js';
  export { defaultPolicy, stepOf, stepsFor } from './prune/policy.js';
  export { preparePrune } from './prune/prepare.js';
  export { pruneEntries } from './prune/entries.js';
  export { strategies } from './prune/strategies/index.js';
  export { zoneOf } from './prune/zones.js';
`;
const { outputFiles } = await build({
  stdin: { contents: entry, resolveDir: fileURLToPath(new URL('../../src', import.meta.url)), loader: 'ts' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  write: false,
  external: ['jiti', 'tinypool'],
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire('/');" },
});
const ctx = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`);

/** Of what a token costs that no cache is asked for: what one costs that is read from a cache, or written there. */
const CACHED = 0.1;
const NEW = 1.25;

const policy = ctx.defaultPolicy();
const limits = values.limit.split(',').map(Number);
const count = (value) => value.toLocaleString('en-US');
const percent = (part, whole) => (whole === 0 ? '–' : `${((part / whole) * 100).toFixed(0)} %`);

function readable(file) {
  try {
    const session = ctx.readSession(ctx.bytesIn(readFileSync(file)), file);
    return session.tree.leaf ? [session] : [];
  } catch {
    return [];
  }
}

function pathOf(session) {
  return session.tree.leaf ? ctx.pathTo(session.tree, session.tree.leaf) : [];
}

function contextOf(session, limit = null) {
  return ctx.buildEnvelope(session, session.tree.leaf, ctx.readPatch, limit === null ? {} : { limit });
}

function prepared(session, envelope, steps) {
  const { packetTokens } = policy;
  const request = { path: pathOf(session), envelope, steps, packetTokens, form: 'context_transform' };
  return ctx.preparePrune(session, { ...request, protects: () => null });
}

function row(cells) {
  return `| ${cells.join(' | ')} |`;
}

function table(heads, rows) {
  console.log(row(heads));
  console.log(row(heads.map((_, at) => (at === 0 ? '---' : '--:'))));
  for (const cells of rows) console.log(row(cells));
  console.log();
}

const sessions = positionals
  .flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .toSorted()
      .flatMap((name) => readable(join(folder, name))),
  )
  .map((session) => ({ session, envelope: contextOf(session) }))
  .filter(({ envelope }) => envelope.meta.tokens.total >= Number(values.least))
  .toSorted((a, b) => b.envelope.meta.tokens.total - a.envelope.meta.tokens.total)
  .map((each, at) => ({ ...each, name: String.fromCodePoint(0x41 + at) }));

console.log('Sessions\n');
table(
  ['', 'Turns', 'Requests', 'Tool results', 'Messages at the end', 'Tokens at the end'],
  sessions.map(({ name, session, envelope }) => {
    const way = pathOf(session);
    const results = way.filter(({ role }) => role === 'toolResult').length;
    const { cached } = envelope.messages;
    const [turns, requests] = [way.filter(ctx.startsTurn).length, way.filter(ctx.answersRequest).length];
    return [name, turns, requests, results, cached.length, envelope.meta.tokens.total].map((cell) =>
      typeof cell === 'number' ? count(cell) : cell,
    );
  }),
);

const compositions = [
  ...ctx.strategies.map((strategy) => [`\`${strategy.name}\``, [ctx.stepOf(strategy, {})]]),
  ...['yellow', 'red', 'compact'].map((zone) => [`zone ${zone}`, ctx.stepsFor(policy, zone)]),
];
console.log('Tokens that stay at the end; a dot where nothing goes\n');
table(
  ['', ...sessions.map(({ name }) => name)],
  [
    ['as it is', ...sessions.map(({ envelope }) => count(envelope.meta.tokens.total))],
    ...compositions.map(([name, steps]) => [
      name,
      ...sessions.map(({ session, envelope }) => {
        const { saved } = prepared(session, envelope, steps);
        return saved > 0 ? count(envelope.meta.tokens.total - saved) : '·';
      }),
    ]),
  ],
);

const walks = sessions
  .flatMap(({ name, session }) => limits.map((limit) => ({ name, limit, ...walk(session, limit) })))
  .filter(({ prunes }) => prunes > 0);
console.log('Pruned at every end of a turn\n');
table(
  [
    '',
    'Limit',
    'Ends of turns in yellow, red, compact',
    'Prunes',
    'Highest, before',
    'Highest, after',
    'Sum of requests, before',
    'Sum of requests, after',
    'Read anew',
    'Saved, at full price',
  ],
  walks.map(({ name, limit, zones, prunes, highest, sums, rebilled }) => [
    name,
    count(limit),
    `${zones.yellow}, ${zones.red}, ${zones.compact}`,
    prunes,
    count(highest.plain),
    count(highest.pruned),
    count(sums.plain),
    `${count(sums.pruned)} (${percent(sums.pruned - sums.plain, sums.plain)})`,
    count(rebilled),
    count(Math.round((sums.plain - sums.pruned) * CACHED - rebilled * (NEW - CACHED))),
  ]),
);

console.log('What later calls asked for\n');
table(
  [
    '',
    'Limit',
    'Results pruned',
    'Calls later',
    'that ask for them again',
    'and get the same bytes',
    'by',
    'Edits later',
    'whose file was pruned and not read again',
    'by',
  ],
  walks.map(({ name, limit, goneResults, later, again, same, by, blind, blindBy, edits }) => [
    name,
    count(limit),
    goneResults,
    later,
    again,
    same,
    shares(by),
    edits,
    blind,
    shares(blindBy),
  ]),
);

function shares(counts) {
  return [...counts].map(([name, times]) => `${name} ${times}`).join(', ') || '–';
}

function addTo(counts, name) {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** Goes through a session as it was, and prunes it at each end of a turn. */
function walk(session, limit) {
  const found = {
    zones: { green: 0, yellow: 0, red: 0, compact: 0 },
    prunes: 0,
    highest: { plain: 0, pruned: 0 },
    sums: { plain: 0, pruned: 0 },
    rebilled: 0,
    goneResults: 0,
    later: 0,
    again: 0,
    same: 0,
    by: new Map(),
    blind: 0,
    blindBy: new Map(),
    edits: 0,
  };
  const gone = new Map();
  let plain = beginningOf(session);
  let pruned = plain;
  let id = 0;
  const fresh = { now: () => 0, newId: () => `f${(id += 1).toString(16).padStart(7, '0')}` };
  for (const turn of turnsOf(session)) {
    const entries = turn.map((head) => session.entry(head));
    const starts = { plain: contextOf(plain).meta.tokens.total, pruned: contextOf(pruned).meta.tokens.total };
    plain = longer(plain, entries);
    pruned = longer(pruned, entries);
    lookUp(pruned, { gone, found, first: pruned.tree.heads.length - entries.length });
    const [all, less] = [contextOf(plain, limit), contextOf(pruned, limit)];
    addRequests(found, turn, { starts, all, less });
    const zone = ctx.zoneOf(less.meta.tokens.total, limit, policy.thresholds);
    found.zones[zone] += 1;
    const steps = ctx.stepsFor(policy, zone);
    const plan = steps.length > 0 ? prepared(pruned, less, steps) : null;
    if (!plan || plan.saved <= 0) continue;
    found.prunes += 1;
    const request = { ...plan, path: pathOf(pruned), summary: '', details: {} };
    const after = ctx.extended(pruned, ctx.pruneEntries(pruned, request, fresh));
    const cost = {
      before: less,
      after: contextOf(after, limit),
      last: ctx.lastRequest(pruned, pathOf(pruned)),
      now: 0,
    };
    found.rebilled += ctx.breakEven(cost).rebilledTokens;
    pruned = after;
    remember(plan, { gone, found });
  }
  return found;
}

/** A session without an entry. */
function beginningOf({ header: { id, cwd } }) {
  const header = { type: 'session', version: 3, id, timestamp: '2026-01-01T00:00:00.000Z', cwd };
  return ctx.readSession(ctx.bytesIn(Buffer.from(`${JSON.stringify(header)}\n`)), 's.jsonl');
}

/** The path from the root to the leaf, a list for each turn; what stands above the first one belongs to it. */
function turnsOf(session) {
  const turns = [];
  let wasInput = true;
  for (const head of pathOf(session)) {
    const isInput = ctx.startsTurn(head);
    if (turns.length === 0 || (isInput && !wasInput)) turns.push([]);
    turns.at(-1).push(head);
    if (head.type === 'message' || isInput) wasInput = isInput;
  }
  return turns;
}

/** A session with entries below its leaf, whatever they stood below before. */
function longer(session, entries) {
  let parentId = session.tree.leaf?.id ?? null;
  const linked = entries.map((each) => {
    const placed = { ...each, parentId };
    parentId = each.id;
    return placed;
  });
  return ctx.extended(session, linked);
}

/** Every request is as long as the context was when the turn began, and what its turn had added until then. */
function addRequests({ sums, highest }, turn, { starts, all, less }) {
  highest.plain = Math.max(highest.plain, all.meta.tokens.total);
  highest.pruned = Math.max(highest.pruned, less.meta.tokens.total);
  const requests = turn.filter(ctx.answersRequest).length;
  for (let nth = 1; nth <= requests; nth += 1) {
    const share = nth / requests;
    sums.plain += Math.round(starts.plain + (all.meta.tokens.total - starts.plain) * share);
    sums.pruned += Math.round(starts.pruned + (less.meta.tokens.total - starts.pruned) * share);
  }
}

/** What a call asks for: a file to read, or a command to run. */
function askedBy(use) {
  const file = ctx.fileOf(use);
  if (file) return file.kind === 'read' ? `file ${file.path}` : null;
  const command = ctx.commandOf(use);
  return command === null ? null : `command ${command}`;
}

/** Notes what a prune has taken away or shortened, unless it stands whole somewhere else in the context. */
function remember({ before, pruned }, { gone, found }) {
  const whole = new Set(
    pruned.history.uses.flatMap((use) => {
      const item = pruned.history.items[use.resultAt];
      return item && !item.isFrozen && item.message === item.original ? [askedBy(use)] : [];
    }),
  );
  const byPlace = new Map(before.uses.map((use) => [use.resultAt, use]));
  const seen = new Set();
  for (const { item, strategy } of pruned.decisions) {
    const use = byPlace.get(item.place);
    if (!use || seen.has(item.place)) continue;
    seen.add(item.place);
    if (item.isFrozen) continue;
    found.goneResults += 1;
    const asked = askedBy(use);
    if (asked !== null && !whole.has(asked)) gone.set(asked, { strategy, text: use.result });
  }
}

/** Looks at the calls of a new turn, which are those behind an entry. */
function lookUp(session, { gone, found, first }) {
  const { items, uses } = prepared(session, contextOf(session), []).before;
  const { heads } = session.tree;
  for (const use of uses) {
    const item = items[use.callAt];
    const head = item && heads.find(item.from.entryId);
    if (!head || head.index < first) continue;
    if (found.prunes > 0) found.later += 1;
    const file = ctx.fileOf(use);
    if (file?.kind === 'modified') {
      const asked = `file ${file.path}`;
      const known = /edit|replace|patch/.test(use.name) ? gone.get(asked) : undefined;
      if (found.prunes > 0) found.edits += 1;
      // Who has to read a file before it can be edited has read it then.
      gone.delete(asked);
      if (!known) continue;
      found.blind += 1;
      addTo(found.blindBy, known.strategy);
      continue;
    }
    const asked = askedBy(use);
    const known = asked === null ? undefined : gone.get(asked);
    if (!known) continue;
    found.again += 1;
    if (known.text === use.result) found.same += 1;
    addTo(found.by, known.strategy);
    gone.delete(asked);
  }
}
