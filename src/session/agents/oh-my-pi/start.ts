import type { Problem } from '#base/errors.js';
import { asString, type JsonObject } from '#base/json.js';
import { describeVersion, parentSessionOf } from '../../scan/header.js';
import { buildSpanProblem } from '../blocks.js';
import type { AgentRecord } from '../native-records.js';

/** The newest version of the format whose rules are known. */
const KNOWN_VERSION = 3;

/** The first lines of a session: a title, which oh-my-pi writes again in its place, and the header. */
export class Start {
  /** The line with the title, with the time of the header; null if the session has no title. */
  title: AgentRecord | null = null;
  private header: AgentRecord | null = null;

  /** Whether a line is one of those. */
  take(record: AgentRecord): boolean {
    const { type, title } = record.value;
    if (type !== 'title' && type !== 'session') return false;
    if (type === 'session') this.header ??= record;
    if (typeof title === 'string' && title !== '' && this.title === null) this.title = record;
    const timestamp = this.fields['timestamp'];
    if (this.title) this.title = { ...this.title, value: { timestamp } };
    return true;
  }

  private get fields(): JsonObject {
    return this.header?.value ?? {};
  }

  get id(): string | null {
    return asString(this.fields['id']);
  }

  get timestamp(): string | null {
    return asString(this.fields['timestamp']);
  }

  get cwd(): unknown {
    return this.fields['cwd'];
  }

  get parentSession(): string | null {
    return parentSessionOf(this.fields);
  }

  /** The version of the format. */
  get version(): number {
    return Number(this.fields['version'] ?? 1);
  }

  /** Lists the problem of a version that is newer than the known ones. */
  listProblems(): readonly Problem[] {
    if (this.header === null || this.version <= KNOWN_VERSION) return [];
    const what = `${describeVersion(this.version)} of the format is not known, so that messages may be missing`;
    return [buildSpanProblem(this.header, 'unknown-version', 'warning', what)];
  }
}
