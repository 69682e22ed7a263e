import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { schemas } from '#cli/schemas.js';
import * as library from '#index.js';
import { HEADER, lines, TALK, user } from '../support/entries.js';
import { projectFolder } from '../support/files.js';
import { ctx } from '../support/memory-io.js';

const bytes = new TextEncoder().encode(lines(HEADER, ...TALK, user('u3', 'gone')));

describe('the library', () => {
  it('checks a session as the command does', async () => {
    const session = await library.openSession(bytes);
    const rules = (await library.loadRules(['tree'])).flatMap((rule) =>
      rule.severity === null ? [] : [{ rule, severity: rule.severity, options: undefined as never }],
    );
    const findings: string[] = [];
    library.checkSession({
      session,
      rules,
      requests: 'leaf',
      envelope: {},
      report: ({ rule }) => findings.push(rule),
    });
    expect(findings).toEqual(['orphan', 'abandoned-leaves']);
    expect(library.bytesAccountedFor(session.scan)).toBe(bytes.length);
  });

  it('compares envelopes', async () => {
    const session = await library.openSession(bytes);
    const [before, after] = [library.envelopeAt(session, 'u1'), library.envelopeAt(session, 'a2')];
    const made = library.applyDiff(before, library.diffEnvelopes(before, after));
    expect(made.messages).toEqual(after.messages);
    expect(library.reportDiff(before, after).cached.map(({ kind }) => kind)).toEqual(['added', 'added', 'added']);
    const { patch } = library.patchBetween(before, after, 'a test');
    expect(library.applyPatch(before, patch).envelope.messages).toEqual(after.messages);
  });

  it('has every function in its page of the manual', () => {
    const page = readFileSync(path.join(projectFolder, 'docs/reference/library.md'), 'utf8');
    expect(Object.keys(library).filter((name) => !page.includes(name))).toEqual([]);
  });
});

describe('the library says what the command prints', () => {
  const weather = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'));
  const open = (): Promise<library.OpenSession> => library.openSession(weather);
  const printed = async (...argv: readonly string[]): Promise<readonly unknown[]> => {
    const { stdout } = await ctx([...argv, '--json'], { files: { '-': weather } });
    return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as unknown]));
  };
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

  it('for stats, of any tokenizer', async () => {
    const session = await open();
    const stats = await library.statsOfSession(session, { tokenizer: 'o200k', baseline: {} });
    const document = library.statsReport([stats], [], 'model');
    expect([plain(document)]).toEqual(await printed('stats', '-', '--by', 'model', '--tokenizer', 'o200k'));
    const method = await library.methodFor(session, { tokenizer: 'o200k', baseline: {} });
    const { meta } = library.envelopeAt(session, 'HEAD', { method });
    expect([meta.tokens.method, meta.tokens.total]).toEqual(['o200k', document.contextTokensEstimated]);
  });

  it('for stats of forks, whose entries count once', async () => {
    const session = await open();
    const shared = new library.SharedEntries();
    shared.note(session);
    const { entries } = await library.statsOfSession(session, { tokenizer: 'chars', baseline: {}, shared });
    expect(entries).toBe(0);
  });

  it('for the cache', async () => {
    const session = await open();
    const { tree } = session;
    const whole = library.pathTo(tree, tree.leaf!);
    const options = { block: 1, minimum: 1024, retention: 5 };
    const report = library.reportCache({ session, path: whole, baseline: {} }, options);
    expect([...report.requests, report.summary].map(plain)).toEqual(
      await printed('cache', '-', '--retention', '5', '--each'),
    );
  });

  it('for what a compaction lost', async () => {
    const session = await open();
    const document = library.auditLoss({ session }, session.tree.leaf!);
    expect(schemas.loss.parse(document)).toEqual(document);
    // Without a revision, the command adds what was lost along the path.
    expect([plain(document)]).toEqual(await printed('loss', '-', '@{compaction}', '--full'));
  });

  it('for where a compaction would cut', async () => {
    const session = await open();
    const { tree } = session;
    const whole = library.pathTo(tree, tree.leaf!);
    const { keepRecentTokens } = library.compactionSettings([{ compaction: { keepRecentTokens: 100 } }], null);
    const preparation = library.prepareCompaction(session, { path: whole, keepRecentTokens });
    expect(whole.map(({ id }) => id)).toContain(preparation?.firstKeptEntryId);
    expect(preparation?.messagesToSummarize.length).toBeGreaterThan(0);
    const all = { path: whole, keepRecentTokens: 1_000_000 };
    expect(library.prepareCompaction(session, all)).toBeNull();
  });

  it('for a migration', async () => {
    const old = readFileSync(path.join(projectFolder, 'fixtures/version-1.jsonl'));
    const session = await library.openSession(old);
    expect(library.isOld(session)).toBe(true);
    const { result, changedLines } = library.planMigration(session, { compactions: null });
    const made = await library.openSession(result.read(0, result.size));
    expect([library.isOld(made), made.header.version, changedLines > 0]).toEqual([false, 3, true]);
    const messages = (of: library.OpenSession): unknown => library.envelopeAt(of).messages;
    expect(messages(made)).toEqual(messages(session));
  });
});
