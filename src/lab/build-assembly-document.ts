import { canonicalJson } from '#base/canonical-json.js';
import type { LlmMessage } from '#context/replay/content.js';
import {
  countMessageTokens,
  countPartTokens,
  countTokens,
  countValueTokens,
  sumMessageTokens,
} from '#context/size/tokens.js';
import { formatId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import type { AssemblyDocument } from './assembly-document.js';
import type { MessageOrigin } from './builtin/three-phase/assembler.js';
import type { DeclaredContent } from './define.js';
import { listRejections } from './drive/breaches/clauses.js';
import type { Driven } from './drive/driven-request.js';
import type { Contribution } from './injectors/compose.js';

/** The report of an engine on which injector put what where. */
interface AssemblyReport {
  readonly placed: readonly Contribution[];
  /** The origin of each message. */
  readonly origins: readonly MessageOrigin[];
}

/** Facts about a request beside its content. */
interface AssembledRequest {
  readonly session: Session;
  readonly engine: string;
  readonly budget: number | null;
  /** The declarations of the session, or of a baseline. */
  readonly declared: DeclaredContent;
  /** null: the engine gives none. */
  readonly report: AssemblyReport | null;
  readonly deeds: AssemblyDocument['deeds'];
}

/** A request as an engine has made it: each part with its contributor and its cost. */
export function buildAssemblyDocument(driven: Driven, about: AssembledRequest): AssemblyDocument {
  const { session, engine, budget, report, deeds } = about;
  const { at, request, assembled, checkedTokens, retried, overflow, breaches } = driven;
  const { system, tools, options, messages, sources, estimatedTokens, promptAuthority } = assembled;
  const origins = messages.map((message, nth) => {
    const source = sources[nth] ?? null;
    const { by, ...origin } = report?.origins[nth] ?? { by: source === null ? 'engine' : 'entry', entryId: source };
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
  const { report } = about;
  const before = report
    ? report.placed.filter(({ place }) => place !== 'tail').map(toRow)
    : listRecordedRows(about, assembled);
  const after = (report?.placed ?? []).filter(({ place }) => place === 'tail').map(toRow);
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
  const declaredParts = new Map(declared.system.parts.map((part) => [canonicalJson(part), true]));
  const own = system.parts.filter((part) => !declaredParts.has(canonicalJson(part)));
  const others = system.parts.filter((part) => declaredParts.has(canonicalJson(part)));
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
