import path from 'node:path';
import { ANY_SUBAGENT, NO_SUBAGENT } from '#analysis/stats/call-groups.js';
import { countUsage } from '#analysis/stats/count-usage.js';
import type { SessionUsage } from '#analysis/stats/session-stats.js';
import { SharedEntries } from '#analysis/stats/shared-entries.js';
import { asObject, asString, parseJson } from '#base/json.js';
import { baseName } from '#base/paths.js';
import type { Period } from '#base/time.js';
import { buildPriceList } from '#context/models/registry.js';
import type { Files } from '#platform/files/files.js';
import type { FoundFile } from '#platform/files/walk-folder.js';
import { dropRepeated, toContentName } from '#session/scan/compression.js';
import type { Session } from '#session/session.js';
import { readAgentHeader } from './agent-header.js';
import { withSessionFile } from './file-result.js';
import { type NamedFile, peekSessionHeader, SESSION_FILE, walkSessionFiles } from './session-files.js';

/**
 * The sessions of the subagents that a session started, and of those that these started, in the order of their files:
 * agents keep them in a folder of the session, or beside it with the id of their parent.
 */
export function findSubagentFiles(files: Files, session: Session): readonly NamedFile[] {
  const folder = findOwnFolder(session);
  if (folder !== null)
    return detectCandidates(files, files.exists(folder) ? walkSessionFiles({ files }, folder).files : []).map(
      ({ file, size }) => ({ file, size }),
    );
  const found = detectCandidates(files, listFilesBeside(files, session)).filter(({ isSubagent }) => isSubagent);
  const familyIds = new Set([session.header.id]);
  const children: NamedFile[] = [];
  for (let isMore = true; isMore;) {
    isMore = false;
    for (const { id, parent, file, size } of found) {
      if (familyIds.has(id) || parent === null || !familyIds.has(parent)) continue;
      familyIds.add(id);
      children.push({ file, size });
      isMore = true;
    }
  }
  return children.toSorted((a, b) => (a.file < b.file ? -1 : 1));
}

/** The recorded usage of the subagents of a session, each call once. */
export async function countSubagentUsage(
  files: Files,
  session: Session,
  period: Period | null = null,
): Promise<readonly SessionUsage[]> {
  const shared = new SharedEntries();
  shared.note(session);
  const prices = buildPriceList();
  const all: SessionUsage[] = [];
  for (const { file } of findSubagentFiles(files, session)) {
    const counted = await withSessionFile(files, file, async (one) => {
      const usage = countUsage(one, shared, prices, { period });
      shared.note(one);
      return { usage };
    });
    if (counted.ok) all.push(counted.usage);
  }
  return all;
}

/** The kind of subagent that a session is, such as `Explore`; `main` for one that no other session started. */
export function findSubagentKind(files: Files, { file, agent }: Session): string {
  if (agent?.isSubagent) return agent.subagentKind ?? readSubagentType(files, file) ?? ANY_SUBAGENT;
  // oh-my-pi keeps the sessions of subagents in a folder that is named after the session.
  const isWithin = !agent && file !== '-' && files.exists(`${path.dirname(file)}${ENDING}`);
  return isWithin ? ANY_SUBAGENT : NO_SUBAGENT;
}

/** The type that Claude Code writes beside the session of a subagent; null without such a file. */
function readSubagentType(files: Files, file: string): string | null {
  const beside = file.replace(/\.jsonl$/, '.meta.json');
  if (beside === file || !files.exists(beside)) return null;
  const text = new TextDecoder().decode(files.beginning(beside, MOST_TYPE_BYTES));
  return asString(asObject(parseJson(text)).agentType);
}

const MOST_TYPE_BYTES = 1 << 16;

/** The folder with nothing but the sessions of subagents: Claude Code names it after the session, as oh-my-pi does. */
function findOwnFolder({ file, agent }: Session): string | null {
  if (agent) return agent.subagentFolder;
  const name = toContentName(file);
  return name.endsWith(ENDING) ? name.slice(0, -ENDING.length) : null;
}

const ENDING = '.jsonl';

/** The files among which the sessions of subagents may be. Folders of users are not searched below. */
function listFilesBeside(files: Files, session: Session): readonly FoundFile[] {
  const { file, agent, tree } = session;
  const folder = path.dirname(file);
  switch (agent?.name) {
    // Gemini CLI has a folder for the subagents of each session, also of one that is a subagent.
    case 'gemini-cli':
      return listFolders(files, agent.isSubagent ? path.dirname(folder) : folder).flatMap((each) =>
        listFiles(files, each),
      );
    case 'codex':
      return listDays(folder, tree.heads.timeAt(0), tree.heads.timeAt(tree.heads.length - 1)).flatMap((day) =>
        listFiles(files, day),
      );
    default:
      return listFiles(files, folder);
  }
}

function listFiles(files: Files, folder: string): readonly FoundFile[] {
  const names = files.exists(folder) ? files.list(folder).filter((name) => SESSION_FILE.test(name)) : [];
  return dropRepeated(names, (name) => name).flatMap((name) => files.walk(path.join(folder, name)).files);
}

function listFolders(files: Files, folder: string): readonly string[] {
  return files
    .list(folder)
    .filter((name) => !name.includes('.'))
    .map((name) => path.join(folder, name));
}

/** Codex has a folder for each day: those of the days on which the session ran, in any time zone. */
function listDays(folder: string, first: number, last: number): readonly string[] {
  const [, root] = DAY.exec(folder) ?? [];
  if (root === undefined || Number.isNaN(first + last)) return [folder];
  const days = new Set([folder]);
  for (
    let time = first - DAY_MILLISECONDS;
    time < last + 2 * DAY_MILLISECONDS && days.size < MOST_DAYS;
    time += DAY_MILLISECONDS
  )
    days.add(path.join(root, ...new Date(time).toISOString().slice(0, 10).split('-')));
  return [...days];
}

const DAY = /^(.*)[/\\]\d{4}[/\\]\d{2}[/\\]\d{2}$/;
const DAY_MILLISECONDS = 86_400_000;
const MOST_DAYS = 60;

interface SessionCandidate extends NamedFile {
  readonly id: string;
  /** The id of the parent. */
  readonly parent: string | null;
  readonly isSubagent: boolean;
}

/** Logs and other files beside sessions are left out. */
function detectCandidates(files: Files, all: readonly FoundFile[]): readonly SessionCandidate[] {
  return all
    .toSorted((a, b) => (a.file < b.file ? -1 : 1))
    .flatMap((found): SessionCandidate[] => {
      const peeked = peekSessionHeader({ files }, found);
      const header = peeked === 'no-session' ? readAgentHeader({ files }, found) : peeked;
      if (header === null) return [];
      const { id, parentSession } = header;
      const parent = parentSession === null ? null : baseName(parentSession).replace(/\.jsonl$/, '');
      const isSubagent = 'isSubagent' in header && header.isSubagent === true;
      return [{ file: found.file, size: found.size, id, parent, isSubagent }];
    });
}
