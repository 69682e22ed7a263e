import json from './json.js';
import markdown from './markdown.js';
import type { Renderer } from './renderer.js';
import text from './text.js';

/** Every output format there is. */
export const renderers: readonly Renderer[] = [text, markdown, json];

/** A format of one command only does not name a layout of documents: that is text then. */
export function chooseRenderer(format: string): Renderer {
  return renderers.find(({ name }) => name === format) ?? text;
}
