import { EXIT_CODES } from '#base/errors.js';
import { renderers } from '#ui/doc/index.js';
import { agents } from './agents.js';

/** A paragraph, a list of terms with what they mean, or lines as they are. */
export type TopicPiece = string | { readonly terms: readonly Term[] } | { readonly lines: readonly string[] };
type Term = readonly [term: string, meaning: string];

/** Something that is the same for many commands. */
export interface Topic {
  readonly name: string;
  readonly summary: string;
  readonly text: readonly TopicPiece[];
}

export const topics: readonly Topic[] = [
  {
    name: 'sessions',
    summary: 'how a session is named',
    text: [
      {
        terms: [
          ['PATH', 'a session file'],
          ['ID', "the id of a session in Pi's session folder, or a beginning of it that no other session has"],
          ['latest', 'the session that was written last; one of the working directory where there is any'],
          ['-', 'standard input'],
        ],
      },
      'Where a command needs one session and none is named, it is latest. Pi keeps its sessions in ~/.pi/agent/sessions, or in the folder sessions of $PI_CODING_AGENT_DIR. ctx ls lists them with the shortest name of each.',
    ],
  },
  {
    name: 'revisions',
    summary: 'how an entry of a session is named',
    text: [
      {
        terms: [
          ['HEAD, @', 'the active leaf, where the session goes on'],
          ['ID', 'an entry id, or a beginning of it of at least 4 characters that no other entry has'],
          ['LABEL', 'the entry that bears a label'],
          ['@{turn:N}', 'where the Nth turn of the active path begins; negative numbers count from the end'],
          ['@{request:N}', 'the entry that the Nth request of the active path was built at'],
          ['@{compaction}', 'the latest compaction of the active path'],
          ['REV^', 'the parent of an entry'],
          ['REV~N', 'the entry N steps towards the root; steps can be put together: HEAD~2^'],
          ['A..B', 'a range: what is on the path to B and not on the path to A; a side that is left out is HEAD'],
          ['FILE@REV', 'an entry of another session, for ctx diff'],
        ],
      },
      'Put quotes around names with braces and around labels with spaces:',
      { lines: ["ctx show session.jsonl --at '@{request:2}'", 'ctx log session.jsonl before-refactoring..HEAD'] },
    ],
  },
  {
    name: 'formats',
    summary: 'how results are printed',
    text: [
      'Every command takes --format; --json is short for --format json.',
      { terms: renderers.map(({ name, summary }) => [name, summary] as const) },
      'Some commands have formats of their own, such as csv or sarif, and some take a template, such as --format "{id} {name}": ctx help COMMAND names them. A command that prints many things prints a line of JSON for each of them. All JSON has the fields schema and schemaVersion; the JSON Schemas are in docs/schema.',
      'Results go to standard output, all else to standard error. With --output - a new file goes to standard output, and what is said of it to standard error. Text of a session is made safe for a terminal; ctx cat --raw prints the bytes as they are. Long text on a terminal goes through a pager: see ctx help environment.',
    ],
  },
  {
    name: 'exit-codes',
    summary: 'what the exit code of a command says',
    text: [
      {
        terms: [
          ['0', 'fine'],
          ['1', 'something was found: findings, no match, a difference that was asked for, a budget that is broken'],
          [String(EXIT_CODES.usage), 'the command line or the configuration makes no sense'],
          [String(EXIT_CODES.input), 'the session cannot be read or replayed'],
          [
            String(EXIT_CODES.refused),
            'nothing was written: there is nothing to do, the session has changed, is locked, or the file is there',
          ],
          [String(EXIT_CODES.bug), 'a bug in ctx'],
          ['130', 'interrupted'],
        ],
      },
      'An error is one line on standard error that says what, where, and what to do; with --json it is one JSON object. A reader that goes away, as in ctx log | head, is no error. CTX_DEBUG=1 adds where in ctx an error comes from.',
    ],
  },
  {
    name: 'config',
    summary: 'what a configuration file can say',
    text: [
      'The nearest one counts: the first of ctx.config.json, ctx.config.js, ctx.config.ts (also .mjs, .cjs, .mts, .cts) and the key ctx of package.json in the working folder, else in a folder above it, up to your home folder. --config FILE names another one where a command has that flag; --no-config does without.',
      'Its key defaults holds flags of commands, without their dashes. A flag on the command line counts before it.',
      { lines: ['{ "defaults": { "show": { "limit": "200k" }, "log": { "oneline": true } } }'] },
      'Defaults are read from JSON only, so that no program runs because somebody looks at a session. What writes, runs a program or sends something cannot be a default. The other keys are for ctx check, prune, status, gate, assemble, engine and simulate: see docs/configuration.md.',
    ],
  },
  {
    name: 'environment',
    summary: 'the environment variables that ctx reads',
    text: [
      {
        terms: [
          ['PI_CODING_AGENT_DIR', 'where Pi keeps what is its own; ~/.pi/agent otherwise'],
          [
            'CTX_PAGER, PAGER',
            'the pager for text that is longer than the terminal; less -FRX otherwise. cat or nothing: no pager. --no-pager does the same for one run',
          ],
          ['NO_COLOR', 'no colours, unless --color or FORCE_COLOR asks for them'],
          ['FORCE_COLOR', 'colours also where output is no terminal; 0: no colours'],
          ['CLICOLOR_FORCE, CLICOLOR', '1 in the first: like FORCE_COLOR; 0 in the second: no colours'],
          ['COLUMNS', 'how long lines can be where there is no terminal'],
          ['FORCE_HYPERLINK', '1: print names of files as hyperlinks; 0: never. Otherwise the terminal decides'],
          ['ANTHROPIC_API_KEY, OPENAI_API_KEY', 'for ctx compact --summarizer model; --key-from names another one'],
          ['CTX_DEBUG', '1: errors say where in ctx they come from'],
          ['CTX_STRICT', '1: parse every line of a session, and take no shortcut'],
        ],
      },
    ],
  },
  agents,
];
