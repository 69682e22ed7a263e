import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { asObject, asString, asText, type JsonObject } from '#base/json.js';
import { projectFolder } from '../support/files.js';
import { ctx } from '../support/memory-io.js';
import { tried } from '../support/runs.js';
import { type CopyingClient, findFile, LATER, runCtx, startClaude, startCodex } from './copies.js';
import { findClaudeCode, findCodex } from './installed.js';
import { expectSame } from './judge.js';

type Start = (() => Promise<CopyingClient>) | null;

function startClaudeCode(version: string): Start {
  const program = findClaudeCode(version);
  return program === null ? null : () => startClaude(program, version);
}

const codex = findCodex('0.171.0');
const startNewestCodex: Start = codex === null ? null : () => startCodex(codex);

/** The text of a session that a client played. */
async function play(start: Start, isCompacted: boolean): Promise<string> {
  const client = await start!();
  try {
    return readFileSync(findFile(client, await client.play(isCompacted)), 'utf8');
  } finally {
    await client.end();
  }
}

const readFixture = (name: string): string => readFileSync(path.join(projectFolder, 'fixtures', name), 'utf8');

type Source = readonly [title: string, agent: string, read: () => string | Promise<string>, isMissing: boolean];

const SOURCES: readonly Source[] = [
  ['Pi', 'pi', () => readFixture('working.jsonl'), false],
  ['Claude Code', 'claude-code', () => play(startClaudeCode('2.1.332'), false), startClaudeCode('2.1.332') === null],
  [
    'Claude Code, compacted',
    'claude-code',
    () => play(startClaudeCode('2.1.332'), true),
    startClaudeCode('2.1.332') === null,
  ],
  ['Codex', 'codex', () => play(startNewestCodex, false), startNewestCodex === null],
  ['Codex, compacted', 'codex', () => play(startNewestCodex, true), startNewestCodex === null],
  ['Gemini CLI', 'gemini-cli', () => readFixture('agents/gemini-cli/session.jsonl'), false],
  ['opencode', 'opencode', () => readFixture('agents/opencode/export.json'), false],
  ['Qwen Code', 'qwen-code', () => readFixture('agents/qwen-code/session.jsonl'), false],
];

const CLIENTS: readonly (readonly [title: string, agent: string, start: Start])[] = [
  ['Claude Code 2.1.237', 'claude-code', startClaudeCode('2.1.237')],
  ['Claude Code 2.1.332', 'claude-code', startClaudeCode('2.1.332')],
  ['Codex 0.171.0', 'codex', startNewestCodex],
];

/** Moves a session to the folder in which a client works. */
async function moveTo(folder: string, text: string): Promise<string> {
  const { stdout } = await ctx(['show', 's', '--json'], { files: { s: text } });
  const cwd = asString(asObject((JSON.parse(stdout) as JsonObject)['session'])['cwd']);
  return cwd === null ? text : text.replaceAll(JSON.stringify(cwd).slice(1, -1), folder);
}

describe.each(CLIENTS)('%s goes on with a session', (title, agent, start) => {
  if (start === null) console.warn(`left out: ${title} is not installed`);

  // A source that a missing client would play is left out with that client.
  const others = SOURCES.filter(([, from, , isMissing]) => from !== agent && !isMissing);
  // Where not all are tried, the two versions of Claude Code share them.
  const nth = CLIENTS.findIndex(([each]) => each === title);
  it.skipIf(start === null).each(agent === 'codex' ? others : tried(others, 2, nth))(
    'of %s',
    async (_from, _agent, read) => {
      const text = await read();
      const client = await start!();
      const { requests } = client.client.provider;
      try {
        const source = await moveTo(client.client.world.folder, text);
        client.client.world.write('source', source);
        const document = await runCtx(client, 'convert', 'source', '--to', agent, '--install');
        const { id } = asObject(document['newSession']);
        const file = findFile(client, asText(id));
        expect(document['output']).toBe(file);
        const predicted = await runCtx(client, 'show', file);

        await client.resume(asText(id), LATER[0], LATER[1]);
        expect(client.compare(requests[0]!.body, predicted, LATER[0])).toEqual([]);
        const again = await runCtx(client, 'show', file);
        const second = requests.length;
        await client.resume(asText(id), LATER[2]);
        expect(client.compare(requests[second]!.body, again, LATER[2])).toEqual([]);

        expect(requests.length).toBe(6);
        const judged = { ...client.judged, files: { [file]: readFileSync(file) }, requests };
        // A rollout cannot say that answers are of no request.
        await expectSame(judged, { isWritten: agent === 'codex' }, (number) => client.client.records(number));
        expect(client.client.provider.failures).toEqual([]);
        expect(readFileSync(path.join(client.client.world.folder, 'source'), 'utf8')).toBe(source);
      } finally {
        await client.end();
      }
    },
  );
});
