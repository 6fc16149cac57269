import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byteText } from './byte-text.ts'

const cases: readonly (readonly [number, string])[] = [
  [0, '0 B'],
  [999, '999 B'],
  [28_800_000, '28.8 MB'],
  [442_000_000, '442 MB'],
  [2.5e15, '2,500 TB'],
]
for (const [bytes, text] of cases) test(`formats ${bytes} bytes as ${text}`, () => assert.equal(byteText(bytes), text))
