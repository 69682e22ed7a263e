/** Codes of the characters that structure JSON and its lines. */
export const NUL = 0x00;
export const TAB = 0x09;
export const NEWLINE = 0x0a;
export const RETURN = 0x0d;
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const BRACKET_END = 0x5d;
export const LOWER_U = 0x75;
export const BRACE = 0x7b;
export const BRACE_END = 0x7d;
