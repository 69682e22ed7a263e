import type { JsonObject } from '#base/json.js';
import type { PiState } from './hook-methods.js';
import { buildPiObject } from './pi-object.js';
import type { UnsupportedCalls } from './unsupported-calls.js';

const EMPTY_STATE: PiState = {
  added: [],
  header: {},
  file: '',
  name: null,
  projection: [],
  model: null,
  thinkingLevel: 'off',
  contextWindow: null,
  tokens: 0,
  systemPrompt: '',
  tools: [],
};

/** The session as a module sees it: its branch up to the event, and what the module appends. */
export class SessionView {
  state = EMPTY_STATE;
  private readonly branch: JsonObject[] = [];
  private readonly appended: JsonObject[] = [];

  constructor(private readonly notRun: UnsupportedCalls) {}

  update(state: PiState): void {
    this.state = state;
    this.branch.push(...state.added);
  }

  /** Appends an entry of `pi.appendEntry`, which the host adds to the branch too. */
  append(customType: unknown, data: unknown): void {
    this.appended.push({ type: 'custom', customType, data });
  }

  takeAppended(): readonly JsonObject[] {
    return this.appended.splice(0);
  }

  /** The `ctx.sessionManager` of Pi. Other branches of the file are not part of it. */
  buildManager(): unknown {
    const { branch, state } = this;
    const findEntry = (id: unknown): JsonObject | undefined => branch.find((entry) => entry.id === id);
    const members = {
      getCwd: () => state.header.cwd,
      getSessionDir: () => state.file.split(/[/\\]/).slice(0, -1).join('/'),
      getSessionId: () => state.header.id,
      getSessionFile: () => state.file,
      getSessionName: () => state.name ?? undefined,
      getHeader: () => state.header,
      getLeafId: () => branch.at(-1)?.id ?? null,
      getLeafEntry: () => branch.at(-1),
      getEntry: findEntry,
      getEntries: () => [...branch],
      getBranch: () => [...branch],
      getLabel: (id: unknown) =>
        branch.findLast((entry) => entry.type === 'label' && entry.targetId === id)?.label,
      getTree: () => branch.reduceRight<readonly TreeNode[]>((children, entry) => [{ entry, children }], []),
      buildContextEntries: () => state.projection.flatMap(({ entryId }) => findEntry(entryId) ?? []),
      buildSessionProjection: () => this.buildProjection(),
    };
    return buildPiObject('ctx.sessionManager', members, this.notRun);
  }

  private buildProjection(): unknown {
    const { projection, thinkingLevel, model } = this.state;
    const entries = projection.map(({ entryId, messages }) => ({
      sourceEntry: this.branch.find((entry) => entry.id === entryId) ?? null,
      messages,
    }));
    const named = model === null ? null : { provider: model.provider, modelId: model.id };
    return { entries, messages: entries.flatMap(({ messages }) => messages), thinkingLevel, model: named };
  }
}

interface TreeNode {
  readonly entry: JsonObject;
  readonly children: readonly TreeNode[];
}
