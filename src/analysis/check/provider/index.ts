import type { RuleDefinition } from '../define.js';
import callWithoutResult from './call-without-result.js';
import cannotGoOn from './cannot-go-on.js';
import compactionInToolPair from './compaction-in-tool-pair.js';
import duplicateCallId from './duplicate-call-id.js';
import duplicateResult from './duplicate-result.js';
import emptyContent from './empty-content.js';
import emptyToolResult from './empty-tool-result.js';
import errorInContext from './error-in-context.js';
import foreignThinking from './foreign-thinking.js';
import halfSurrogatePair from './half-surrogate-pair.js';
import imageInAnswer from './image-in-answer.js';
import lostSignature from './lost-signature.js';
import movedSignature from './moved-signature.js';
import openCall from './open-call.js';
import outputReserve from './output-reserve.js';
import requestTooLarge from './request-too-large.js';
import resultOutOfOrder from './result-out-of-order.js';
import resultWithoutCall from './result-without-call.js';
import roleOrder from './role-order.js';
import thinkingAtEnd from './thinking-at-end.js';
import tooManyImages from './too-many-images.js';
import toolNotDefined from './tool-not-defined.js';
import unreadableImage from './unreadable-image.js';
import unsupportedDocument from './unsupported-document.js';
import unsupportedImage from './unsupported-image.js';

/** The rules about messages that a provider rejects or misreads. */
export const rules: readonly RuleDefinition[] = [
  cannotGoOn,
  callWithoutResult,
  openCall,
  resultWithoutCall,
  resultOutOfOrder,
  duplicateResult,
  duplicateCallId,
  compactionInToolPair,
  roleOrder,
  emptyContent,
  emptyToolResult,
  halfSurrogatePair,
  foreignThinking,
  movedSignature,
  lostSignature,
  thinkingAtEnd,
  unsupportedImage,
  unsupportedDocument,
  unreadableImage,
  imageInAnswer,
  tooManyImages,
  requestTooLarge,
  errorInContext,
  outputReserve,
  toolNotDefined,
];
