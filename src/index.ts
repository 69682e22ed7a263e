export { CtxError, type Problem } from './errors.js';
export type { EnvelopeOptions, EnvelopeStep } from './context/build.js';
export { canonicalJson } from './context/canonical.js';
export type { Baseline } from './context/baseline.js';
export type { EnvelopeContent, LlmMessage, SystemPart, ToolDefinition } from './context/content.js';
export type { ContextEnvelope } from './context/envelope.js';
export { envelopeAt, eachEnvelope, type OpenSession, openSession } from './open.js';
export { applyPatch, type PatchResult } from './ops/read-patch.js';
export type { Session } from './session/session.js';
