import type { Session } from '#session/session.js';
import { type AnchorSearch, buildAnchorSearch, type EntryRule } from './anchor-search.js';
import { SoundShapes } from './sound-shapes.js';

/** The results of checks of several sessions with the same rules, which make the next check quicker. */
export class CheckMemory {
  /** The shapes of earlier sessions, which the same rules have found sound. */
  private sound: SoundShapes | null = null;
  /** The newest search, kept because building its finder is slow. */
  private search: AnchorSearch | null = null;
  private bytes = 0;

  findSoundShapes(rules: SoundShapes['rules']): SoundShapes {
    if (this.sound === null || !haveSameOptions(this.sound.rules, rules)) this.sound = new SoundShapes(rules);
    return this.sound;
  }

  /** The search for the anchors of rules; null for the first few bytes of all sessions. */
  findSearch({ source }: Session, rules: readonly EntryRule[]): AnchorSearch | null {
    this.bytes += source.size;
    if (this.bytes < FEW_BYTES) return null;
    if (this.search === null || !areRulesOf(rules, this.search)) this.search = buildAnchorSearch(rules);
    return this.search;
  }
}

/** For fewer bytes, of all sessions so far, building a finder takes longer than parsing the lines. */
const FEW_BYTES = 1 << 18;

function haveSameOptions(known: SoundShapes['rules'], rules: SoundShapes['rules']): boolean {
  const isSame = ({ rule, options }: SoundShapes['rules'][number], at: number): boolean =>
    rule === rules[at]?.rule && options === rules[at].options;
  return known.length === rules.length && known.every(isSame);
}

/** Whether a search is for the anchors of these rules. Options do not matter for it. */
function areRulesOf(rules: readonly EntryRule[], search: AnchorSearch): boolean {
  return search.rules.length === rules.length && search.rules.every((rule, at) => rule === rules[at]?.rule);
}
