import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { asObject, type JsonObject } from '#base/json.js';
import { isWhole, tried } from '../support/runs.js';
import { copyIn, type CopyingClient, findFile, FREE, LATER, runCtx, startClaude, startCodex } from './copies.js';
import { findClaudeCode, findCodex } from './installed.js';
import { expectSame } from './judge.js';
import { calls, says } from './provider.js';

const SUMMARY = 'The user printed numbers up to 1900.';

type Way = readonly [title: string, isCompacted: boolean, commands: readonly (readonly string[])[]];

/** The commands that make a copy, each of the copy of the one before: what follows the name of the file. */
const WAYS: readonly Way[] = [
  ['whose older turns are dropped', false, [['prune', '--strategy', 'turns', '--recent-turns', '1']]],
  ['whose older results are shortened', false, [['prune', '--strategy', 'distill', '--recent-turns', '1']]],
  ['whose older calls are folded', false, [['prune', '--strategy', 'fold', '--recent-turns', '1']]],
  ['that was compacted, with its last turn', false, [['compact', '--summary', 'summary.txt', '--keep-recent', '4000']]],
  [
    'that was compacted again, after its client did',
    true,
    [['compact', '--summary', 'summary.txt', '--keep-recent', '10']],
  ],
  ['without its compaction', true, [['revert', '@{compaction}']]],
  [
    'that was compacted, and whose compaction was taken back',
    false,
    [
      ['compact', '--summary', 'summary.txt', '--keep-recent', '200'],
      ['revert', '@{compaction}'],
    ],
  ],
  [
    'that was pruned and then compacted',
    false,
    [
      ['prune', '--strategy', 'distill', '--recent-turns', '1'],
      ['compact', '--summary', 'summary.txt', '--keep-recent', '200'],
    ],
  ],
];

type Tried = readonly [title: string, start: (() => Promise<CopyingClient>) | null];

const CLIENTS: readonly Tried[] = [
  ...['2.1.237', '2.1.290', '2.1.332'].map((version) => {
    const program = findClaudeCode(version);
    return [`Claude Code ${version}`, program === null ? null : () => startClaude(program, version)] as const;
  }),
  ...['0.171.0'].map((version) => {
    const program = findCodex(version);
    return [`Codex ${version}`, program === null ? null : () => startCodex(program)] as const;
  }),
];

/** The newest Claude Code, and Codex; all clients where all is tried. */
const NEWEST = CLIENTS.slice(isWhole ? 0 : -2);

/** Where not all are tried, Codex tries each case, and so does one version of Claude Code. */
function casesOf<Value>(title: string, all: readonly Value[]): readonly Value[] {
  return title.startsWith('Codex')
    ? all
    : tried(
        all,
        3,
        CLIENTS.findIndex(([each]) => each === title),
      );
}

/** Makes a copy of a session, each command from the copy of the one before. */
async function copy(client: CopyingClient, session: string, commands: readonly (readonly string[])[]) {
  let made = { file: findFile(client, session), sessionId: session };
  client.client.world.write('summary.txt', `${SUMMARY}\n`);
  for (const [name = '', ...args] of commands) {
    const document = await runCtx(client, name, made.file, ...args, '--install');
    const { dropped, replaced, undone, isCompacted } = asObject(document['changes']);
    expect(Number(dropped) + Number(replaced) + Number(undone) + Number(isCompacted)).toBeGreaterThan(0);
    made = copyIn(document);
  }
  return made;
}

describe.each(CLIENTS)('%s goes on with a copy', (title, start) => {
  if (start === null) console.warn(`left out: ${title} is not installed`);

  it.skipIf(start === null).each(casesOf(title, WAYS))('%s', async (_title, isCompacted, commands) => {
    const client = await start!();
    const { requests } = client.client.provider;
    try {
      const session = await client.play(isCompacted);
      const originals = client.client.files();
      const before = requests.length;
      const { file, sessionId } = await copy(client, session, commands);
      const predicted = await runCtx(client, 'show', file);

      await client.resume(sessionId, LATER[0], LATER[1]);
      expect(client.compare(requests[before]!.body, predicted, LATER[0])).toEqual([]);

      const again = await runCtx(client, 'show', file);
      const second = requests.length;
      await client.resume(sessionId, LATER[2]);
      expect(client.compare(requests[second]!.body, again, LATER[2])).toEqual([]);

      expect(requests.length).toBe(before + 6);
      const judged = { ...client.judged, files: { [file]: readFileSync(file) }, requests };
      await expectSame(judged, { before }, (number) => client.client.records(number));
      expect(client.client.provider.failures).toEqual([]);
      for (const [name, bytes] of Object.entries(originals)) expect(readFileSync(name)).toEqual(bytes);
    } finally {
      await client.end();
    }
  });
});

describe.each(NEWEST)('%s', (_client, start) => {
  it.skipIf(start === null)('goes back to an earlier turn of a copy', async () => {
    const client = await start!();
    const { requests } = client.client.provider;
    try {
      const session = await client.play(false);
      const original = readFileSync(findFile(client, session));
      const { file, sessionId } = await copy(client, session, [['prune', '--strategy', 'fold', '--recent-turns', '1']]);
      const before = requests.length;
      const bytes = readFileSync(file);
      await client.goBack(sessionId, LATER[0]);
      client.client.world.write('before.jsonl', bytes);
      const predicted = await runCtx(client, 'show', 'before.jsonl', '@{turn:3}~1');
      expect(client.compare(requests[before]!.body, predicted, LATER[0])).toEqual([]);
      expect(readFileSync(findFile(client, session))).toEqual(original);
    } finally {
      await client.end();
    }
  });
});

/** Commands that shorten a session. */
const SHORTENING: readonly (readonly string[])[] = [
  ['prune', '--strategy', 'distill', '--recent-turns', '1'],
  ['compact', '--summary', 'summary.txt', '--keep-recent', '4000'],
];

describe.each(CLIENTS.filter(([title]) => casesOf(title, SHORTENING).length > 0))('%s', (title, start) => {
  it.skipIf(start === null).each(casesOf(title, SHORTENING))(
    'does not compact a copy by the size of its original: %s',
    async (...command) => {
      const client = await start!();
      try {
        const session = await client.fill();
        const { file, sessionId } = await copy(client, session, [command]);
        const copied = readFileSync(file, 'utf8');
        const status = await runCtx(client, 'status', file);
        const original = await runCtx(client, 'status', findFile(client, session));
        expect(countTokens(status)).toBeLessThan(countTokens(original));

        client.narrow();
        await client.resume(sessionId, LATER[0], LATER[1]);
        expect(countCompactions(readFileSync(file, 'utf8'))).toBe(countCompactions(copied));
        await client.resume(session, LATER[0], LATER[1]);
        expect(countCompactions(readFileSync(findFile(client, session), 'utf8'))).toBe(1);
      } finally {
        await client.end();
      }
    },
  );
});

/** The tokens of the context in the answer of `ctx status`. */
function countTokens(status: Awaited<ReturnType<typeof runCtx>>): number {
  return Number(asObject(status['tokens'])['total']);
}

function countCompactions(text: string): number {
  return text.match(/"subtype":"compact_boundary"|"type":"compacted"/g)?.length ?? 0;
}

describe.each(NEWEST)('%s', (_client, start) => {
  it.skipIf(start === null)('compacts a copy that was compacted', async () => {
    const client = await start!();
    const { requests } = client.client.provider;
    try {
      const session = await client.play(false);
      const command = ['compact', '--summary', 'summary.txt', '--keep-recent', '4000'];
      const { file, sessionId } = await copy(client, session, [command]);
      const before = requests.length;
      await client.resume(sessionId, LATER[0], LATER[1]);
      await client.compact(sessionId);
      // Codex records its request for a summary.
      const summaries = client.codex ? [requests.length] : [];
      await client.resume(sessionId, LATER[2]);
      const judged = { ...client.judged, files: { [file]: readFileSync(file) }, requests };
      await expectSame(judged, { before, summaries }, (number) => client.client.records(number));
    } finally {
      await client.end();
    }
  });
});

describe.each(NEWEST.filter(([title]) => title.startsWith('Claude')))('%s', (_client, start) => {
  it.skipIf(start === null)(
    'goes on with a copy that has the subagent and the saved result of its original',
    async () => {
      const client = await start!();
      const { claude } = client;
      const { provider, world } = client.client;
      try {
        world.write('deep.txt', 'deep\n');
        const bash = (command: string) => calls('Bash', { command, description: 'Run a command' });
        provider.script('Look into the depths', bash('cat deep.txt'), says('It says deep.'));
        const task = { description: 'Look deep', prompt: 'Look into the depths.', subagent_type: 'general-purpose' };
        provider.script('Send it', calls('Agent', { ...task, run_in_background: false }));
        provider.script('Print all', bash('seq 1 60000'));
        const session = await claude!.open(...FREE).only('Print much', 'Send it.', 'Print all.', 'Print more');
        const originals = client.client.files();
        const beside = findFile(client, session).replace(/\.jsonl$/, '');
        const { file, sessionId } = await copy(client, session, [
          ['prune', '--strategy', 'distill', '--recent-turns', '1'],
        ]);
        const copied = file.replace(/\.jsonl$/, '');
        const namesIn = (folder: string): readonly string[] =>
          readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
        expect(namesIn(copied)).toEqual(namesIn(beside));
        const agent = /agent-([^.]+)\.jsonl/.exec(namesIn(copied).join('\n'))?.[1] ?? '';

        const predicted = await runCtx(client, 'show', file);
        const before = provider.requests.length;
        await client.resume(sessionId, LATER[0], LATER[1]);
        expect(client.compare(provider.requests[before]!.body, predicted, LATER[0])).toEqual([]);
        // The client finds the subagent in the folder of the copy.
        provider.script(
          'Ask it again',
          calls('SendMessage', { to: agent, summary: 'Again', message: 'Look once more.' }),
        );
        const asked = provider.requests.length;
        const conversation = claude!.open(...FREE, '--resume', sessionId);
        await conversation.say('Ask it again');
        await provider.hasReceived(asked + 3);
        await conversation.client.end();
        const bodies = provider.requests.slice(asked).map(({ body }) => JSON.stringify(body['messages']));
        const wanted = ['Look into the depths.', 'It says deep.', 'Look once more.'];
        expect(bodies.some((body) => wanted.every((words) => body.includes(words)))).toBe(true);
        for (const [name, bytes] of Object.entries(originals)) expect(readFileSync(name)).toEqual(bytes);
      } finally {
        await client.end();
      }
    },
  );

  it.skipIf(start === null)('forks a copy that is a file elsewhere', async () => {
    const client = await start!();
    const { requests } = client.client.provider;
    try {
      const session = await client.play(false);
      const originals = client.client.files();
      const file = path.join(client.client.world.folder, 'elsewhere', 'copy.jsonl');
      client.client.world.write('elsewhere/note.txt', 'The copy is beside.\n');
      await runCtx(
        client,
        'prune',
        findFile(client, session),
        '--strategy',
        'turns',
        '--recent-turns',
        '1',
        '-o',
        file,
      );
      const predicted = await runCtx(client, 'show', file);
      const before = requests.length;
      const fork = await client.claude!.open(...FREE, '--resume', file, '--fork-session').only(LATER[0], LATER[1]);
      expect(client.compare(requests[before]!.body, predicted, LATER[0])).toEqual([]);
      const name = findFile(client, fork);
      const judged = { ...client.judged, files: { [name]: readFileSync(name) }, requests };
      await expectSame(judged, { before }, (number) => client.client.records(number));
      for (const [original, bytes] of Object.entries(originals)) expect(readFileSync(original)).toEqual(bytes);
    } finally {
      await client.end();
    }
  });
});

/** The commands that make a copy whose changes are not counted as messages, or from a plan. */
const ACTS: readonly (readonly [title: string, act: (client: CopyingClient, file: string) => Promise<JsonObject>])[] = [
  ['without its secrets', (client, file) => runCtx(client, 'redact', file, '--pattern', 'number [0-9]', '--install')],
  ['that ends at an earlier turn', (client, file) => runCtx(client, 'extract', file, '@{turn:4}~1', '--install')],
  [
    'that a saved plan makes',
    async (client, file) => {
      client.client.world.write('summary.txt', `${SUMMARY}\n`);
      await runCtx(client, 'compact', file, '--summary', 'summary.txt', '--keep-recent', '200', '--plan', 'plan.json');
      return runCtx(client, 'apply', 'plan.json', '--install');
    },
  ],
];

describe.each(CLIENTS.slice(-2).map(([title, start], nth) => [title, start, tried(ACTS, 2, nth)] as const))(
  '%s goes on with a copy',
  (_client, start, acts) => {
    it.skipIf(start === null).each(acts)('%s', async (_title, act) => {
      const client = await start!();
      const { requests } = client.client.provider;
      try {
        const session = await client.play(false);
        const originals = client.client.files();
        const before = requests.length;
        const { file, sessionId } = copyIn(await act(client, findFile(client, session)));
        const predicted = await runCtx(client, 'show', file);
        await client.resume(sessionId, LATER[0], LATER[1]);
        expect(client.compare(requests[before]!.body, predicted, LATER[0])).toEqual([]);
        expect(requests.length).toBe(before + 4);
        expect(client.client.provider.failures).toEqual([]);
        for (const [name, bytes] of Object.entries(originals)) expect(readFileSync(name)).toEqual(bytes);
      } finally {
        await client.end();
      }
    });
  },
);
