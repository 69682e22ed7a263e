import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { execaSync } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '#base/version.js';
import { mcpTools } from '#cli/commands/mcp/tools.js';
import { Log } from '../../fixtures/log.js';
import { projectFolder } from '../../support/files.js';

let work = '';
let out = '';

beforeAll(() => {
  work = mkdtempSync(path.join(tmpdir(), 'ctx-mcp-bundle-'));
  out = path.join(work, 'out');
  const tarball = path.join(work, 'packed.tgz');
  const contents = ['package.json', 'bin', 'dist'];
  execaSync('tar', ['-czf', tarball, '--transform', 's,^,package/,', ...contents], { cwd: projectFolder });
  execaSync('node', ['.ci/mcp-bundle.mjs', tarball, out, '--unpacked'], { cwd: projectFolder });
  writeFileSync(path.join(work, 's.jsonl'), new Log('s').user('u1', 'The harbour is blue.').text());
});
afterAll(() => rmSync(work, { recursive: true }));

interface Manifest {
  readonly version: string;
  readonly server: {
    readonly entry_point: string;
    readonly mcp_config: {
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    };
  };
  readonly tools: readonly { readonly name: string; readonly description: string }[];
}

function readOut(name: string): unknown {
  return JSON.parse(readFileSync(path.join(out, name), 'utf8'));
}

/** Starts the server as a client does that has installed the bundle, and reads a session. */
async function read(isContentAllowed: boolean): Promise<string> {
  const { mcp_config: config } = (readOut('bundle/manifest.json') as Manifest).server;
  const fill = (text: string): string =>
    text
      .replace('${__dirname}', path.join(out, 'bundle'))
      .replace('${user_config.allow_content}', String(isContentAllowed));
  const env = Object.fromEntries(Object.entries(config.env).map(([name, value]) => [name, fill(value)]));
  const client = new Client({ name: 'test', version: '1' });
  const args = config.args.map(fill);
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd: work, env: { HOME: work, ...env } }),
  );
  const { content } = await client.callTool({ name: 'read', arguments: { file: 's.jsonl' } });
  await client.close();
  return JSON.stringify(content);
}

describe('the bundle for MCP clients', () => {
  it('lists the tools of this version', () => {
    const { version, tools } = readOut('bundle/manifest.json') as Manifest;
    expect(version).toBe(VERSION);
    expect(tools).toEqual(mcpTools.map(({ name, description }) => ({ name, description })));
  });

  it('starts by itself, and returns texts only if the user has allowed that', async () => {
    expect(await read(true)).toContain('The harbour is blue.');
    const withheld = await read(false);
    expect(withheld).toContain('u1');
    expect(withheld).not.toContain('harbour');
  });

  it('has an entry for the registry with the name of the package, and within its limits', () => {
    const { mcpName, name } = JSON.parse(readFileSync(path.join(projectFolder, 'package.json'), 'utf8'));
    const server = readOut('server.json') as { readonly name: string; readonly description: string };
    expect(server).toMatchObject({
      name: mcpName,
      version: VERSION,
      packages: [{ identifier: name, version: VERSION }],
    });
    expect(server.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
    expect(server.description.length).toBeLessThanOrEqual(100);
  });
});
