import type { Loss } from '#change/convert/losses.js';
import type { Session } from '#session/session.js';
import { type DescribedConversion, describeLoss } from './describe-loss.js';
import type { ImportDocument } from './document.js';

type Shared = 'output' | 'newSize' | 'to' | 'newSession' | 'resume';
type Counts = 'replacements' | 'addedEntries' | 'ignoredTransforms' | 'movedResults';

/** The new session of a conversion, and the counts of what it changed, which are 0 if they are left out. */
interface ConvertedSession extends Pick<ImportDocument, Shared>, Partial<Pick<ImportDocument, Counts>> {
  readonly losses: readonly Loss[];
  readonly conversion: DescribedConversion;
}

/** Builds the document of a conversion. */
export function buildImportDocument(
  session: Session,
  { losses, conversion, resume, ...converted }: ConvertedSession,
): ImportDocument {
  return {
    schema: 'ctx/import',
    schemaVersion: 1,
    ...describeOriginal(session),
    replacements: 0,
    addedEntries: 0,
    ignoredTransforms: 0,
    movedResults: 0,
    ...converted,
    losses: losses.map((loss) => ({ ...loss, text: describeLoss(loss, conversion) })),
    resume,
  };
}

/** The fields about the session that is read. */
function describeOriginal({ file, agent, header, tree, scan, problems }: Session) {
  return {
    file,
    agent: agent?.name ?? 'pi',
    agentVersion: agent?.version ?? null,
    sessionId: header.id,
    entries: tree.heads.length,
    contextWindow: agent?.contextWindow?.tokens ?? null,
    unusedLines: agent?.unusedLines ?? 0,
    lostLines: scan.damaged.length,
    lostParents: problems.filter(({ code }) => code === 'orphan').length,
  };
}
