import type * as Crypto from 'node:crypto';
import { pathToFileURL } from 'node:url';
import type { Location, Log, Region, ReportingDescriptor, Result } from 'sarif';
import { type CheckedFile, UNREADABLE } from '#analysis/check/checked-file.js';
import type { Finding } from '#analysis/check/finding.js';
import { incrementCount } from '#base/maps.js';
import { VERSION } from '#base/version.js';
import { toVisibleJson, toVisibleLine } from '#base/visible.js';
import {
  type CheckResults,
  describeFinding,
  listShownFindings,
  type Reporter,
  rulePageUrl,
  type RuleRun,
} from './define.js';

export default {
  name: 'sarif',
  summary: 'SARIF 2.1.0, for code scanning',
  mildest: 'warning',
  async *report(run) {
    const rules = [...run.rules.map(toDescriptor), UNREADABLE_DESCRIPTOR];
    const places = new Map(rules.map(({ id }, at) => [id, at]));
    // Node's hashes are loaded only when there is something to hash.
    const { createHash } = await import('node:crypto');
    const results: Result[] = [];
    for await (const batch of run.files) {
      for (const file of batch) {
        const timesByHash = new Map<string, number>();
        for (const finding of listShownFindings(file, run)) {
          const print = hashFinding(finding, createHash);
          const times = incrementCount(timesByHash, print);
          const ruleIndex = places.get(finding.rule) ?? -1;
          results.push({
            ...toResult(finding, file, run),
            ruleIndex,
            partialFingerprints: toFingerprints(print, times),
          });
        }
      }
    }
    yield `${toVisibleJson(JSON.stringify(buildLog(rules, results), null, 2))}\n`;
  },
} satisfies Reporter;

function buildLog(rules: ReportingDescriptor[], results: Result[]): Log {
  const driver = {
    name: 'ctx',
    semanticVersion: VERSION,
    informationUri: 'https://www.npmjs.com/package/pi-ctx',
    rules,
  };
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver }, columnKind: 'utf16CodeUnits', results }],
  };
}

function toDescriptor({ name, group, severity, summary, help }: RuleRun): ReportingDescriptor {
  return {
    id: name,
    shortDescription: { text: summary },
    help: { text: help, markdown: help },
    helpUri: rulePageUrl(name),
    defaultConfiguration: { level: severity },
    properties: { tags: group === 'secrets' ? [group, 'security'] : [group] },
  };
}

const UNREADABLE_DESCRIPTOR: ReportingDescriptor = {
  id: UNREADABLE,
  shortDescription: { text: 'A file cannot be read, so nothing in it was checked' },
  helpUri: rulePageUrl(UNREADABLE),
  defaultConfiguration: { level: 'error' },
};

function toResult(finding: Finding, file: CheckedFile, run: CheckResults): Result {
  const { rule, severity, fix } = finding;
  const text = fix === null ? describeFinding(finding) : `${describeFinding(finding)}; to fix it: ${fix}`;
  const locations = [toLocation(finding, file, run)];
  return { ruleId: rule, level: severity, message: { text: escapeMessage(text) }, locations };
}

function toLocation(
  { line, offset, length, entryId, place }: Finding,
  { file }: CheckedFile,
  run: CheckResults,
): Location {
  // A finding about the whole session is shown at its header.
  const region: Region = { startLine: line ?? 1 };
  if (offset !== null && length !== null) {
    region.byteOffset = offset;
    region.byteLength = length;
  }
  const location: Location = { physicalLocation: { artifactLocation: toArtifact(file, run), region } };
  if (entryId !== null) {
    const fullyQualifiedName = formatQualifiedName(entryId, place);
    location.logicalLocations = [{ name: toVisibleLine(entryId), fullyQualifiedName }];
  }
  return location;
}

function formatQualifiedName(entryId: string, place: string | null): string {
  return toVisibleLine(place === null ? entryId : `${entryId}/${place}`);
}

function toArtifact(file: string, run: CheckResults): { readonly uri: string; readonly uriBaseId?: string } {
  const inside = run.pathInRepository(file);
  if (inside !== null) return { uri: toUri(inside), uriBaseId: '%SRCROOT%' };
  if (WINDOWS_ROOT.test(file)) return { uri: pathToFileURL(replaceSurrogates(file), { windows: true }).href };
  return { uri: file.startsWith('/') ? `file://${toUri(file)}` : toUri(file) };
}

/** Matches the drive, or the server and the share, of an absolute path of Windows. */
const WINDOWS_ROOT = /^(?:[a-z]:[/\\]|\\\\[\w.-]+\\[^\\])/i;

function toUri(file: string): string {
  return replaceSurrogates(file).split('/').map(encodeURIComponent).join('/');
}

function replaceSurrogates(file: string): string {
  return file.replaceAll(/\p{Surrogate}/gu, '\ufffd');
}

/** Escapes the characters that SARIF reads as an argument or a link. */
function escapeMessage(text: string): string {
  return toVisibleLine(text)
    .replaceAll(/\{(\d+)\}/g, '{{$1}}')
    .replaceAll('](', '\\](');
}

/** Lets code scanning recognise a finding again after lines were added before it. */
function toFingerprints(print: string, times: number): Result['partialFingerprints'] {
  return { primaryLocationLineHash: `${print}:${times}` };
}

/** Identifies a finding by the properties that do not change when lines are added before it. */
function hashFinding({ rule, entryId, place, message }: Finding, createHash: typeof Crypto.createHash): string {
  // Numbers in a message are line numbers and sizes, which change.
  const about = entryId === null ? message.replaceAll(/\d+/g, '#') : [entryId, place];
  return createHash('sha256')
    .update(JSON.stringify([rule, about]))
    .digest('hex')
    .slice(0, 16);
}
