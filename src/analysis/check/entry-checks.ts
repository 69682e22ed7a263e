import type { WalkStep } from '#context/walk.js';
import type { Entry } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { type Check, selectRules } from './active-rules.js';
import { type EntryRule, markEntries, toBit } from './anchor-search.js';
import type { CheckMemory } from './check-memory.js';
import { reportHits } from './report-hits.js';
import { readShape, type ShapeRule, type SoundShapes } from './sound-shapes.js';

/** Runs the rules for shapes and for entries over the entries of a session that they need. */
export class EntryChecks {
  private readonly forShapes: readonly ShapeRule[];
  /** null without a rule for shapes. */
  private readonly sound: SoundShapes | null;
  private readonly selectForEntry: (index: number) => readonly EntryRule[];
  /** Whether there is a rule for shapes or for entries. */
  readonly hasRules: boolean;

  constructor(
    private readonly check: Check,
    memory: CheckMemory,
  ) {
    const forEntries = selectRules(check, 'entry');
    this.forShapes = selectRules(check, 'shape');
    this.sound = this.forShapes.length > 0 ? memory.prepareSoundShapes(this.forShapes) : null;
    this.selectForEntry = selectByAnchors(check.session, forEntries, memory);
    this.hasRules = this.forShapes.length + forEntries.length > 0;
  }

  /** Whether a rule needs the entry at an index. */
  isNeeded(index: number): boolean {
    return !this.isSound(index) || this.selectForEntry(index).length > 0;
  }

  /** Passes an entry that is needed to its rules. `step`: its step on the path, which has parsed it. */
  run(head: Head, step: WalkStep | null): void {
    const entry = step?.entry ?? this.check.session.entry(head);
    if (!this.isSound(head.index)) this.checkShape(head, entry);
    for (const active of this.selectForEntry(head.index)) this.report(active, head, entry);
  }

  private isSound(index: number): boolean {
    return this.sound === null || this.sound.has(readShape(this.check.session, index));
  }

  private checkShape(head: Head, entry: Entry): void {
    let hits = 0;
    for (const active of this.forShapes) hits += this.report(active, head, entry);
    if (hits === 0) this.sound?.add(readShape(this.check.session, head.index));
  }

  private report(active: ShapeRule | EntryRule, head: Head, entry: Entry): number {
    return reportHits(this.check, active, active.rule.find(entry, head, active.options));
  }
}

/** Selects the rules for each entry: a rule with anchors only if the line of the entry contains one of them. */
function selectByAnchors(
  session: Session,
  rules: readonly EntryRule[],
  memory: CheckMemory,
): (index: number) => readonly EntryRule[] {
  const anchored = rules.filter(({ rule }) => rule.anchors !== undefined);
  if (anchored.length === 0 || session.isStrict) return () => rules;
  const search = memory.prepareSearch(session, anchored);
  if (search === null) return () => rules;
  const marks = markEntries(session, search);
  const isSelected = (active: EntryRule, mark: number): boolean => {
    const at = anchored.indexOf(active);
    return at === -1 || (mark & toBit(at)) !== 0;
  };
  const selections = new Map<number, readonly EntryRule[]>();
  return (index) => {
    const mark = marks[index] ?? 0;
    let selected = selections.get(mark);
    if (!selected) {
      selected = rules.filter((active) => isSelected(active, mark));
      selections.set(mark, selected);
    }
    return selected;
  };
}
