import { randomInt } from 'node:crypto';
import path from 'node:path';
import { type Complaint, findComplaint } from '#base/complaint.js';
import { CtxError } from '#base/errors.js';
import { didYouMean } from '#base/suggestion.js';
import type { SummaryTask } from '#change/compact/summarizers/define.js';
import { summarizerFlags } from '#change/compact/summarizers/index.js';
import { type Assembly, buildDefaultAssembly } from '#lab/injectors/assembly.js';
import {
  type ActiveInjector,
  type CacheStrategy,
  fitsPhase,
  type Injector,
  type Phase,
  type Placement,
  type SourceText,
} from '#lab/injectors/define.js';
import { InjectorModules } from '#lab/injectors/module.js';
import { buildTextInjector } from '#lab/injectors/text-injector.js';
import type { Io } from '#platform/io.js';
import type { StartPlugin } from '#platform/plugin.js';
import { readTextFile } from '../read-json.js';
import {
  type AssemblySettings,
  type InjectorSetting,
  assemblySchema as schema,
  type SummarizerSetting,
} from './assembly-schema.js';
import { type ReadConfig, refuseUntrusted, resolveConfigName } from './read-config.js';

/**
 * The assembly of a configuration, with the texts of its files. Throws a CtxError for an invalid setting (usage) or an
 * unreadable file (input).
 */
export async function loadAssembly(
  io: ConfigIo,
  read: ReadConfig,
  code: AssemblyCode | null = null,
): Promise<Assembly> {
  const { injectors, variation, summarizer, ...rest } = readAssembly(read.config.assembly ?? {}, read.file ?? '');
  const modules = new InjectorModules();
  return {
    ...rest,
    injectors: await loadInjectors(io, read, injectors, code && { ...code, modules }),
    variation: variation === 'random' ? randomInt(LARGEST_SEED) : variation,
    summarize: createSummarizer(read, summarizer, code),
    close: () => modules.close(),
  };
}

/** The outside world of a configuration: it names files, relative to itself. */
type ConfigIo = Pick<Io, 'cwd' | 'files'>;

/** The abilities of a command, and the modules that run by them. */
interface ModuleCode extends AssemblyCode {
  readonly modules: InjectorModules;
}

/** Small enough to be written back into a configuration by hand. */
const LARGEST_SEED = 1_000_000;

/**
 * The injectors that take part: those that are built in, as the settings change them, and those of the user. Without
 * `code` no module runs, and its injector puts in nothing.
 */
async function loadInjectors(
  io: ConfigIo,
  read: ReadConfig,
  settings: readonly InjectorSetting[],
  code: ModuleCode | null,
): Promise<readonly ActiveInjector[]> {
  const builtIn = buildDefaultAssembly().injectors;
  const byName = new Map(builtIn.map((active) => [active.injector.name, active]));
  const seen = new Set<string>();
  for (const [at, setting] of settings.entries()) {
    const { name } = setting;
    const place = `assembly.injectors[${at}]`;
    const complaint = seen.has(name) ? buildRepeatedComplaint(name) : findComplaintAbout(setting, builtIn);
    if (complaint !== null) {
      throw new CtxError('usage', `${place} ${complaint.what}`, { where: read.file ?? '', hint: complaint.hint });
    }
    seen.add(name);
    if (setting.off) {
      byName.delete(name);
      continue;
    }
    const standard = builtIn.find(({ injector }) => injector.name === name);
    const choice = { setting, placement: choosePlacement(setting, standard?.placement) };
    if (setting.module === undefined || code === null) {
      byName.set(name, await createActiveInjector(io, read.file, { ...choice, standard }));
      continue;
    }
    refuseUntrusted(read, `${place}.module runs code`);
    const module = resolveConfigName(read.file, io, setting.module);
    byName.set(name, createModuleInjector(module, choice, code));
  }
  return [...byName.values()];
}

function buildRepeatedComplaint(name: string): Complaint {
  return { what: `names "${name}" again`, hint: 'say all of it in one place' };
}

/** Finds the mistake of a setting by itself; null for none. */
function findComplaintAbout(setting: InjectorSetting, builtIn: readonly ActiveInjector[]): Complaint | null {
  const standard = builtIn.find(({ injector }) => injector.name === setting.name);
  const complaint = standard ? findBuiltInComplaint(standard.injector, setting) : findOwnComplaint(setting, builtIn);
  if (complaint !== null) return complaint;
  const placement = choosePlacement(setting, standard?.placement);
  if (fitsPhase(placement)) return null;
  return { what: `puts ${placement.cache} content into the phase ${placement.phase}`, hint: FITTING };
}

const FITTING = 'dynamic goes with the phase runtime and only with it, so that what is cached comes first';

function readAssembly(value: unknown, where: string): AssemblySettings {
  const complaint = findComplaint(schema, value, ['assembly']);
  if (complaint !== null) throw new CtxError('usage', complaint.what, { where, hint: complaint.hint });
  return schema.parse(value);
}

const SOURCES = ['text', 'file', 'files', 'module'] as const;

function findBuiltInComplaint(injector: Injector, setting: InjectorSetting): Complaint | null {
  const { name, isFixed, needs, top } = injector;
  const moved = (['phase', 'cache', 'priority'] as const).find((key) => setting[key] !== undefined);
  if (isFixed && moved) return { what: `sets "${moved}" of ${name}, which has its place`, hint: 'leave it out' };
  const source = SOURCES.find((key) => setting[key] !== undefined);
  if (needs === 'nothing' && source)
    return { what: `gives ${name} a "${source}", and it needs none`, hint: 'leave it out' };
  if (top === null && setting.top !== undefined)
    return { what: `sets "top" of ${name}, which does not choose`, hint: 'leave it out' };
  return findSeveralSources(setting);
}

function findOwnComplaint(setting: InjectorSetting, builtIn: readonly ActiveInjector[]): Complaint | null {
  const { name, top, off } = setting;
  if (SOURCES.every((key) => setting[key] === undefined)) {
    const names = builtIn.map(({ injector }) => injector.name);
    const hint = didYouMean(name, names, `give it a "text", a "file" or a "module"; built in are ${names.join(', ')}`);
    return { what: `has nothing to say: "${name}" is not built in`, hint };
  }
  if (top !== undefined) return { what: 'sets "top" of a text, which is taken whole', hint: 'leave it out' };
  if (off) return { what: 'is off, and not built in', hint: 'leave it out whole' };
  return findSeveralSources(setting);
}

function findSeveralSources(setting: InjectorSetting): Complaint | null {
  const given = SOURCES.filter((key) => setting[key] !== undefined);
  return given.length > 1 ? { what: `has a "${given.join('" and a "')}"`, hint: 'choose one of them' } : null;
}

/** The usual cache strategy of each phase. */
const CACHE_OF: Readonly<Record<Phase, CacheStrategy>> = {
  system: 'stable',
  'user-context': 'session',
  runtime: 'dynamic',
};

/** The defaults of a user's injector. */
const OWN_PLACEMENT: Omit<Placement, 'cache'> = { phase: 'user-context', priority: 50, maxTokens: 500 };

/** An injector in another phase is cached as that phase is, unless the configuration sets `cache`. */
function choosePlacement({ phase, cache, priority, budget }: InjectorSetting, standard?: Placement): Placement {
  const from = standard ?? { ...OWN_PLACEMENT, cache: CACHE_OF[OWN_PLACEMENT.phase] };
  const inPhase = phase ?? from.phase;
  return {
    phase: inPhase,
    cache: cache ?? (inPhase === from.phase ? from.cache : CACHE_OF[inPhase]),
    priority: priority ?? from.priority,
    maxTokens: budget ?? from.maxTokens,
  };
}

interface InjectorChoice {
  readonly setting: InjectorSetting;
  readonly placement: Placement;
}

async function createActiveInjector(
  io: ConfigIo,
  file: string | null,
  { setting, placement, standard }: InjectorChoice & { readonly standard: ActiveInjector | undefined },
): Promise<ActiveInjector> {
  const { name, text, top } = setting;
  const names = setting.files ?? (setting.file === undefined ? [] : [setting.file]);
  const texts = text === undefined ? await readTexts(io, { file, injector: name }, names) : [{ path: name, text }];
  const injector = standard?.injector ?? buildTextInjector(name, placement);
  return { injector, placement, settings: { texts, top: top ?? injector.top ?? 0 } };
}

function createModuleInjector(
  file: string,
  { setting, placement }: InjectorChoice,
  { modules, startPlugin, timeLimit, onLog }: ModuleCode,
): ActiveInjector {
  const logLine = (line: string): void => onLog(file, line);
  const injector = modules.add({ name: setting.name, file, placement, startPlugin, timeLimit, onLog: logLine });
  return { injector, placement, settings: { texts: [], top: 0 } };
}

/** The texts of a pattern's files, in the order of their names. The model sees paths relative to the configuration. */
async function readTexts(
  io: ConfigIo,
  { file, injector }: { readonly file: string | null; readonly injector: string },
  names: readonly string[],
): Promise<readonly SourceText[]> {
  const folder = path.dirname(path.resolve(io.cwd || '/', file ?? '.'));
  const noFileError = (what: string, name: string): CtxError =>
    new CtxError('usage', `${what} the injector "${injector}"`, {
      where: resolveConfigName(file, io, name),
      hint: 'correct the configuration',
    });
  const lists = names.map(async (name) => {
    if (!PATTERN.test(name)) return [name];
    const found = await io.files.glob(name, folder);
    if (found.length === 0) throw noFileError('no file matches a pattern of', name);
    return found.toSorted();
  });
  const texts: SourceText[] = [];
  for (const each of new Set((await Promise.all(lists)).flat())) {
    const where = resolveConfigName(file, io, each);
    if (!io.files.exists(where)) throw noFileError('there is no file for', each);
    texts.push({ path: each.replaceAll(path.sep, '/'), text: await readTextFile(io.files, where) });
  }
  return texts;
}

/** The name of files is a pattern if it has one of these signs. */
const PATTERN = /[*?[{]/;

/** The abilities of a command that an assembly with code needs. */
interface AssemblyCode {
  readonly startPlugin: StartPlugin;
  /** Milliseconds that each call of a module may take. */
  readonly timeLimit: number;
  onLog(file: string, line: string): void;
  /** Writes a summary as the flags of `ctx compact` say. */
  summarize(task: SummaryTask, flags: Readonly<Record<string, unknown>>): Promise<string>;
}

/** The summarizer that a configuration names; null: fixed rules, which need no model. */
function createSummarizer(
  read: ReadConfig,
  setting: SummarizerSetting | undefined,
  code: AssemblyCode | null,
): Assembly['summarize'] {
  if (setting === undefined || setting.name === 'extract' || code === null) return null;
  refuseUntrusted(read, 'assembly.summarizer runs a program or calls a model');
  const { name, ...values } = setting;
  const flags = { summarizer: name, ...readFlags(values) };
  return (task) => code.summarize(task, flags);
}

/** The values of flags, read as on the command line. */
function readFlags(
  values: Readonly<Record<string, string | number | true | undefined>>,
): Readonly<Record<string, unknown>> {
  const parsers = new Map(Object.entries(summarizerFlags).map(([name, { parse }]) => [name, parse]));
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, parsers.get(name)?.(String(value))]));
}
