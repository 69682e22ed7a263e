import { type ChildProcessByStdio, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { asText, type JsonObject } from '#base/json.js';

/** The variables with which a client reaches no network but loopback. */
export const NO_NETWORK = {
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost',
};

/** An empty home, a folder in which a client works, and one with programs that it finds. */
export class World {
  private readonly root = realpathSync(mkdtempSync(path.join(tmpdir(), 'ctx-client-')));
  readonly home = path.join(this.root, 'home');
  readonly folder = path.join(this.root, 'work');
  readonly programs = path.join(this.root, 'bin');
  private readonly started: Client[] = [];

  constructor() {
    for (const folder of [this.home, this.folder, this.programs]) mkdirSync(folder);
  }

  /** Writes a file, from the folder in which the client works. */
  write(name: string, content: string | Uint8Array, mode = 0o644): void {
    const file = path.resolve(this.folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content, { mode });
  }

  /** The files below a folder, with their contents. */
  files(folder: string, pattern: RegExp): Readonly<Record<string, Uint8Array>> {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => pattern.test(name));
    const paths = names.toSorted().map((name) => path.join(folder, name));
    return Object.fromEntries(paths.map((file) => [file, readFileSync(file)]));
  }

  /** Starts a client, whose lines are JSON. It reaches no network but loopback. */
  start(program: string, args: readonly string[], env: Readonly<Record<string, string>>): Client {
    const child = spawn(program, args, {
      cwd: this.folder,
      env: {
        PATH: `${this.programs}:${process.env['PATH'] ?? ''}`,
        HOME: this.home,
        TZ: 'UTC',
        LANG: 'C.UTF-8',
        ...NO_NETWORK,
        ...env,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const client = new Client(child);
    this.started.push(client);
    return client;
  }

  /** Ends what still runs, and removes everything. `CTX_CLIENTS_KEEP=1` keeps the folders and requests, and names them. */
  async end(requests: readonly { readonly body: JsonObject }[]): Promise<void> {
    await Promise.all(this.started.map((client) => client.kill()));
    endProgramsBelow(this.root);
    if (process.env['CTX_CLIENTS_KEEP'] !== '1') {
      rmSync(this.root, { recursive: true, force: true });
      return;
    }
    for (const [at, { body }] of requests.entries())
      writeFileSync(path.join(this.root, `request-${at + 1}.json`), JSON.stringify(body));
    console.log(this.root);
  }
}

/** Ends the programs that a client unpacked into its home and left running: Codex has such a server. Only Linux tells them. */
function endProgramsBelow(folder: string): void {
  const running = existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  for (const id of running) {
    try {
      if (readlinkSync(`/proc/${id}/exe`).startsWith(`${folder}${path.sep}`)) process.kill(Number(id), 'SIGKILL');
    } catch {
      // It has ended, or is another user's.
    }
  }
}

/** A running client. What it prints is kept in memory only. */
export class Client {
  readonly events: JsonObject[] = [];
  private errors = '';
  private isOver = false;
  private readonly exit: Promise<void>;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly child: ChildProcessByStdio<Writable, Readable, Readable>) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.take(line);
    });
    child.stderr.on('data', (data: Buffer) => (this.errors += data.toString()));
    child.stdin.on('error', () => {});
    this.exit = new Promise((done) => {
      child.on('close', () => {
        this.isOver = true;
        this.wake();
        done();
      });
      child.on('error', () => {
        this.isOver = true;
        this.wake();
        done();
      });
    });
  }

  send(value: JsonObject): void {
    this.child.stdin.write(`${JSON.stringify(value)}\n`);
  }

  /** Waits for an event that was not there before. */
  async next(isWanted: (event: JsonObject) => boolean, from = this.events.length): Promise<JsonObject> {
    for (;;) {
      const found = this.events.slice(from).find(isWanted);
      if (found) return found;
      if (this.isOver) throw new Error(`the client ended: ${this.code}`);
      const isWaiting = await this.waits();
      if (!isWaiting) throw new Error(`the client is silent, after ${this.lastEvents()}`);
    }
  }

  /** null while it runs, and if a signal ended it. */
  get exitCode(): number | null {
    return this.child.exitCode;
  }

  closeInput(): void {
    this.child.stdin.end();
  }

  /** Lets the client end by itself. */
  async end(): Promise<void> {
    this.closeInput();
    await this.exit;
  }

  async kill(): Promise<void> {
    if (!this.isOver) this.child.kill('SIGKILL');
    await this.exit;
  }

  /** How it ended. What it printed may be its maker's, and stays here unless a developer asks. */
  private get code(): string {
    const said = process.env['CTX_CLIENTS_SHOW'] === '1' ? `\n${this.errors}` : '';
    return `exit code ${String(this.child.exitCode)}, signal ${String(this.child.signalCode)}${said}`;
  }

  private take(line: string): void {
    try {
      this.events.push(JSON.parse(line) as JsonObject);
    } catch {
      return;
    }
    this.wake();
  }

  /** Waits for the next line; false if there is none for a long time. */
  private async waits(): Promise<boolean> {
    return new Promise((done) => {
      const timer = setTimeout(done, LONGEST_SILENCE, false);
      this.waiting.add(() => {
        clearTimeout(timer);
        done(true);
      });
    });
  }

  /** The kinds of the last events. */
  private lastEvents(): string {
    return this.events
      .slice(-5)
      .map(({ type, method, id }) => asText(type ?? method ?? id))
      .join(', ');
  }

  private wake(): void {
    for (const done of this.waiting) done();
    this.waiting.clear();
  }
}

/** Milliseconds after which a client that says nothing hangs. */
const LONGEST_SILENCE = 120_000;
