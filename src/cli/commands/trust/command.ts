import path from 'node:path';
import { CtxError } from '#base/errors.js';
import { toVisibleLine } from '#base/visible.js';
import { isConfigProgram } from '#platform/files/load-config.js';
import type { Io } from '#platform/io.js';
import { type Doc, fileHeading, line, span } from '#ui/doc/doc.js';
import { listConfigActions } from '../../config/config-actions.js';
import { parseConfig } from '../../config/schema.js';
import { type CommandInput, defineCommand, type Outcome } from '../define.js';
import { toggleFlag } from '../flags.js';
import type { TrustDocument } from './document.js';

const FLAGS = {
  list: { ...toggleFlag('list the configurations that you have allowed'), excludes: ['remove', 'yes'] },
  remove: { ...toggleFlag('take the permission back'), excludes: ['yes'] },
  yes: { ...toggleFlag('allow it without asking for confirmation'), short: 'y' },
};

type Flags = CommandInput<typeof FLAGS>['flags'];

export default defineCommand({
  name: 'trust',
  summary: 'Allow a configuration to run code and write files',
  description:
    'A configuration that ctx finds in the working directory or above may come from someone else. Until you allow it, it ' +
    'sets rules, limits and looks only: it runs no program and no module, names no file to write, and instructs no model. ' +
    'The permission is for its present content, and ends when that changes.',
  args: [{ name: 'configuration', help: 'the file, or its folder (default: the nearest configuration)' }],
  flags: FLAGS,
  examples: ['ctx trust', 'ctx trust ctx.config.ts --yes', 'ctx trust --list', 'ctx trust --remove'],
  async run({ io, args: [named], flags }) {
    if (flags.list) return printTrust(io, { file: null, acts: [], allowed: false });
    const file = findConfiguration(io, named);
    const acts = isConfigProgram(file)
      ? listConfigActions(file, {})
      : listConfigActions(file, parseConfig(await io.configs.load(file), file));
    if (flags.remove) io.configs.trusted.remove(file);
    else if (acts.length > 0 && !io.configs.trusted.has(file)) await assertAllowed(io, { file, acts, flags });
    return printTrust(io, { file, acts, allowed: io.configs.trusted.has(file) });
  },
});

/** The configuration that the user means. Throws a CtxError (usage) if there is none. */
function findConfiguration(io: Io, named: string | undefined): string {
  const place = path.resolve(io.cwd, named ?? '.');
  const file = named !== undefined && isFile(io, place) ? place : io.configs.nearest(place);
  if (file !== null) return file;
  throw new CtxError('usage', 'there is no configuration', {
    where: named ?? '.',
    hint: 'name its file: ctx trust FILE',
  });
}

function isFile(io: Io, file: string): boolean {
  return isConfigProgram(file) || file.endsWith('.json') || io.files.beginning(file, 1).length > 0;
}

interface Asking {
  readonly file: string;
  readonly acts: readonly string[];
  readonly flags: Flags;
}

/** Throws a CtxError (refused) unless the user agrees. */
async function assertAllowed(io: Io, { file, acts, flags }: Asking): Promise<void> {
  const name = path.relative(io.cwd, file);
  if (!flags.yes) {
    const question = [name, ...acts.map((act) => `  ${act}`), 'Allow that, until the file changes? [y/N]'];
    const answer = await io.ask(`${question.map(toVisibleLine).join('\n')} `);
    if (answer === null || !/^y(es)?$/i.test(answer.trim()))
      throw new CtxError('refused', 'not confirmed; nothing was allowed', {
        where: name,
        hint: answer === null ? 'pass --yes' : 'answer y, or pass --yes',
      });
  }
  io.configs.trusted.add(file);
}

function printTrust(io: Io, about: Pick<TrustDocument, 'file' | 'acts' | 'allowed'>): Outcome {
  const { trusted } = io.configs;
  const data: TrustDocument = {
    schema: 'ctx/trust',
    schemaVersion: 1,
    ...about,
    trusted: trusted.list().map((file) => ({ file, unchanged: trusted.has(file) })),
  };
  return { kind: 'single', item: { data, doc: () => renderTrust(io, data) }, problems: [] };
}

function renderTrust(io: Io, { file, acts, allowed, trusted }: TrustDocument): Doc {
  if (file === null) {
    if (trusted.length === 0) return [line('no configuration was allowed')];
    return trusted.map((one) =>
      line(one.unchanged ? one.file : `${one.file}: changed since then, so not allowed any more`),
    );
  }
  const heading = fileHeading(path.relative(io.cwd, file));
  if (acts.length === 0) return [heading, line('sets rules, limits and looks only, which needs no permission')];
  const verdict = allowed ? span('allowed, until the file changes', 'good') : span('not allowed', 'warning');
  return [heading, ...acts.map((act) => line(act)), line(verdict)];
}
