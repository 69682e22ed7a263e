import { describe, expect, it } from 'vitest';
import { completionScripts } from '#cli/commands/completion/scripts.js';
import { schemas } from '#cli/schemas.js';
import { ctx } from '../../support/memory-io.js';

describe('ctx completion install', () => {
  it.each([
    ['bash', {}, '/home/ada/.local/share/bash-completion/completions/ctx'],
    ['bash', { XDG_DATA_HOME: '/data' }, '/data/bash-completion/completions/ctx'],
    ['zsh', {}, '/home/ada/.zfunc/_ctx'],
    ['zsh', { ZDOTDIR: '/home/ada/.zsh' }, '/home/ada/.zsh/.zfunc/_ctx'],
    ['fish', {}, '/home/ada/.config/fish/completions/ctx.fish'],
    ['fish', { XDG_CONFIG_HOME: '/config' }, '/config/fish/completions/ctx.fish'],
    ['powershell', {}, '/home/ada/.config/powershell/ctx.completion.ps1'],
    ['powershell', { XDG_CONFIG_HOME: '/config' }, '/config/powershell/ctx.completion.ps1'],
  ] as const)('writes the file that %s loads, with %j', async (shell, env, file) => {
    const ran = await ctx(['completion', 'install'], { env: { ...env, SHELL: `/usr/bin/${shell}` } });
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ran.stdout).toContain(`${shell} completions: ${file}`);
    expect(Buffer.from(ran.files[file] ?? '').toString()).toBe(completionScripts[shell]);
    const again = await ctx(['completion', 'install', shell, '--json'], { env, files: ran.files });
    expect(again.exitCode).toBe(0);
    expect(schemas.completion.parse(JSON.parse(again.stdout))).toMatchObject({ shell, file });
  });

  it('takes pwsh for PowerShell, and prints the line that loads the file', async () => {
    const env = { SHELL: '/usr/bin/pwsh', XDG_CONFIG_HOME: "/it's" };
    const { stdout } = await ctx(['completion', 'install'], { env });
    expect(stdout).toContain("add to $PROFILE: . '/it''s/powershell/ctx.completion.ps1'\n");
  });

  it('does not replace a file of another program', async () => {
    const file = '/home/ada/.config/fish/completions/ctx.fish';
    const ran = await ctx(['completion', 'install', 'fish'], { files: { [file]: 'complete -c ctx' } });
    expect(ran).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('this file is not from ctx') as string });
    expect(ran.files[file]).toBe('complete -c ctx');
  });

  it.each([
    [{}, 'the current shell is not known'],
    [{ SHELL: '/bin/tcsh' }, 'there are no completions for "tcsh"'],
  ])('needs a shell that it knows: %j', async (env, message) => {
    const { exitCode, stderr } = await ctx(['completion', 'install'], { env });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });
});
