import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { mcpTools } from '#cli/commands/mcp/tools.js';
import { projectFolder } from '../support/files.js';
import { withRealPi } from '../support/real-pi.js';
import { CLI, NODE } from './live/running-pi.js';

withRealPi('ctx mcp install in Pi', () => {
  it('adds the server, whose tools Pi lists, and removes it', async () => {
    const home = mkdtempSync(path.join(tmpdir(), 'ctx-mcp-'));
    for (const [name, program] of Object.entries({ ctx: path.join(projectFolder, 'bin/ctx.js'), pi: CLI }))
      writeFileSync(path.join(home, name), `#!/bin/sh\nexec '${NODE}' '${program}' "$@"\n`, { mode: 0o755 });
    const env = { PATH: `${home}:${process.env['PATH'] ?? ''}`, HOME: home, PI_OFFLINE: '1' };
    const run = (name: 'ctx' | 'pi', ...args: readonly string[]) =>
      execa(path.join(home, name), args, { cwd: home, env, extendEnv: false, stdin: 'ignore' });
    const servers = (): unknown => JSON.parse(readFileSync(path.join(home, '.pi/agent/mcp.json'), 'utf8')).mcpServers;
    try {
      await run('ctx', 'mcp', 'install', 'pi', '--yes', '--allow-content');
      expect(servers()).toEqual({ ctx: { command: 'ctx', args: ['mcp', '--allow-content'] } });
      const listed = JSON.parse((await run('pi', 'mcp', 'list', '--json')).stdout);
      const tools = mcpTools.map(({ name }) => name);
      expect(listed).toMatchObject({ servers: [{ name: 'ctx', state: 'connected', tools }], errors: [] });
      await run('ctx', 'mcp', 'uninstall', 'pi', '--yes');
      expect(servers()).toEqual({});
    } finally {
      rmSync(home, { recursive: true });
    }
  });
});
