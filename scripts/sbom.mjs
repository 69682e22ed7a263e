// The software bill of materials of the program, in CycloneDX 1.6. It has no date and no serial number, so that two builds are equal.
import { readFile } from 'node:fs/promises';

/** Builds it as text, for the packages that esbuild bundled. Throws for one that npm has not installed. */
export async function sbom(packages) {
  const { name, version } = JSON.parse(await readFile('package.json', 'utf8'));
  const lock = JSON.parse(await readFile('node_modules/.package-lock.json', 'utf8')).packages;
  const components = packages.map((each) => componentOf(each, lock[each.folder]));
  const unique = [...new Map(components.map((each) => [each['bom-ref'], each])).values()];
  const root = { type: 'application', ...coordinates(name, version), licenses: [{ license: { id: 'MIT' } }] };
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { lifecycles: [{ phase: 'build' }], component: root },
    components: unique,
    dependencies: [
      { ref: root['bom-ref'], dependsOn: unique.map((each) => each['bom-ref']) },
      ...unique.map((each) => ({ ref: each['bom-ref'] })),
    ],
  };
  return `${JSON.stringify(document, null, 1)}\n`;
}

function componentOf({ folder, name, version, license }, locked) {
  if (locked?.version !== version) throw new Error(`${folder} is not what npm has installed`);
  const [algorithm, digest] = locked.integrity.split('-');
  const content = Buffer.from(digest, 'base64').toString('hex');
  const hashes = [{ alg: algorithm.replace('sha', 'SHA-'), content }];
  return { type: 'library', ...coordinates(name, version), hashes, licenses: [{ license: { id: license } }] };
}

function coordinates(name, version) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return { 'bom-ref': purl, name, version, purl };
}
