import { chooseInitialThinkingLevel, readThinkingLevel } from '#context/replay/settings.js';
import type { WalkStep } from '#context/walk.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { readRequestRecord } from '../sent-requests/request-record.js';

/** The settings of the requests along a path, and the entries that changed them since the previous request. */
export class SettingChanges {
  /** The newest entry that set the model; null if none did. */
  modelChange: Head | null = null;
  /** The thinking level of the next request, and of the one before it. */
  private level: string;
  private levelBefore: string;
  /** The newest entry that set the level since the previous request. */
  private levelHead: Head | null = null;
  /** The record of what an extension changed in the next request; null if there is none. */
  private record: { readonly head: Head; readonly text: string } | null = null;
  /** The text of the record of the previous request. */
  private recordBefore: string | null = null;

  constructor(session: Session) {
    this.level = chooseInitialThinkingLevel(session);
    this.levelBefore = this.level;
  }

  take({ head, entry }: WalkStep): void {
    if (head.type === 'model_change') this.modelChange = head;
    if (head.type === 'thinking_level_change') {
      this.level = readThinkingLevel(entry);
      this.levelHead = head;
    }
    const differs = head.type === 'custom' ? readRequestRecord(entry)?.differs : undefined;
    if (differs) this.record = { head, text: JSON.stringify(differs) };
  }

  /** The entry that set the thinking level, if it is another one than for the previous request. */
  get levelChange(): Head | null {
    return this.level === this.levelBefore ? null : this.levelHead;
  }

  /** The record of a request that an extension changed in another way than the previous one; null if there is none. */
  get changedRecord(): Head | null {
    return this.record === null || this.record.text === this.recordBefore ? null : this.record.head;
  }

  /** Makes the request that was just sent the one with which the next is compared. */
  startOver(): void {
    this.modelChange = null;
    this.levelBefore = this.level;
    this.levelHead = null;
    this.recordBefore = this.record?.text ?? null;
    this.record = null;
  }
}
