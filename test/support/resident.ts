import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, ftruncateSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { projectFolder } from './files.js';

/** What a command line printed to both streams, in the order of printing, without the last line feed. */
export interface Printed {
  readonly all: string;
  readonly exitCode: number;
}

/**
 * What a shell calls as `ctx`: the resident process gets the words, the environment, and the input where ctx reads it.
 * Where both streams lead to the same place, they are one file, in the order of printing.
 */
const IN_A_SHELL = `
exec 2>&1
ctx() {
  local call code
  call=$(mktemp -d "\${CTX_CALLS%/*}/XXXXXX") && mkfifo "$call/code" || return
  case " $* " in *' - '* | *' rpc '*) cat ;; esac > "$call/in"
  [ /dev/fd/1 -ef /dev/fd/2 ] || : > "$call/err"
  env -0 > "$call/env"
  printf '%s\\0' "$@" > "$call/words"
  echo "$call" > "$CTX_CALLS"
  read -r code < "$call/code"
  cat "$call/out"
  [ ! -e "$call/err" ] || cat "$call/err" >&2
  return "$code"
}
`;

/** The built program in one process that runs many command lines: it is loaded once. */
export class Resident {
  private readonly folder = mkdtempSync(path.join(tmpdir(), 'ctx-resident-'));
  /** A named pipe, to which shells write the folders of their calls. */
  private readonly calls = path.join(this.folder, 'calls');
  private readonly file = path.join(this.folder, 'printed');
  private readonly descriptor = openSync(this.file, 'a');
  private readonly child: ChildProcess;
  /** Rejects when the process ends. */
  private readonly gone: Promise<never>;

  /** `columns`: the width of the output. `cwd`: the folder in which it works. `env`: variables beside those of the tests. */
  constructor(
    private readonly columns = 80,
    { cwd = projectFolder, env = {} }: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
  ) {
    execFileSync('mkfifo', [this.calls]);
    this.child = fork(path.join(projectFolder, 'test/support/resident.cjs'), {
      cwd,
      env: { ...process.env, ...env, COLUMNS: String(columns), CTX_CALLS: this.calls },
      execArgv: [],
      stdio: ['ignore', this.descriptor, this.descriptor, 'ipc'],
    });
    this.gone = once(this.child, 'exit').then(() => Promise.reject(new Error('a command line ended the process')));
    // Its end is a failure only while a command line runs.
    this.gone.catch(() => {});
  }

  /** Runs one command line. Call it again only when the last one has ended. */
  async run(words: readonly string[]): Promise<Printed> {
    ftruncateSync(this.descriptor);
    this.child.send(words);
    const [exitCode] = (await Promise.race([once(this.child, 'message'), this.gone])) as [number];
    return { all: readFileSync(this.file, 'utf8').replace(/\n$/, ''), exitCode };
  }

  /** Runs a line of a shell. Bash is started only for what it has to read: pipes, redirections, patterns. */
  async runLine(line: string): Promise<Printed> {
    const [program, ...words] = plainWords(line) ?? [];
    if (program === 'ctx') return this.run(words);
    // By itself bash reads the start-up files of the user who runs this, when its input is a socket.
    const { stdout, exitCode = -1 } = await execa('bash', ['--norc', '-c', `${IN_A_SHELL}${line}`], {
      cwd: projectFolder,
      env: { COLUMNS: String(this.columns), CTX_CALLS: this.calls },
      stdin: 'ignore',
      reject: false,
    });
    return { all: stdout, exitCode };
  }

  close(): void {
    // Between command lines it holds signals back, as a command does at its end.
    this.child.kill('SIGKILL');
    closeSync(this.descriptor);
    rmSync(this.folder, { recursive: true });
  }
}

/** One word of a shell: parts in quotes, and parts without that mean themselves. */
const WORD = /^(?:'[^']*'|"[^"$`\\]*"|[^\s'"$`\\|&;<>()*?[\]{},~#!]|(?<=\S)[{},~#](?![^\s]*,))+$/;

/** The words of a line that bash takes as it is; null where only bash knows them: pipes, patterns, variables. */
function plainWords(line: string): readonly string[] | null {
  const words = line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  if (!words.every((word) => WORD.test(word))) return null;
  return words.map((word) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double));
}
