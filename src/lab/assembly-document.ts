import * as z from 'zod/mini';
import { canonicalJson } from '#base/canonical-json.js';
import { jsonDocument } from '#base/schema.js';
import { envelopeContent, type LlmMessage } from '#context/replay/content.js';
import { tokenCount } from '#context/replay/envelope.js';
import {
  countMessageTokens,
  countPartTokens,
  countTokens,
  countValueTokens,
  sumMessageTokens,
} from '#context/size/tokens.js';
import { formatId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import type { MessageOrigin } from './builtin/three-phase.js';
import type { DeclaredContent } from './define.js';
import { listRejections } from './drive/breaches/clauses.js';
import type { Driven } from './drive/driven-request.js';
import type { Contribution } from './injectors/compose.js';

const entryId = z.nullable(z.string());

/** A piece of the request, with its source. All tokens are estimated. */
const contribution = z.object({
  /** The injector; `session` for what is sent as it is recorded; or the engine. */
  by: z.string(),
  place: z.enum(['system', 'tools', 'leading', 'conversation', 'tail']),
  /** How long it stays as it is; null where the engine does not say. */
  cache: z.nullable(z.enum(['stable', 'session', 'dynamic'])),
  /** Names of the parts or tools that it is. */
  names: z.array(z.string()),
  /** Of how many messages it is one or all. */
  messages: z.int(),
  tokens: z.int(),
  /** The most that it may be; null: it has none. */
  maxTokens: z.nullable(z.int()),
  /** Its tokens before it was cut; null: it was not. */
  cutFrom: z.nullable(z.int()),
  /** Names of what was left out whole. */
  leftOut: z.array(z.string()),
});

/** The output of `ctx engine run`: a request as an engine makes it. */
export const assemblyDocument = jsonDocument('ctx/assembly', {
  session: z.object({ id: z.string(), file: z.string() }),
  engine: z.string(),
  at: z.object({ entryId, line: z.nullable(z.int()) }),
  /** Counted from 1 along the path. */
  request: z.int(),
  /** The context window in tokens; null if it is unknown. */
  budget: z.nullable(z.int()),
  /** Estimated. */
  tokens: tokenCount,
  /** The statements of the engine. */
  estimatedTokens: z.number(),
  /** The tokens that were compared with the budget, by `promptAuthority`. */
  checkedTokens: z.number(),
  promptAuthority: z.enum(['assembled', 'preassembly_may_overflow']),
  /** It was over the budget, and is assembled once more after a compaction. */
  retried: z.optional(z.boolean()),
  /** It is over the budget. */
  overflow: z.boolean(),
  /** The reasons why a provider would reject it, by the engine's fault. */
  refusals: z.array(z.string()),
  placed: z.array(contribution),
  ...envelopeContent.shape,
  /** Where each message comes from, the cached ones first. */
  origins: z.array(
    z.object({
      /** `entry`: unchanged; `shortened`; `summary`: of several messages; otherwise an injector's placement, or `engine`. */
      by: z.enum(['entry', 'shortened', 'summary', 'leading', 'tail', 'engine']),
      entryId,
      tokens: z.int(),
    }),
  ),
  /** Changes of the context by the engine on the way to this request. */
  deeds: z.array(
    z.object({
      request: z.int(),
      kind: z.enum(['compaction', 'prune', 'rewrite']),
      reason: z.string(),
      tokensBefore: z.nullable(z.number()),
      tokensAfter: z.nullable(z.number()),
    }),
  ),
  /** The answer of the engine to a call of one of its tools; absent: no call was made. */
  call: z.optional(
    z.object({
      toolName: z.string(),
      input: z.record(z.string(), z.unknown()),
      content: z.array(z.record(z.string(), z.unknown())),
      isError: z.boolean(),
    }),
  ),
});

export type AssemblyDocument = z.infer<typeof assemblyDocument>;

/** Facts about a request beside its content. */
interface AssembledRequest {
  readonly session: Session;
  readonly engine: string;
  readonly budget: number | null;
  /** The declarations of the session, or of a baseline. */
  readonly declared: DeclaredContent;
  /** The engine's report on which injector put what where; null: it gives none. */
  readonly told: { readonly placed: readonly Contribution[]; readonly origins: readonly MessageOrigin[] } | null;
  readonly deeds: AssemblyDocument['deeds'];
}

/** A request as an engine has made it: each part with its contributor and its cost. */
export function buildAssemblyDocument(driven: Driven, about: AssembledRequest): AssemblyDocument {
  const { session, engine, budget, told, deeds } = about;
  const { at, request, assembled, checkedTokens, retried, overflow, breaches } = driven;
  const { system, tools, options, messages, sources, estimatedTokens, promptAuthority } = assembled;
  const origins = messages.map((message, nth) => {
    const source = sources[nth] ?? null;
    const { by, ...origin } = told?.origins[nth] ?? { by: source === null ? 'engine' : 'entry', entryId: source };
    return { by, entryId: origin.entryId, tokens: countMessageTokens(message) };
  });
  const isTail = (nth: number): boolean => origins[nth]?.by === 'tail';
  const cached = messages.filter((_, nth) => !isTail(nth));
  const uncached = messages.filter((_, nth) => isTail(nth));
  const content = { system, tools, options, messages: { cached, uncached } };
  return {
    schema: 'ctx/assembly',
    schemaVersion: 1,
    session: { id: session.header.id, file: session.file },
    engine,
    at: { entryId: formatId(at?.id), line: at?.line ?? null },
    request,
    budget,
    tokens: { ...countTokens(content) },
    estimatedTokens,
    checkedTokens,
    promptAuthority,
    ...(retried ? { retried } : {}),
    overflow,
    refusals: listRejections(breaches),
    placed: listContributions(about, driven, origins),
    // What is printed is what was assembled, whatever fields it has.
    ...(content as unknown as Pick<AssemblyDocument, 'system' | 'tools' | 'options' | 'messages'>),
    origins,
    deeds,
  };
}

type Row = AssemblyDocument['placed'][number];

function listContributions(
  about: AssembledRequest,
  { assembled }: Driven,
  origins: AssemblyDocument['origins'],
): Row[] {
  const { told } = about;
  const before = told
    ? told.placed.filter(({ place }) => place !== 'tail').map(toRow)
    : listRecordedRows(about, assembled);
  const after = (told?.placed ?? []).filter(({ place }) => place === 'tail').map(toRow);
  return [...before, ...listConversationRows(assembled.messages, origins), ...after];
}

function toRow({ injector, place, cache, names, tokens, maxTokens, cutFrom, leftOut }: Contribution): Row {
  const messages = place === 'leading' || place === 'tail' ? 1 : 0;
  const lists = { names: [...names], leftOut: [...leftOut] };
  return { by: injector, place, cache, messages, tokens, maxTokens, cutFrom, ...lists };
}

/** Prompt and tools of an engine that does not name their contributors. */
function listRecordedRows(
  { engine, declared }: AssembledRequest,
  { system, tools }: Driven['assembled'],
): readonly Row[] {
  const known = new Map(declared.system.parts.map((part) => [canonicalJson(part), true]));
  const own = system.parts.filter((part) => !known.has(canonicalJson(part)));
  const others = system.parts.filter((part) => known.has(canonicalJson(part)));
  const isSame = canonicalJson(tools) === canonicalJson(declared.tools);
  const row = (by: string, place: Row['place'], items: readonly { readonly name: string }[], tokens: number): Row[] =>
    items.length === 0 ? [] : [{ ...EMPTY, by, place, names: items.map(({ name }) => name), tokens }];
  return [
    ...row(engine, 'system', own, countPartTokens(own)),
    ...row('session', 'system', others, countPartTokens(others)),
    ...row(isSame ? 'session' : engine, 'tools', tools, countValueTokens(tools)),
  ];
}

const EMPTY: Row = {
  by: '',
  place: 'conversation',
  cache: null,
  names: [],
  messages: 0,
  tokens: 0,
  maxTokens: null,
  cutFrom: null,
  leftOut: [],
};

const CONVERSATION_ORIGINS = ['summary', 'engine', 'shortened', 'entry'] as const;

function listConversationRows(messages: readonly LlmMessage[], origins: AssemblyDocument['origins']): readonly Row[] {
  return CONVERSATION_ORIGINS.flatMap((by) => {
    const own = messages.filter((_, nth) => origins[nth]?.by === by);
    const tokens = sumMessageTokens(own);
    return own.length === 0 ? [] : [{ ...EMPTY, by, messages: own.length, tokens }];
  });
}
