import { type FlagHelp, listCommonFlags } from '#cli/arguments/command-flags.js';
import type { Command } from '#cli/commands/define.js';
import { loadCommands } from '#cli/commands/index.js';
import type { Random } from '../../support/random.js';
import { sessionBytes, someJson } from './fuzz-files.js';

/** A command line, and the files that there are. */
export interface Case {
  readonly argv: readonly string[];
  readonly files: Readonly<Record<string, Uint8Array>>;
}

/**
 * They need what a case has not: a terminal, a program of the user's in a process of its own, a data base,
 * folders of an archive, threads.
 */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'archive',
  'mcp',
  'explore',
  'hooks',
  'simulate',
  'engine run',
  'engine check',
  'query',
  'report',
]);
const commands = (await loadCommands()).filter(({ name }) => !LEFT_OUT.has(name));

/** Commands that read one session, which is what the most is made of. */
const SESSION = 's.jsonl';
const OTHER = 'all/t.jsonl';

/** Values whose texts mean something somewhere. */
const REVISIONS = [
  'HEAD',
  'HEAD',
  'HEAD',
  'HEAD~1',
  'HEAD^',
  '@{turn:1}',
  '@{turn:-1}',
  '@{request:2}',
  '@{compaction}',
  'start',
  '0000',
];
const ODD_WORDS = [
  '',
  '-',
  '--',
  '-1',
  '0',
  '1e9',
  '999999999999',
  '__proto__',
  'constructor',
  '../../etc/passwd',
  '\u001b[31mred\u0007',
  '\u202eevil',
  '\ud800',
  'HEAD~99999999999',
  '@{turn:0}',
  '@{',
  '..',
  'a..b',
  '[',
  '漢字',
  'x'.repeat(3000),
];
const NUMBERS = ['0', '1', '2', '40', '200k', '1M'];
const FILES: Readonly<Record<string, (random: Random) => Uint8Array>> = {
  [SESSION]: sessionBytes,
  [OTHER]: sessionBytes,
  'some.json': someJson,
};

/** They wait for what is written later. */
const ENDLESS: ReadonlySet<string> = new Set(['watch', 'follow']);

/** Without them, some commands refuse to do anything. */
const NEEDED: Readonly<Record<string, readonly (readonly string[])[]>> = {
  redact: [['--output', 'new.jsonl'], ['--dry-run']],
  extract: [['--output', 'new.jsonl'], ['--dry-run']],
  prune: [['--limit', '40'], ['--zone', 'red'], ['--strategy', 'tool-output'], ['--list']],
  status: [
    ['--limit', '40'],
    ['--limit', '200k'],
  ],
  gate: [
    ['--limit', '40'],
    ['--limit', '2k'],
  ],
  assemble: [['--budget', '2k']],
  compact: [['--keep-recent', '1']],
  completion: [['bash'], ['zsh'], ['fish']],
};

/** A command line by the grammar that the commands themselves state, and files for it. */
export function caseOf(random: Random): Case {
  const command = random.pick(commands);
  const files = Object.fromEntries(Object.entries(FILES).map(([name, make]) => [name, make(random)]));
  return { argv: [command.name, ...new CommandLine(random, idsIn(files[SESSION])).words(command)], files };
}

/** Some ids of the session, whose bytes may be anything. */
function idsIn(session: Uint8Array = Buffer.from('')): readonly string[] {
  const text = Buffer.from(session).toString('latin1');
  return [...text.matchAll(/"(?:id|label)":"([^"\\]{1,40})"/g)].map(([, id = '']) => id);
}

class CommandLine {
  constructor(
    private readonly random: Random,
    private readonly ids: readonly string[],
  ) {}

  words(command: Command): readonly string[] {
    const { random } = this;
    const needed = random.pick(NEEDED[command.name] ?? [[]]);
    const words = [
      ...this.args(command),
      ...(random.chance(0.9) ? needed : []),
      ...this.flags(command).filter((word) => !needed.includes(word)),
    ];
    if (random.chance(0.03)) words.splice(random.int(0, words.length), 0, random.pick(ODD_WORDS));
    return words;
  }

  private args({ name, args }: Command): readonly string[] {
    const { random } = this;
    const given = args.flatMap((arg) => {
      const times = arg.isMany ? random.int(1, 3) : 1;
      // `ctx diff` takes two revisions of one session.
      return Array.from({ length: times }, (_, at) => this.argument(arg.name, name === 'diff' && at > 0));
    });
    return random.chance(0.1) ? given.slice(0, random.int(0, given.length)) : given;
  }

  private argument(name: string, isLater: boolean): string {
    const { random } = this;
    if (random.chance(0.03)) return random.pick(ODD_WORDS);
    if (isLater || /^(rev|range)/.test(name)) return this.revision();
    if (/pattern/.test(name)) return random.pick(['question', 'a|b', '.', '^$', String.raw`\d+`, '(']);
    if (name === 'patch') return 'some.json';
    if (/session|file|what|folder|path/.test(name))
      return random.chance(0.9) ? SESSION : random.pick([OTHER, 'all', 'latest', 'some.json']);
    return random.chance(0.5) ? this.revision() : SESSION;
  }

  private revision(): string {
    const one = this.oneRevision();
    return this.random.chance(0.15) ? `${one}..${this.oneRevision()}` : one;
  }

  private oneRevision(): string {
    const { random, ids } = this;
    return random.pick(ids.length > 0 && random.chance(0.5) ? ids : REVISIONS);
  }

  private flags(command: Command): readonly string[] {
    const { random } = this;
    const own: readonly FlagHelp[] = Object.entries(command.flags).map(([name, flag]) => ({ name, ...flag }));
    const all = [...own, ...listCommonFlags(command)].filter(({ name }) => !ENDLESS.has(name));
    const words = Array.from({ length: random.int(0, 3) }, () => random.pick(all)).flatMap((flag) =>
      this.written(flag),
    );
    // What is printed as JSON can be looked at more closely.
    return random.chance(0.4) ? [...words, '--json'] : words;
  }

  private written({ name, placeholder, choices }: FlagHelp): readonly string[] {
    return placeholder === null ? [`--${name}`] : [`--${name}`, this.value(placeholder, choices)];
  }

  private value(placeholder: string, choices: readonly string[] | undefined): string {
    const { random } = this;
    if (random.chance(0.04)) return random.pick(ODD_WORDS);
    if (choices) return random.pick(choices);
    if (/REV/.test(placeholder)) return this.revision();
    if (/^(N|TOKENS|SECONDS|CHARS|BYTES|MS)$/.test(placeholder)) return random.pick(NUMBERS);
    if (/FILE|DIR|PATH/.test(placeholder))
      return random.pick(['some.json', 'new.jsonl', 'new.jsonl', 'folder', SESSION]);
    if (/^(RE|REGEX|PATTERN)$/.test(placeholder)) return random.pick(['question', '.', '^', 'x+y', '(']);
    return random.pick(['system', 'read', 'bash', 'all', 'file,tree', 'thinking', 'A name', '2026-03-02', ...NUMBERS]);
  }
}
