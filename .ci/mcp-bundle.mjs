// Makes what MCP clients and the MCP registry install from, of the packed package:
//   node .ci/mcp-bundle.mjs TARBALL FOLDER [--unpacked]
// FOLDER gets `bundle/`, the .mcpb file that it is packed into, and `server.json` for the registry. The tool of the bundle
// format checks the manifest and packs it; npx gets that tool from npm. With --unpacked neither is done.
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { execaSync } from 'execa';

const MCPB = '@anthropic-ai/mcpb@2.1.2';
const REGISTRY_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
const ALLOW_CONTENT = 'CTX_ALLOW_CONTENT';

const root = path.join(import.meta.dirname, '..');
const [tarball, folder, flag] = process.argv.slice(2);
const isPacked = flag !== '--unpacked';
const bundle = path.join(folder, 'bundle');
const packageJson = unpack();
const toolList = await listTools();
writeJson(path.join(bundle, 'manifest.json'), buildManifest(packageJson, toolList));
const file = `${packageJson.name}-${packageJson.version}.mcpb`;
if (isPacked) packBundle();
writeJson(path.join(folder, 'server.json'), buildServer(packageJson));

/** Puts the package and its dependencies into the bundle, and returns its package.json. */
function unpack() {
  const server = path.join(bundle, 'server');
  mkdirSync(server, { recursive: true });
  execaSync('tar', ['-xzf', path.resolve(tarball), '--strip-components', '1', '-C', server]);
  const unpacked = JSON.parse(readFileSync(path.join(server, 'package.json'), 'utf8'));
  for (const name of Object.keys(unpacked.dependencies))
    cpSync(path.join(root, 'node_modules', name), path.join(server, 'node_modules', name), { recursive: true });
  return unpacked;
}

/** The tools of the server, as it lists them itself. */
async function listTools() {
  const { Client } = await import('@modelcontextprotocol/client');
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const client = new Client({ name: 'mcp-bundle', version: '1' });
  const args = [path.join(bundle, 'server/bin/ctx.js'), 'mcp'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  const listed = await client.listTools();
  await client.close();
  return listed.tools.map(({ name, description }) => ({ name, description }));
}

function buildManifest({ version, description, license, author, homepage, repository, keywords, engines }, tools) {
  return {
    manifest_version: '0.3',
    name: 'ctx',
    display_name: 'ctx',
    version,
    description,
    author: { name: author },
    repository: { type: 'git', url: toUrl(repository) },
    homepage,
    license,
    keywords,
    server: {
      type: 'node',
      entry_point: 'server/bin/ctx.js',
      mcp_config: {
        command: 'node',
        args: ['${__dirname}/server/bin/ctx.js', 'mcp'],
        env: { [ALLOW_CONTENT]: '${user_config.allow_content}' },
      },
    },
    tools,
    user_config: {
      allow_content: {
        type: 'boolean',
        title: 'Let the model read the texts of sessions',
        description: 'Without it, the model gets sizes, costs and causes. Secrets in texts are replaced.',
        default: false,
        required: false,
      },
    },
    compatibility: { platforms: ['darwin', 'linux', 'win32'], runtimes: { node: engines.node } },
  };
}

function packBundle() {
  const options = { stdio: 'inherit', cwd: folder };
  execaSync('npx', ['--yes', MCPB, 'validate', path.resolve(bundle, 'manifest.json')], options);
  execaSync('npx', ['--yes', MCPB, 'pack', path.resolve(bundle), path.resolve(folder, file)], options);
}

function buildServer({ name, version, mcpName, repository }) {
  const url = toUrl(repository);
  const transport = { type: 'stdio' };
  const environmentVariables = [
    {
      name: ALLOW_CONTENT,
      description: 'true lets the model read the texts of sessions, with secrets replaced',
      format: 'boolean',
      default: 'false',
    },
  ];
  const npm = {
    registryType: 'npm',
    registryBaseUrl: 'https://registry.npmjs.org',
    identifier: name,
    version,
    runtimeHint: 'npx',
    transport,
    packageArguments: [{ type: 'positional', value: 'mcp' }],
    environmentVariables,
  };
  const download = {
    registryType: 'mcpb',
    identifier: `${url}/releases/download/v${version}/${file}`,
    fileSha256: isPacked ? hashOf(path.join(folder, file)) : undefined,
    transport,
  };
  return {
    $schema: REGISTRY_SCHEMA,
    name: mcpName,
    title: 'ctx',
    description: "What fills a coding agent's context, what it costs, why its cache missed, what compaction lost",
    repository: { url, source: 'github' },
    version,
    packages: [npm, ...(isPacked ? [download] : [])],
  };
}

function hashOf(name) {
  return createHash('sha256').update(readFileSync(name)).digest('hex');
}

function toUrl({ url }) {
  return url.replace(/^git\+/, '').replace(/\.git$/, '');
}

function writeJson(name, value) {
  writeFileSync(name, `${JSON.stringify(value, null, 2)}\n`);
}
