import type { Renderer } from './define.js';
import json from './json.js';
import markdown from './markdown.js';
import text from './text.js';

/** Every output format there is. */
export const renderers: readonly Renderer[] = [text, markdown, json];
