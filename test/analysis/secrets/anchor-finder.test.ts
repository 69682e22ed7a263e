import { expect, it } from 'vitest';
import { AnchorFinder, secretPatterns } from '#analysis/secrets/find-secrets.js';
import { listReadings } from '#analysis/secrets/readings.js';
import { seeded, SURROUNDINGS } from '../../support/seeded-secrets.js';

const anchors = [...new Set(secretPatterns.flatMap((pattern) => pattern.anchors))];

it('the anchors of a pattern are found in whatever it finds something in, be it among the first texts or the last', () => {
  const beginnings = new AnchorFinder(anchors);
  for (let round = 0; round < 2; round += 1) {
    for (const surroundings of Object.keys(SURROUNDINGS)) {
      for (const pattern of secretPatterns) {
        const { text } = seeded(pattern, surroundings, round);
        const texts = listReadings(text).map((reading) => reading.text);
        const found = new Set(texts.flatMap((one) => Array.from(beginnings.findIn(one), (at) => anchors[at]!)));
        expect(pattern.anchors.some((anchor) => found.has(anchor))).toBe(true);
      }
    }
    beginnings.findIn(' '.repeat(300_000));
  }
});

it('a beginning that another begins with, or that begins in another, is found as well', () => {
  const beginnings = new AnchorFinder(['sk-', 'sk-ant-[a-z]', 'nt-x', '\\bant', '(.+']);
  expect([...beginnings.findIn('sk-ant-x')].toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3]);
  expect([...beginnings.findIn('sk-or-v1-')]).toEqual([0]);
  expect([...beginnings.findIn('(.+)')]).toEqual([4]);
  expect([...beginnings.findIn('')]).toEqual([]);
});
