import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { SharedEntries } from '#analysis/stats/shared-entries.js';
import { type JsonObject, listObjects } from '#base/json.js';
import { type OpenSession, openSession } from '#context/open.js';
import { pathTo } from '#session/tree/tree.js';
import { contextRecords, recordsOf } from '../support/claude-code-context.js';
import { generateClaudeCode } from '../support/claude-code.js';
import { projectFolder, samplesOf } from '../support/files.js';
import { tried } from '../support/runs.js';

interface Sdk {
  getSessionMessages(id: string): Promise<readonly { readonly uuid: string }[]>;
  forkSession(id: string): Promise<{ readonly sessionId: string }>;
}

/** The official SDK, which is proprietary: it judges where it is installed. */
const sdkFile = path.join(projectFolder, 'test/claude-code/node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs');

const folder = mkdtempSync(path.join(tmpdir(), 'ctx-claude-'));
const project = path.join(folder, 'projects/-work-app');
const { CLAUDE_CONFIG_DIR } = process.env;
afterAll(() => {
  rmSync(folder, { recursive: true });
  if (CLAUDE_CONFIG_DIR === undefined) delete process.env['CLAUDE_CONFIG_DIR'];
  else process.env['CLAUDE_CONFIG_DIR'] = CLAUDE_CONFIG_DIR;
});

const ALL = Array.from({ length: 400 }, (_, seed) => ({ seed, isDamaged: seed % 4 === 3 }));
const GENERATED = tried(ALL, 7);
const SAMPLES = samplesOf('claude-code').filter((file) => !path.basename(file).startsWith('agent-'));

describe.skipIf(!existsSync(sdkFile))('the messages of a Claude Code session', () => {
  it('are those of the official SDK in every generated file', async () => {
    const judge = await judgeOf();
    const wrong: unknown[] = [];
    for (const { seed, isDamaged } of GENERATED) {
      const text = generateClaudeCode(seed, isDamaged);
      const { ours, theirs } = await judge(text);
      if (ours.join() !== theirs.join()) wrong.push({ seed, ours, theirs });
    }
    expect(wrong).toEqual([]);
  });

  it.skipIf(SAMPLES.length === 0)('are those of the official SDK in every sample', async () => {
    const judge = await judgeOf();
    for (const file of SAMPLES) {
      const { ours, theirs } = await judge(readFileSync(file, 'utf8'));
      expect([file, ours]).toEqual([file, theirs]);
    }
  });
});

describe.skipIf(!existsSync(sdkFile))('a fork by the official SDK', () => {
  it('names its origin, and each answer that it copies is counted once', async () => {
    const { forkSession } = await sdk();
    const answers: boolean[] = [];
    for (const { seed } of GENERATED.filter(({ isDamaged }) => !isDamaged)) {
      const id = randomUUID();
      const text = generateClaudeCode(seed, false).replaceAll(/"sessionId":"[^"]*"/g, `"sessionId":"${id}"`);
      writeFileSync(path.join(project, `${id}.jsonl`), text);
      const { sessionId } = await forkSession(id);
      const fork = await openSession(readFileSync(path.join(project, `${sessionId}.jsonl`)));
      expect([seed, fork.header.fields['parentSession']]).toEqual([seed, `${id}.jsonl`]);
      const shared = new SharedEntries();
      shared.note(await openSession(Buffer.from(text)));
      const { heads } = fork.tree;
      for (let index = 0; index < heads.length; index += 1)
        if (heads.usageLengthAt(index) > 0) answers.push(shared.has(fork, index));
    }
    expect(answers.filter((isShared) => !isShared)).toEqual([]);
    expect(answers.length).toBeGreaterThan(100);
  });
});

/** The SDK leaves out these records, although the model is shown them. */
function isLeftOut({ isMeta, isSidechain }: JsonObject): boolean {
  return Boolean(isMeta) || Boolean(isSidechain);
}

/** The SDK returns a queued command as a message if no prompt follows it; for us it is always an attachment. */
function attachmentsIn(text: string): readonly string[] {
  return text.split('\n').flatMap((line): string[] => {
    const [, uuid] = /"type":"attachment"/.test(line) ? (/"uuid":"([^"]+)"/.exec(line) ?? []) : [];
    return uuid === undefined ? [] : [uuid];
  });
}

/** The SDK returns calls and results that the client leaves out of its requests, since they are no pairs. */
function omittedRecords(session: OpenSession): ReadonlySet<unknown> {
  const { heads, leaf } = session.tree;
  const active = leaf ? pathTo(session.tree, leaf) : [];
  const edited = active
    .filter((head) => head.type === 'context_edit' && session.entry(head)['replacement'] === null)
    .map((head) => heads.find(String(head.target)));
  const set = active.filter(({ type }) => type === 'custom');
  return new Set([...edited, ...set].flatMap((head) => (head ? recordsOf(session, head) : [])).map(({ uuid }) => uuid));
}

/** The official SDK, which looks for sessions in our folder. */
async function sdk(): Promise<Sdk> {
  process.env['CLAUDE_CONFIG_DIR'] = folder;
  mkdirSync(project, { recursive: true });
  return (await import(pathToFileURL(sdkFile).href)) as Sdk;
}

/** Both as the first line of each answer, or of each other message. */
async function judgeOf(): Promise<
  (text: string) => Promise<{ readonly ours: readonly string[]; readonly theirs: readonly string[] }>
> {
  const { getSessionMessages } = await sdk();
  return async (text) => {
    const id = randomUUID();
    const copy = path.join(project, `${id}.jsonl`);
    writeFileSync(copy, text);
    const records = contextRecords(await openSession(Buffer.from(text))).filter((record) => !isLeftOut(record));
    const ours = records.map(({ uuid }) => String(uuid));
    const attachments = new Set(attachmentsIn(text));
    const omitted = omittedRecords(await openSession(Buffer.from(text)));
    const theirs = (await getSessionMessages(id))
      .map(({ uuid }) => uuid)
      .filter((uuid) => !attachments.has(uuid) && !omitted.has(uuid));
    rmSync(copy);
    expect(new Set(ours)).toEqual(new Set(theirs));
    const answers = new Map(records.map((record) => [record['uuid'], answerOf(record)]));
    return { ours: distinct(ours, answers), theirs: orderResults(distinct(theirs, answers), text) };
  };
}

/**
 * The SDK returns the results of calls at once in the order of their times. The client sends them in the order of the file, where a
 * record that was written again keeps its first place.
 */
function orderResults(messages: readonly string[], text: string): readonly string[] {
  const lines = text.split('\n').flatMap((line): JsonObject[] => {
    const [, uuid] = /^\{.*"uuid":"([^"]+)"/.exec(line) ?? [];
    return uuid === undefined || !line.includes('"tool_result"') ? [] : [{ uuid }];
  });
  const places = new Map(lines.toReversed().map(({ uuid }, place) => [String(uuid), lines.length - place]));
  const ordered: string[] = [];
  let results: string[] = [];
  const end = (): void => {
    ordered.push(...results.toSorted((one, other) => (places.get(one) ?? 0) - (places.get(other) ?? 0)));
    results = [];
  };
  for (const uuid of messages) {
    if (places.has(uuid)) results.push(uuid);
    else {
      end();
      ordered.push(uuid);
    }
  }
  end();
  return ordered;
}

function answerOf(record: Readonly<Record<string, unknown>>): string {
  const [message] = listObjects([record['message']]);
  return String((record['type'] === 'assistant' && message?.['id']) || record['uuid']);
}

function distinct(uuids: readonly string[], answers: ReadonlyMap<unknown, string>): readonly string[] {
  return [...new Set(uuids.map((uuid) => answers.get(uuid) ?? uuid))];
}
