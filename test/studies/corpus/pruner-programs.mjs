import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { git, openClone } from './clone.mjs';
import { bin } from './support.mjs';
// Pruners of Claude Code sessions, in pinned versions. Each is downloaded once, and runs as its own program in an empty home.

/**
 * `npm` is a package, `repository` and `commit` are a source that npm does not have, `entry` the program to bundle in it.
 * `run` returns the command line for a session `id` that is `file`.
 */
const PRUNERS = [
  { name: 'ctx prune', version: 'this one', run: ({ file, out }) => pruneHere(file, out) },
  { name: 'ctx prune --zone red', version: 'this one', run: ({ file, out }) => pruneHere(file, out, '--zone', 'red') },
  {
    name: 'ccs-cloner clone --strip-tools',
    version: '0.5.0',
    npm: 'ccs-cloner@0.5.0',
    run: ({ program, id }) => [
      process.execPath,
      program('node_modules/ccs-cloner/dist/cli.js'),
      'clone',
      id,
      '--strip-tools',
    ],
  },
  {
    name: 'cozempic treat',
    version: '0.7.2',
    repository: 'Ruya-AI/cozempic',
    commit: 'ffadf7317d637260e8f3a340d02e049b2ff37560',
    env: ({ program }) => ({ PYTHONPATH: program('src') }),
    run: ({ file }) => ['python3', '-m', 'cozempic.cli', 'treat', file, '--execute'],
  },
  {
    // Without a model, which its other ways to shorten ask.
    name: 'claude-prune --no-summary --prune-tools-dedup',
    version: '4.3.1',
    repository: 'nicobailon/claude-prune',
    commit: 'b65f931ef77b8f1fe0c1527941d3675aba63634a',
    entry: 'src/index.ts',
    run: ({ program, id }) => [
      process.execPath,
      program('program.mjs'),
      id,
      '--no-resume',
      '--no-summary',
      '--prune-tools-dedup',
    ],
  },
  {
    name: 'cmv trim',
    version: '2.1.1',
    repository: 'CosmoNaught/claude-code-cmv',
    commit: 'ebec3540643e9c100fe2cafe13654816fcc9870a',
    entry: 'src/index.ts',
    run: ({ program, id }) => [process.execPath, program('program.mjs'), 'trim', '--session', id, '--skip-launch'],
  },
];

function pruneHere(file, out, ...flags) {
  return [process.execPath, bin, 'prune', file, '--output', out, '--yes', '--no-config', ...flags];
}

/** Downloads the pruners that are not in the folder yet. One that cannot be had has the reason as `missing`. */
export async function installPruners(folder, from) {
  const installed = [];
  for (const pruner of PRUNERS) {
    const place = path.resolve(folder, 'pruners', `${pruner.name.split(' ')[0]}-${pruner.version}`);
    const missing = await install(pruner, place, from).then(
      () => null,
      (error) => String(error.stderr ?? error.message).trim(),
    );
    installed.push({ ...pruner, program: (name) => path.join(place, name), missing });
  }
  return installed;
}

async function install({ npm, repository, commit, entry }, place, from) {
  const isNeeded = npm !== undefined || repository !== undefined;
  if (!isNeeded || existsSync(path.join(place, 'installed'))) return;
  mkdirSync(place, { recursive: true });
  if (repository !== undefined) {
    const { clone, end } = openClone(repository, [commit], from);
    try {
      execFileSync('tar', ['-x', '-C', place], { input: git(clone, 'archive', commit) });
    } finally {
      end();
    }
  }
  const runNpm = (...args) =>
    execFileSync('npm', [...args, '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: place });
  if (npm !== undefined) runNpm('install', '--prefix', place, '--save-exact', npm);
  if (entry !== undefined) {
    runNpm('install', '--omit=dev', '--omit=peer');
    const bundle = { bundle: true, packages: 'external', platform: 'node', format: 'esm', logLevel: 'error' };
    await build({ ...bundle, entryPoints: [path.join(place, entry)], outfile: path.join(place, 'program.mjs') });
  }
  mkdirSync(path.join(place, 'installed'));
}

/**
 * Runs a pruner on a copy of a session, in an empty home. Its result is the session that it changed, or the new one beside
 * it, as `out`; the reason if it wrote none.
 */
export function runPruner(pruner, session, out) {
  const home = mkdtempSync(path.join(tmpdir(), 'ctx-pruner-'));
  try {
    const work = path.join(home, 'work');
    const project = path.join(home, '.claude/projects', work.replaceAll(/[^a-zA-Z0-9]/g, '-'));
    for (const folder of [work, project]) mkdirSync(folder, { recursive: true });
    const [, id] = /"sessionId":\s*"([^"]+)"/.exec(readFileSync(session, 'utf8')) ?? [];
    const file = path.join(project, `${id}.jsonl`);
    copyFileSync(session, file);
    rmSync(out, { force: true });
    const words = pruner.run({ ...pruner, id, file, out });
    const env = {
      PATH: process.env.PATH,
      HOME: home,
      CLAUDE_CONFIG_DIR: path.join(home, '.claude'),
      ...pruner.env?.(pruner),
    };
    const [program, ...args] = words;
    const { status, stderr } = spawnSync(program, args, {
      cwd: work,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
    });
    if (status !== 0)
      return `it ended with ${status}: ${stderr
        .split('\n')[0]
        .replaceAll(home, '~')
        .replace(/: ~\S+.*/, '')}`;
    if (existsSync(out)) return null;
    const others = readdirSync(project).filter((name) => name.endsWith('.jsonl') && name !== path.basename(file));
    const result = others.length === 1 ? path.join(project, others[0]) : file;
    if (readFileSync(result).equals(readFileSync(session))) return 'it changed nothing';
    copyFileSync(result, out);
    return null;
  } finally {
    rmSync(home, { recursive: true });
  }
}
