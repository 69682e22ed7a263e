import type { JsonObject } from '#base/json.js';
import { HEADER, textContent, user } from '../example.js';

/** The smallest PNG image, for examples. */
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const PICTURE = { type: 'image', data: PIXEL, mimeType: 'image/png' };

export function askAboutImage(data: string, mimeType = 'image/png'): readonly JsonObject[] {
  return [HEADER, user('u1', null, [textContent('What is this?'), { type: 'image', data, mimeType }])];
}
