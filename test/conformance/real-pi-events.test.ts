import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { PI_EVENTS } from '#engines/hooks/define.js';
import { projectFolder } from '../support/files.js';

const TYPES = 'test/pi/node_modules/@earendil-works/pi-coding-agent/dist/core/extensions/types.d.ts';

it('the events of Pi are those that its types declare, and "message" of the proposal', () => {
  const types = readFileSync(path.join(projectFolder, TYPES), 'utf8');
  const declared = [...types.matchAll(/\bon\(event: "(\w+)"/g)].map(([, name]) => name);
  expect(declared.length).toBeGreaterThan(0);
  expect(new Set([...declared, 'message'])).toEqual(new Set(PI_EVENTS));
});
