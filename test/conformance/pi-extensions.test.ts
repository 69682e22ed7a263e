import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { HookSummary } from '#lab/hooks/document.js';
import { buildPiPackages } from '#lab/hooks/plugin/pi-packages.js';
import { UnsupportedCalls } from '#lab/hooks/plugin/unsupported-calls.js';
import { loadModule } from '#lab/plugin-process/child/load-module.js';
import { projectFolder } from '../support/files.js';
import { twoTurns } from '../support/hook-session.js';
import { ctx } from '../support/memory-io.js';
import { pluginsHere } from '../support/plugins.js';

const folder = path.join(projectFolder, 'test/pi/node_modules/@earendil-works/pi-coding-agent/examples/extensions');
const isThere = existsSync(folder);

/** Every extension that Pi documents: a file, or the index of a folder. */
const examples = (isThere ? readdirSync(folder, { withFileTypes: true }) : []).flatMap((item) => {
  const file = item.isDirectory() ? path.join(item.name, 'index.ts') : item.name;
  return file.endsWith('.ts') && existsSync(path.join(folder, file)) ? [file] : [];
});

/** Examples that cannot work here, and neither in Pi without something more. */
const NEEDS: Readonly<Record<string, RegExp>> = {
  // A package of its own that is not installed with the examples.
  'gondolin/index.ts': /Cannot find module '@earendil-works\/gondolin'/,
  // A file that the user creates first.
  'file-trigger.ts': /ENOENT/,
};

const packages = (): Readonly<Record<string, unknown>> => buildPiPackages(new UnsupportedCalls(), () => false);

interface Ran {
  readonly summary: HookSummary;
  readonly text: string;
  readonly exitCode: number;
}

const runsByFile = new Map<string, Promise<Ran>>();

/** Runs an extension once for all tests. */
function run(file: string): Promise<Ran> {
  const running = runsByFile.get(file) ?? start(file);
  runsByFile.set(file, running);
  return running;
}

async function start(file: string): Promise<Ran> {
  const exported = await loadModule(path.join(folder, file), packages);
  const ran = await ctx(['hooks', 's.jsonl', '--hook', file, '--each-request', '--json', '--limit', '200k'], {
    files: { 's.jsonl': twoTurns },
    startPlugin: pluginsHere({ [file]: exported }),
  });
  const summary = JSON.parse(ran.stdout.trim().split('\n').at(-1) ?? '{}') as HookSummary;
  return { summary, text: ran.stdout + ran.stderr, exitCode: ran.exitCode };
}

describe.runIf(isThere)("Pi's documented extensions", () => {
  // Extensions start timers, which would outlive the test.
  beforeAll(() => void vi.spyOn(globalThis, 'setInterval').mockReturnValue(0 as never));
  afterAll(() => void vi.restoreAllMocks());

  it.each(examples.filter((file) => !(file in NEEDS)))('%s loads, and runs without failure', async (file) => {
    const { exitCode, text, summary } = await run(file);
    expect(exitCode, text).toBe(0);
    const [hook] = summary.hooks;
    expect(hook!.events.length + hook!.notRun.length).toBeGreaterThan(0);
  });

  it.each(examples.filter((file) => file in NEEDS))('%s says what it needs', async (file) => {
    const text = await run(file).then((ran) => ran.text, String);
    expect(text).toMatch(NEEDS[file]!);
  });

  it('run the handlers of the events of a request, and name the rest', async () => {
    const all = await Promise.all(examples.filter((file) => !(file in NEEDS)).map(run));
    const handlers = all.flatMap(({ summary }) => summary.handlers ?? []);
    expect(new Set(handlers.map(({ event }) => event))).toEqual(
      new Set(['before_agent_start', 'context', 'tool_result', 'turn_end']),
    );
    expect(handlers.filter(({ failed }) => failed > 0)).toEqual([]);
    expect(all.flatMap(({ summary }) => summary.hooks[0]!.notRun)).toEqual(
      expect.arrayContaining(['pi.registerTool', 'pi.registerCommand', 'tool_call']),
    );
  });
});
