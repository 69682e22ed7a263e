import { chooseInitialThinkingLevel, readThinkingLevel } from '#context/replay/settings.js';
import type { WalkStep } from '#context/walk.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { readRequestRecord } from '../sent-requests/request-record.js';

/** The settings of the requests along a path, and the entries that changed them since the previous request. */
export class SettingChanges {
  /** The newest entry that set the model; null if none did. */
  model: Head | null = null;
  private level: string;
  private levelBefore: string;
  private setsLevel: Head | null = null;
  /** The record of what an extension changed in the next request; null if there is none. */
  private record: { readonly head: Head; readonly text: string } | null = null;
  private recordBefore: string | null = null;

  constructor(session: Session) {
    this.level = chooseInitialThinkingLevel(session);
    this.levelBefore = this.level;
  }

  note({ head, entry }: WalkStep): void {
    if (head.type === 'model_change') this.model = head;
    if (head.type === 'thinking_level_change') {
      this.level = readThinkingLevel(entry);
      this.setsLevel = head;
    }
    const differs = head.type === 'custom' ? readRequestRecord(entry)?.differs : undefined;
    if (differs) this.record = { head, text: JSON.stringify(differs) };
  }

  /** The entry that set the thinking level, if it is another one than for the previous request. */
  get thinkingLevel(): Head | null {
    return this.level === this.levelBefore ? null : this.setsLevel;
  }

  /** The record of a request that an extension changed in another way than the previous one; null if there is none. */
  get extension(): Head | null {
    return this.record === null || this.record.text === this.recordBefore ? null : this.record.head;
  }

  /** The next request is compared with the one that was just sent. */
  startOver(): void {
    this.model = null;
    this.levelBefore = this.level;
    this.setsLevel = null;
    this.recordBefore = this.record?.text ?? null;
    this.record = null;
  }
}
