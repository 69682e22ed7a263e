import type { RuleDefinition } from '../define.js';
import byteOrderMark from './byte-order-mark.js';
import gluedLines from './glued-lines.js';
import invalidEscape from './invalid-escape.js';
import invalidUtf8 from './invalid-utf8.js';
import lateHeader from './late-header.js';
import lineTooLong from './line-too-long.js';
import malformedLine from './malformed-line.js';
import missingHeader from './missing-header.js';
import noFinalNewline from './no-final-newline.js';
import noId from './no-id.js';
import noType from './no-type.js';
import notAnObject from './not-an-object.js';
import nulBytes from './nul-bytes.js';
import repeatedHeader from './repeated-header.js';
import splitLine from './split-line.js';
import tornTail from './torn-tail.js';

/** The rules about damaged lines of a file. */
export const rules: readonly RuleDefinition[] = [
  tornTail,
  nulBytes,
  gluedLines,
  splitLine,
  invalidEscape,
  malformedLine,
  notAnObject,
  invalidUtf8,
  byteOrderMark,
  lineTooLong,
  missingHeader,
  lateHeader,
  repeatedHeader,
  noId,
  noType,
  noFinalNewline,
];
