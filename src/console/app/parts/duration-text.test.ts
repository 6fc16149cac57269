import assert from 'node:assert/strict'
import { test } from 'node:test'
import { durationText } from './duration-text.ts'

const cases: readonly (readonly [number, string])[] = [
  [840, '840 ms'],
  [1234, '1.23 s'],
  [12_340, '12.3 s'],
  [300_000, '5 min'],
  [10_800_000, '3 h'],
  [1_036_800_000, '12 days'],
]
for (const [ms, text] of cases) test(`${ms} ms are ${text}`, () => assert.equal(durationText(ms), text))
