import assert from 'node:assert/strict'
import { test } from 'node:test'
import { distanceText, durationText } from './duration-text.ts'

const cases: readonly (readonly [number, string])[] = [
  [840, '840\u00a0ms'],
  [1234, '1.23\u00a0s'],
  [12_340, '12.3\u00a0s'],
  [300_000, '5\u00a0min'],
  [10_800_000, '3\u00a0h'],
  [1_036_800_000, '12 days'],
]
for (const [ms, text] of cases) test(`formats ${ms} ms as ${text}`, () => assert.equal(durationText(ms), text))

const distances: readonly (readonly [number, string])[] = [
  [-300_000, '5\u00a0min ago'],
  [10_800_000, 'in 3\u00a0h'],
  [-259_200_000, '3 days ago'],
  [259_200_000, 'in 3 days'],
]
for (const [ms, text] of distances) test(`formats ${ms} ms from now as ${text}`, () => assert.equal(distanceText(ms), text))
