import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ContextEngine } from '#lab/contract.js';
import type { DriveOptions, DriveSource } from '#lab/drive/drive-options.js';
import { preparePastFile } from '#lab/drive/past-file.js';
import { startPluginEngine } from '#lab/drive/plugin-engine.js';
import { checkEngine } from '#lab/engine-check/check-engine.js';
import { engines } from '#lab/index.js';
import {
  noneEngine,
  piEngine,
  type PortableOptions,
  recordedEngine,
  threePhaseEngine,
  turnPruneEngine,
} from '#lab/portable/api.js';
import { nodeFiles } from '../../src/platform/files/node-files.js';
import { driveAll, type Drove, SETTINGS as HOST, sourceIn } from '../support/engines.js';
import { projectFolder } from '../support/files.js';
import { pluginsHere } from '../support/plugins.js';

const portable: Readonly<Record<string, (options?: PortableOptions) => ContextEngine>> = {
  recorded: recordedEngine,
  none: noneEngine,
  pi: piEngine,
  'turn-prune': turnPruneEngine,
  'three-phase': threePhaseEngine,
};
const SETTINGS = { enabled: true, reserveTokens: 60, keepRecentTokens: 60 };
const createPast = preparePastFile(nodeFiles);

/** An engine of another package: it exchanges nothing but JSON with this host. */
function loaded(name: string, options: PortableOptions): () => Promise<ContextEngine> {
  const startPlugin = pluginsHere({ 'engine.ts': () => portable[name]!(options) });
  return () => startPluginEngine({ file: 'engine.ts', startPlugin, timeLimit: 10_000, onLog: () => {} });
}

interface Both {
  readonly own: Drove;
  readonly builtIn: Drove;
}

async function both(name: string, source: DriveSource, options: Partial<DriveOptions>): Promise<Both> {
  const { create } = engines.find((each) => each.name === name)!;
  const builtIn = await driveAll(source, create, options);
  const own = await driveAll(source, loaded(name, { settings: options.settings! }), { ...options, createPast });
  return { own, builtIn };
}

/** The content of messages, without times that a host gives to summaries. */
const said = ({ requests }: Drove): readonly unknown[] =>
  requests.map(({ assembled }) => assembled.messages.map(({ role, content }) => ({ role, content })));

/** Sessions, and budgets in which they have to be compacted. */
const SESSIONS = [
  ['pressure', 6000],
  ['weather', 3000],
  ['to-summarise', 300],
] as const;

const pressure = readFileSync(path.join(projectFolder, 'fixtures/pressure.jsonl'));

describe('the built-in engines under another host', () => {
  it.each(Object.keys(portable))('%s has the fields of the contract and no others', async (name) => {
    const engine = portable[name]!();
    const METHODS = 'info bootstrap maintain ingest ingestBatch afterTurn assemble compact dispose'.split(' ');
    expect(Object.keys(engine).filter((key) => !METHODS.includes(key))).toEqual([]);
    const message = { role: 'user', content: 'Hello.', timestamp: 1 };
    const result = await engine.assemble({ sessionId: 's', messages: [message] });
    const FIELDS = new Set(['messages', 'estimatedTokens', 'promptAuthority', 'systemPromptAddition']);
    expect(Object.keys(result).filter((key) => !FIELDS.has(key))).toEqual([]);
    await engine.dispose?.();
  });

  it.each(Object.keys(portable))('%s keeps the contract', async (name) => {
    const source = sourceIn(pressure);
    const options = { ...HOST, tokenBudget: 9000, settings: SETTINGS, createPast };
    const checked = { engine: name, make: loaded(name, {}), changedInput: new Set<string>() };
    expect(await checkEngine(source, checked, options)).toMatchObject({ failure: null, breaches: [] });
  });

  it.each(Object.keys(portable))('%s sends what it sends as a built-in engine', async (name) => {
    let compactions = 0;
    for (const [session, tokenBudget] of SESSIONS) {
      const source = sourceIn(readFileSync(path.join(projectFolder, `fixtures/${session}.jsonl`)));
      const settings = { enabled: true, reserveTokens: tokenBudget / 4, keepRecentTokens: tokenBudget / 8 };
      const { own, builtIn } = await both(name, source, { tokenBudget, settings });
      expect(said(own), session).toEqual(said(builtIn));
      compactions += builtIn.requests.flatMap((request) => request.compactions).length;
    }
    if (name === 'pi') expect(compactions).toBeGreaterThan(1);
  });

  it('compacts for a host that applies no compaction', async () => {
    const engine = piEngine({ settings: SETTINGS });
    const messages = Array.from({ length: 8 }, (_, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      content: [{ type: 'text', text: `${at} ${'words '.repeat(40)}` }],
      timestamp: at,
    }));
    await engine.assemble({ sessionId: 's', messages });
    const answer = await engine.compact({ sessionId: 's', sessionFile: 'there-is-none.jsonl', force: true });
    expect(answer).toMatchObject({ compacted: true });
    expect(answer.result).not.toHaveProperty('firstKeptEntryId');
    const { messages: sent } = await engine.assemble({ sessionId: 's', messages });
    expect(sent.length).toBeLessThan(messages.length);
    expect(sent[0]).toMatchObject({ role: 'compactionSummary' });
  });
});
