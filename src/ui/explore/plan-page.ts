import { isOld } from '#change/migrate/plan-migration.js';
import { ZONES } from '#change/prune/zones.js';
import { describeVersion } from '#session/scan/header.js';
import { joinSpans } from '../doc/spans.js';
import type { ExplorerPage, ExplorerState } from './state.js';

export const DRY = '--dry-run';

/** Whether a page shows a plan: a dry run that has succeeded and found something to do. */
export function isPlanPage({ argv, isOk, content }: ExplorerPage): boolean {
  if (!isOk || !argv?.includes(DRY)) return false;
  const [first = []] = 'lines' in content ? content.lines : [];
  return !joinSpans(first).startsWith('nothing to ');
}

/** Whether a page shows a command that writes to the session, which leaving the page must not stop. */
export function isWriteCommand({ argv }: Pick<ExplorerPage, 'argv'>): boolean {
  return WRITING.has(argv?.[0]) && !argv?.includes(DRY);
}

const WRITING: ReadonlySet<string | undefined> = new Set(['prune', 'compact', 'revert']);

/** The size of a plan, which `+` and `-` change. */
interface PlanSize {
  readonly flag: string;
  /** The value of the flag that changes more or less; null if there is none. */
  readonly next: (page: ExplorerPage, key: '+' | '-') => string | null;
  readonly keys: string;
  /** The key that may find something to do. */
  readonly hint: string;
}

const SIZES: ReadonlyMap<string | undefined, PlanSize> = new Map([
  ['compact', { flag: '--keep-recent', next: findNextKept, keys: '+ - keep more, less', hint: 'press - to keep less' }],
  ['prune', { flag: '--zone', next: findNextZone, keys: '+ - prune more, less', hint: 'press + to prune more' }],
]);

/** The size of the plan on a page; undefined for other pages. */
export function findPlanSize({ argv, isRunning }: ExplorerPage): PlanSize | undefined {
  return isRunning || !argv?.includes(DRY) ? undefined : SIZES.get(argv[0]);
}

/** The tokens that `ctx compact` keeps by default. */
const KEPT = 20_000;
const LEAST_KEPT = 100;

function findNextKept({ argv }: ExplorerPage, key: '+' | '-'): string {
  const at = argv?.indexOf('--keep-recent') ?? -1;
  const tokens = at < 0 ? KEPT : Number(argv?.[at + 1]);
  return String(Math.max(LEAST_KEPT, Math.round(key === '+' ? tokens * 2 : tokens / 2)));
}

/** The zone of the policy that prunes more or less than that of a plan, which the plan names. */
function findNextZone({ content }: ExplorerPage, key: '+' | '-'): string | null {
  const text = 'lines' in content ? content.lines.map(joinSpans).join('\n') : '';
  const at = ZONES.findIndex((zone) => zone === /^(?:nothing to prune in|prune)\s+zone\s+(\w+)/m.exec(text)?.[1]);
  return ZONES[at + (key === '+' ? 1 : -1)] ?? null;
}

/**
 * The reason why a session is never appended to, and the command that helps; null for one that plans are written to.
 */
export function describeReadOnly({ agent, header }: ExplorerState['sessionIndex']['session']): string | null {
  if (agent) return `a session of ${agent.title} is never written to: ctx convert makes one of Pi`;
  if (!isOld({ header })) return null;
  return `a session of ${describeVersion(header.version)} is never appended to: ctx migrate makes a new one`;
}
