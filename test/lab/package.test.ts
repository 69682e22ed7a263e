import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { projectFolder } from '../support/files.js';

describe('pi-ctx/engine', () => {
  it('can be imported as it is published', async () => {
    const script = `
      import { defineEngine, whyNotAnAnswer } from 'pi-ctx/engine';
      const engine = {};
      console.log(defineEngine(engine) === engine, whyNotAnAnswer('assemble', { messages: 1 }), whyNotAnAnswer('ingest', { ingested: true }));`;
    const { stdout } = await execa(process.execPath, ['--input-type=module', '--eval', script], { cwd: projectFolder });
    expect(stdout).toBe('true messages must be array null');
  });
});

describe('pi-ctx/engines', () => {
  it('can be imported as it is published', async () => {
    const script = `
      import * as engines from 'pi-ctx/engines';
      console.log(Object.values(engines).map((make) => make().info.id).join(' '));`;
    const { stdout } = await execa(process.execPath, ['--input-type=module', '--eval', script], { cwd: projectFolder });
    expect(stdout.split(' ').toSorted()).toEqual(['none', 'pi', 'recorded', 'three-phase', 'turn-prune']);
  });
});
