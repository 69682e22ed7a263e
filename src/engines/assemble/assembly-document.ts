import { canonicalJson } from '#base/canonical.js';
import type { LlmMessage } from '#context/replay/content.js';
import { countTokens, tokensOfMessage, tokensOfParts, tokensOfValue } from '#context/replay/tokens.js';
import type { Session } from '#session/session.js';
import { idText } from '#session/table/head.js';
import type { MessageOrigin } from '../builtin/three-phase.js';
import type { Declared } from '../define.js';
import type { Driven } from '../drive/driven.js';
import type { Placed } from '../injectors/compose.js';
import type { AssemblyDocument } from './document.js';

/** What is known of a request, beside what is sent. */
export interface About {
  readonly session: Session;
  readonly engine: string;
  readonly budget: number | null;
  /** What the session has declared, or a baseline. */
  readonly declared: Declared;
  /** What an engine says of itself: who put what where; null: it says nothing. */
  readonly told: { readonly placed: readonly Placed[]; readonly origins: readonly MessageOrigin[] } | null;
  readonly deeds: AssemblyDocument['deeds'];
}

/** A request as an engine has made it, with who put what where, and what each cost. */
export function assemblyDocumentOf(driven: Driven, about: About): AssemblyDocument {
  const { session, engine, budget, told, deeds } = about;
  const { at, request, assembled, checkedTokens, overflow } = driven;
  const { system, tools, options, messages, sources, estimatedTokens, promptAuthority } = assembled;
  const origins = messages.map((message, nth) => ({
    ...(told?.origins[nth] ?? originOf(sources[nth] ?? null)),
    tokens: tokensOfMessage(message),
  }));
  const isTail = (nth: number): boolean => origins[nth]?.by === 'tail';
  const cached = messages.filter((_, nth) => !isTail(nth));
  const uncached = messages.filter((_, nth) => isTail(nth));
  const content = { system, tools, options, messages: { cached, uncached } };
  return {
    schema: 'ctx/assembly',
    schemaVersion: 1,
    session: { id: session.header.id, file: session.file },
    engine,
    at: { entryId: idText(at?.id), line: at?.line ?? null },
    request,
    budget,
    tokens: { ...countTokens(content) },
    estimatedTokens,
    checkedTokens,
    promptAuthority,
    overflow,
    placed: placedBy(about, driven, origins),
    // What is printed is what was assembled, whatever fields it has.
    ...(content as unknown as Pick<AssemblyDocument, 'system' | 'tools' | 'options' | 'messages'>),
    origins,
    deeds,
  };
}

function originOf(entryId: string | null): Omit<AssemblyDocument['origins'][number], 'tokens'> {
  return { by: entryId === null ? 'engine' : 'entry', entryId };
}

type Row = AssemblyDocument['placed'][number];

function placedBy(about: About, { assembled }: Driven, origins: AssemblyDocument['origins']): Row[] {
  const { told } = about;
  const before = told ? told.placed.filter(({ place }) => place !== 'tail').map(rowOf) : recordedRows(about, assembled);
  const after = (told?.placed ?? []).filter(({ place }) => place === 'tail').map(rowOf);
  return [...before, ...conversationRows(assembled.messages, origins), ...after];
}

function rowOf({ injector, place, cache, names, tokens, maxTokens, cutFrom, leftOut }: Placed): Row {
  const messages = place === 'leading' || place === 'tail' ? 1 : 0;
  const lists = { names: [...names], leftOut: [...leftOut] };
  return { by: injector, place, cache, messages, tokens, maxTokens, cutFrom, ...lists };
}

/** Prompt and tools of an engine that does not say who put them there. */
function recordedRows({ engine, declared }: About, { system, tools }: Driven['assembled']): readonly Row[] {
  const known = new Map(declared.system.parts.map((part) => [canonicalJson(part), true]));
  const own = system.parts.filter((part) => !known.has(canonicalJson(part)));
  const others = system.parts.filter((part) => known.has(canonicalJson(part)));
  const isSame = canonicalJson(tools) === canonicalJson(declared.tools);
  const row = (by: string, place: Row['place'], items: readonly { readonly name: string }[], tokens: number): Row[] =>
    items.length === 0 ? [] : [{ ...EMPTY, by, place, names: items.map(({ name }) => name), tokens }];
  return [
    ...row(engine, 'system', own, tokensOfParts(own)),
    ...row('session', 'system', others, tokensOfParts(others)),
    ...row(isSame ? 'session' : engine, 'tools', tools, tokensOfValue(tools)),
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

const OF_CONVERSATION = ['summary', 'engine', 'shortened', 'entry'] as const;

function conversationRows(messages: readonly LlmMessage[], origins: AssemblyDocument['origins']): readonly Row[] {
  return OF_CONVERSATION.flatMap((by) => {
    const own = messages.filter((_, nth) => origins[nth]?.by === by);
    const tokens = own.reduce((sum, message) => sum + tokensOfMessage(message), 0);
    return own.length === 0 ? [] : [{ ...EMPTY, by, messages: own.length, tokens }];
  });
}
