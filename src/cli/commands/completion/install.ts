import path from 'node:path';
import { CtxError } from '#base/errors.js';
import { writeNewFile } from '#platform/files/write-together.js';
import type { Io } from '#platform/io.js';
import { line, span } from '#ui/doc/doc.js';
import type { Printable } from '#ui/doc/renderer.js';
import type { CompletionDocument } from './document.js';
import { buildScriptDocument, completionScripts, type Shell, SHELLS } from './scripts.js';

/**
 * Writes the completions of a shell, by default that of `$SHELL`, to the file that this shell loads. Throws a CtxError:
 * usage for another shell, refused for a file that ctx has not written.
 */
export async function installCompletions(io: Io, named: string | undefined): Promise<Printable> {
  const shell = findShell((named ?? path.basename(io.env.SHELL ?? '')).replace(/^pwsh$/, 'powershell'));
  const { file, hint } = chooseFile(shell, io);
  const isThere = io.files.exists(file);
  if (isThere && !isOwnScript(io, file))
    throw new CtxError('refused', 'this file is not from ctx', {
      where: file,
      hint: `remove it, or load the completions yourself: ctx completion ${shell}`,
    });
  await io.files.makeFolder(path.dirname(file));
  await writeNewFile(io.files.createNew, file, completionScripts[shell], { force: isThere, like: null });
  const data: CompletionDocument = { ...buildScriptDocument(shell), file };
  return { data, doc: () => [line(`${shell} completions: ${file}`), line(span(hint, 'faint'))] };
}

function findShell(name: string): Shell {
  const found = SHELLS.find((shell) => shell === name);
  if (found !== undefined) return found;
  const what = name === '' ? 'the current shell is not known' : `there are no completions for "${name}"`;
  throw new CtxError('usage', what, { hint: `name one of ${SHELLS.join(', ')}: ctx completion install SHELL` });
}

/** The script that a shell loads, and the remaining step for the user. */
function chooseFile(shell: Shell, { env, home }: Io): { readonly file: string; readonly hint: string } {
  const findFolder = (named: string | undefined, ...otherwise: string[]): string => {
    if (named !== undefined && path.isAbsolute(named)) return named;
    if (path.isAbsolute(home)) return path.join(home, ...otherwise);
    throw new CtxError('input', 'the home folder is not known', { where: '$HOME', hint: 'set HOME' });
  };
  switch (shell) {
    case 'bash': {
      const file = path.join(findFolder(env.XDG_DATA_HOME, '.local/share'), 'bash-completion/completions/ctx');
      return { file, hint: 'start a new bash; this needs the package bash-completion' };
    }
    case 'zsh': {
      const file = path.join(findFolder(env.ZDOTDIR), '.zfunc/_ctx');
      return { file, hint: `add to .zshrc, before compinit: fpath+=(${path.dirname(file)})` };
    }
    case 'fish': {
      const file = path.join(findFolder(env.XDG_CONFIG_HOME, '.config'), 'fish/completions/ctx.fish');
      return { file, hint: 'start a new fish' };
    }
    case 'powershell': {
      const file = path.join(findFolder(env.XDG_CONFIG_HOME, '.config'), 'powershell/ctx.completion.ps1');
      return { file, hint: `add to $PROFILE: . '${file.replaceAll("'", "''")}'` };
    }
  }
}

/** Recognises a script of ctx by its first two lines. */
function isOwnScript({ files }: Io, file: string): boolean {
  const beginning = new TextDecoder().decode(files.beginning(file, 200));
  return /^(?:#compdef ctx\n)?# (?:bash|zsh|fish|powershell) completion for ctx: /.test(beginning);
}
