import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prefers } from './async-mode.ts'

for (const [header, name, value] of [
  [undefined, 'wait', undefined],
  ['respond-async', 'respond-async', ''],
  ['respond-async, wait=10', 'wait', '10'],
  ['Wait="10"; foo="some, text"', 'wait', '10'],
  [['handling=lenient', 'RESPOND-ASYNC'], 'respond-async', ''],
  ['no-respond-async', 'respond-async', undefined],
] as const)
  test(`Prefer: ${header} has ${name} as ${value}`, () => assert.equal(prefers(header, name), value))
