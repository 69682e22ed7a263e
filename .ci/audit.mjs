// Looks for known vulnerabilities of the packages that the program contains: `node .ci/audit.mjs`. npm audit knows the
// packages of a clone; those of dist/sbom.cdx.json are what a user gets. Exit code 1 for a vulnerability, and 77 where
// the registry has no audit endpoint, so that nothing is known.
import { readFileSync } from 'node:fs';
import { execaSync } from 'execa';

const { components } = JSON.parse(readFileSync('dist/sbom.cdx.json', 'utf8'));
const { stdout, stderr } = execaSync('npm', ['audit', '--json'], { reject: false });
const { vulnerabilities, message } = JSON.parse(stdout);

if (vulnerabilities === undefined) leaveOut(message ?? stderr);
else report(components.filter(({ name }) => vulnerabilities[name]).flatMap(advisories));

function leaveOut(reason) {
  console.log(`npm audit has no answer, so vulnerabilities of bundled packages are unknown: ${reason}`);
  process.exitCode = 77;
}

/** The advisories of a package itself: those of its dependencies are reported with these. */
function advisories({ name, version }) {
  const own = vulnerabilities[name].via.filter((one) => typeof one === 'object');
  return own.map(({ severity, title, url, range }) => `${name} ${version}: ${severity}: ${title} (${range}) ${url}`);
}

function report(lines) {
  for (const line of lines) console.log(line);
  console.log(`${components.length} bundled packages, ${lines.length} advisories`);
  if (lines.length > 0) process.exitCode = 1;
}
