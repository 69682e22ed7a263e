import { readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import type { Browser, BrowserType } from 'playwright-core';

const BUNDLE = 'playwright-core/lib/coreBundle.js';
const COMMAND = /\.send\("emulation\.setMediaFeaturesOverride", \{/g;

/** Firefox as published, through WebDriver BiDi. It has no such command yet, so colour schemes cannot be emulated. */
export async function launchFirefox(executablePath: string, timeout: number): Promise<Browser> {
  const extensions = (Module as unknown as { _extensions: Record<string, Loader> })._extensions;
  const load = extensions['.js'];
  extensions['.js'] = (module, file) => {
    if (!file.replaceAll('\\', '/').endsWith(BUNDLE)) return load?.(module, file);
    const source = readFileSync(file, 'utf8');
    if (source.match(COMMAND)?.length !== 2) throw new Error('playwright-core has changed');
    // oxlint-disable-next-line no-underscore-dangle -- the name that Node.js gives it
    return module._compile(source.replace(COMMAND, '.send("session.status", {}) && ({'), file);
  };
  const { firefox } = createRequire(import.meta.url)('playwright-core') as { readonly firefox: BrowserType };
  return firefox.launch({ channel: 'moz-firefox', executablePath, timeout });
}

type Loader = (module: { _compile(source: string, file: string): unknown }, file: string) => unknown;
