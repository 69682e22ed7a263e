// Makes one file of the packed package and a Node.js, which runs without an installation:
//   node .ci/single-file.mjs TARBALL OUTPUT [NODE]
// NODE is the program for the target system, of the version that runs this script; by default, the one that runs it.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { execaSync } from 'execa';
import { inject } from 'postject';

const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
const [tarball, output, node = process.execPath] = process.argv.slice(2);
const work = mkdtempSync(path.join(tmpdir(), 'single-file-'));
try {
  await make(path.resolve(tarball), path.resolve(output));
} finally {
  rmSync(work, { recursive: true });
}

async function make(packed, program) {
  execaSync('npm', ['install', '--prefix', work, '--omit=peer', '--no-audit', '--no-fund', '--ignore-scripts', packed]);
  const asset = gzipSync(JSON.stringify(filesBelow(path.join(work, 'node_modules'))));
  const key = createHash('sha256').update(asset).digest('hex').slice(0, 16);
  writeFileSync(path.join(work, 'package.gz'), asset);
  const main = readFileSync(path.join(import.meta.dirname, 'single-file-main.cjs'), 'utf8');
  writeFileSync(path.join(work, 'main.cjs'), main.replace("'KEY'", JSON.stringify(key)));
  const config = {
    main: 'main.cjs',
    output: 'blob',
    assets: { package: 'package.gz' },
    disableExperimentalSEAWarning: true,
  };
  writeFileSync(path.join(work, 'sea.json'), JSON.stringify(config));
  execaSync(process.execPath, ['--experimental-sea-config', 'sea.json'], { cwd: work });
  copyFileSync(node, program);
  chmodSync(program, 0o755);
  const blob = readFileSync(path.join(work, 'blob'));
  await inject(program, 'NODE_SEA_BLOB', blob, { sentinelFuse: FUSE, machoSegmentName: 'NODE_SEA' });
  console.log(`${program}: ${Math.round(statSync(program).size / 1e6)} MB, with Node.js ${process.version}`);
}

/** The texts of all files by their paths, as base64. */
function filesBelow(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => path.join(entry.parentPath, entry.name)).toSorted();
  const nameOf = (file) => path.relative(folder, file).split(path.sep).join('/');
  return Object.fromEntries(paths.map((file) => [nameOf(file), readFileSync(file, 'base64')]));
}
