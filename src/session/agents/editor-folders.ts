import path from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** The editors that are made from Visual Studio Code, by the names of their folders. */
const EDITORS = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf'];
const REMOTE = ['.vscode-server', '.vscode-server-insiders', '.cursor-server'];

/** The folders `User` of Visual Studio Code and the editors made from it, on all systems, whether they exist or not. */
export function listEditorFolders(env: Env, home: string, editors: readonly string[] = EDITORS): readonly string[] {
  const roots = [
    env['XDG_CONFIG_HOME'] || path.join(home, '.config'),
    path.join(home, 'Library', 'Application Support'),
    env['APPDATA'] || path.join(home, 'AppData', 'Roaming'),
  ];
  const local = roots.flatMap((root) => editors.map((editor) => path.join(root, editor, 'User')));
  return [...local, ...REMOTE.map((folder) => path.join(home, folder, 'data', 'User'))];
}
