import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { projectFolder } from '../support/files.js';
import { withRealPi } from '../support/real-pi.js';
import { CLI, type Got, linesOf, NODE } from './live/running-pi.js';

withRealPi('the package in Pi', () => {
  it('gives the model its skills, and is gone when removed', async () => {
    const home = mkdtempSync(path.join(tmpdir(), 'ctx-package-'));
    const [work, log] = [path.join(home, 'work'), path.join(home, 'log.jsonl')];
    mkdirSync(work);
    const env = { PATH: process.env['PATH'] ?? '', HOME: home, PI_OFFLINE: '1', LIVE_LOG: log };
    const pi = (...args: readonly string[]) =>
      execa(NODE, [CLI, ...args], { cwd: work, env, extendEnv: false, stdin: 'ignore' });
    const ask = async (prompt: string): Promise<string> => {
      await pi('-p', '--model', 'faux/faux-1', '-e', path.join(projectFolder, 'test/pi/live-provider.js'), prompt);
      return (linesOf(log).at(-1) as Partial<Got> | undefined)?.system ?? '';
    };
    const settings = (): string => readFileSync(path.join(home, '.pi/agent/settings.json'), 'utf8');
    const skills = readdirSync(path.join(projectFolder, 'plugin/skills')).map((name) => `<name>${name}</name>`);
    try {
      await pi('install', projectFolder);
      expect(settings()).toContain(path.basename(projectFolder));
      const prompt = await ask('Why did my cache miss?');
      expect(skills.filter((skill) => !prompt.includes(skill))).toEqual([]);
      await pi('remove', projectFolder);
      expect(JSON.parse(settings())).toMatchObject({ packages: [] });
      const after = await ask('Is it gone?');
      expect(skills.filter((skill) => after.includes(skill))).toEqual([]);
    } finally {
      rmSync(home, { recursive: true });
    }
  });
});
