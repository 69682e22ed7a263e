import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openInBrowser } from '#platform/terminal/browser.js';

const folder = mkdtempSync(path.join(tmpdir(), 'ctx-open-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Opens a file on a desktop whose opener is a script. */
async function opened(script: string | null): Promise<boolean> {
  const bin = path.join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  if (script !== null) writeFileSync(path.join(bin, 'xdg-open'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const PATH = script === null ? path.join(folder, 'none') : `${bin}:/usr/bin:/bin`;
  return openInBrowser('/a page.html', { platform: 'linux', env: { PATH } });
}

describe.skipIf(process.platform === 'win32')('a page in the browser', () => {
  // However long a busy machine takes to start the opener.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  it('is opened by the opener of the system', async () => {
    const seen = path.join(folder, 'seen');
    expect(await opened(`printf %s "$1" > '${seen}'`)).toBe(true);
    expect(readFileSync(seen, 'utf8')).toBe('/a page.html');
  });

  it('is not open if there is no opener, or it fails', async () => {
    expect(await opened(null)).toBe(false);
    expect(await opened('exit 3')).toBe(false);
  });

  it('does not keep ctx waiting for the browser to end', async () => {
    const ends = path.join(folder, 'ends');
    const isOpen = opened(`until [ -e '${ends}' ]; do sleep 0.1; done`);
    vi.advanceTimersByTime(2000);
    expect(await isOpen).toBe(true);
    writeFileSync(ends, '');
  });
});
