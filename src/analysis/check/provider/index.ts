import type { RuleDefinition } from '../define.js';
import { imageInAnswer, tooManyImages, unreadableImage, unsupportedImage } from './image-rules.js';
import { emptyContent, emptyToolResult, errorInContext, roleOrder, toolNotDefined } from './message-rules.js';
import {
  callWithoutResult,
  compactionInToolPair,
  duplicateCallId,
  duplicateResult,
  openCall,
  resultOutOfOrder,
  resultWithoutCall,
} from './pair-rules.js';
import { foreignThinking, lostSignature, movedSignature, thinkingAtEnd } from './thinking-rules.js';

/** The rules about messages that a provider rejects or misreads. */
export const rules: readonly RuleDefinition[] = [
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
  foreignThinking,
  movedSignature,
  lostSignature,
  thinkingAtEnd,
  unsupportedImage,
  unreadableImage,
  imageInAnswer,
  tooManyImages,
  errorInContext,
  toolNotDefined,
];
