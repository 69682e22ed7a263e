import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { ctx, type World } from '../../support/memory-io.js';
import { launchFirefox } from './firefox.js';

/** A page in a browser, and everything that it should not have done. */
export interface Opened {
  readonly page: Page;
  /** Errors, warnings, dialogs, and requests for anything but the page itself. */
  readonly faults: readonly string[];
}

export const isFirefox = process.env['CTX_BROWSER'] === 'firefox';
const FIREFOX = process.env['FIREFOX'] ?? '/usr/bin/firefox-esr';
const EXECUTABLE = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
/** Without a word to anybody of its own. A first start on a busy machine takes long. */
const LAUNCH = {
  executablePath: EXECUTABLE,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-sync'],
  timeout: 120_000,
};
/** Milliseconds for what a page has to come to. */
const PATIENCE = 100_000;

async function launched(): Promise<Browser> {
  if (isFirefox) return launchFirefox(FIREFOX, LAUNCH.timeout);
  const { chromium } = await import('playwright-core');
  return chromium.launch(LAUNCH);
}

/** Reports on files that exist only in memory, opened in a browser as a user opens them. */
export class Pages {
  private readonly folder = mkdtempSync(path.join(tmpdir(), 'ctx-report-'));
  private readonly browser = launched();
  private count = 0;

  /** Writes the report that a command line asks for, and gives its address. */
  async write(files: NonNullable<World['files']>, argv: readonly string[]): Promise<string> {
    const { exitCode, stderr, files: after } = await ctx(['report', ...argv, '-o', 'page.html'], { files });
    if (exitCode !== 0) throw new Error(stderr);
    this.count += 1;
    const file = path.join(this.folder, `${this.count}.html`);
    writeFileSync(file, after['page.html'] ?? '');
    return `file://${file}`;
  }

  /** Writes the site of a folder, and gives the address of its folder. */
  async writeSite(files: NonNullable<World['files']>, folder: string): Promise<string> {
    const { exitCode, stderr, files: after } = await ctx(['report', folder, '-o', 'site'], { files });
    if (exitCode !== 0) throw new Error(stderr);
    for (const [file, text] of Object.entries(after)) {
      if (!file.startsWith('site/')) continue;
      mkdirSync(path.join(this.folder, 'site'), { recursive: true });
      writeFileSync(path.join(this.folder, file), text);
    }
    return `file://${this.folder}/site`;
  }

  async open(address: string, options: BrowserContextOptions = {}): Promise<Opened> {
    const context = await (await this.browser).newContext({ viewport: { width: 1200, height: 800 }, ...options });
    context.setDefaultTimeout(PATIENCE);
    const page = await context.newPage();
    const faults: string[] = [];
    const [own] = address.split('#');
    page.on('request', (request) => {
      if (request.url().split('#')[0] !== own && !request.url().startsWith('data:'))
        faults.push(`asks for ${request.url()}`);
    });
    page.on('console', (message) => faults.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('dialog', (dialog) => {
      faults.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('popup', (popup) => faults.push(`popup: ${popup.url()}`));
    await page.goto(address);
    await page.locator('main').waitFor();
    return { page, faults };
  }

  async blank(): Promise<Page> {
    return (await this.browser).newPage();
  }

  async close(): Promise<void> {
    await (await this.browser).close();
    rmSync(this.folder, { recursive: true });
  }
}
