import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseByteSize, printByteSize } from '../core/byte-size.ts'
import { parseDuration, printDuration } from './duration.ts'

for (const [text, bytes] of [
  ['0', 0],
  ['512', 512],
  ['512kb', 512 * 1024],
  ['1.5gb', 1.5 * 1024 ** 3],
  [' 32 MB ', 32 * 1024 ** 2],
  ['2tb', 2 * 1024 ** 4],
  ['0.1kb', 102],
] as const)
  test(`the size ${JSON.stringify(text)} is ${bytes} bytes`, () => assert.equal(parseByteSize(text), bytes))

for (const text of ['', 'b', '-1', '1e3', '1,5gb', '1kib', '1 k b', '.5kb', '5.', 'NaN', 'Infinity', '1constructor', '99999999tb', '１kb'])
  test(`${JSON.stringify(text)} is no size`, () => assert.equal(parseByteSize(text), undefined))

test('a printed size is read back as itself, up to its one digit after the point', () => {
  for (const bytes of [0, 1, 1023, 1024, 1536, 1024 ** 2 - 1, 1024 ** 2, 5.5 * 1024 ** 3, 1024 ** 4]) {
    const read = parseByteSize(printByteSize(bytes)) ?? Number.NaN
    assert.ok(Math.abs(read - bytes) <= bytes * 0.05, `${bytes} → ${printByteSize(bytes)} → ${read}`)
  }
  assert.equal(printByteSize(1536), '1.5kb')
})

for (const [text, ms] of [
  ['0', 0],
  ['1500ms', 1500],
  ['30s', 30_000],
  ['5m', 300_000],
  ['2h', 7_200_000],
  ['30d', 2_592_000_000],
  [' 30 D ', 2_592_000_000],
] as const)
  test(`the duration ${JSON.stringify(text)} is ${ms} ms`, () => assert.equal(parseDuration(text), ms))

for (const text of ['', '5', '-5s', '1.5s', '1e3s', '5sec', '1toString', '99999999999999d', 's', '00', '５s'])
  test(`${JSON.stringify(text)} is no duration`, () => assert.equal(parseDuration(text), undefined))

test('a printed duration is read back exactly, in the largest unit that holds it', () => {
  for (const ms of [0, 1, 999, 1000, 1500, 60_000, 90_000, 3_600_000, 86_400_000, 90_000_000])
    assert.equal(parseDuration(printDuration(ms)), ms)
  assert.deepEqual([90_000, 86_400_000, 1500].map(printDuration), ['90s', '1d', '1500ms'])
})
