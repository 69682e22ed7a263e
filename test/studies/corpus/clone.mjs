import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
// Public repositories at a commit, from their own place or from a mirror.

const MOST_BYTES = 2 ** 30;
/** Where a repository is cloned from. A mirror is named likewise, as a URL or as a folder that has clones already. */
export const SOURCE = 'https://github.com/OWNER/NAME';

export function git(clone, ...args) {
  return execFileSync('git', ['-C', clone, ...args], { maxBuffer: MOST_BYTES, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** A clone with the trees of some commits. Its files come one by one, as they are read. `end` removes it if it was made here. */
export function openClone(repository, commits, from = SOURCE) {
  const [owner, name] = repository.split('/');
  const place = from.replace('OWNER', owner).replace('NAME', name);
  if (!/^[a-z+]+:\/\//.test(place)) return { clone: path.resolve(place), end() {} };
  const clone = mkdtempSync(path.join(tmpdir(), 'ctx-corpus-'));
  const end = () => rmSync(clone, { recursive: true });
  try {
    git(clone, 'init', '--quiet', '--bare');
    git(clone, 'remote', 'add', 'origin', place);
    git(clone, 'config', 'remote.origin.promisor', 'true');
    git(clone, 'config', 'remote.origin.partialclonefilter', 'blob:none');
    git(clone, 'fetch', '--quiet', '--depth', '1', '--filter=blob:none', 'origin', ...commits);
  } catch (error) {
    end();
    throw error;
  }
  return { clone, end };
}

/** The first line of what git says about a failure. */
export function describeFailure(error) {
  const said = String(error.stderr ?? '').trim() || error.message;
  return said.split('\n')[0];
}
