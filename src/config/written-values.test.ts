import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formatBytes, parseByteSize, printByteSize } from '../core/byte-size.ts'
import { parseDuration, printDuration } from './duration.ts'

describe('durations', () => {
  it('are read in every unit, and read back unchanged when printed', () => {
    for (const [text, ms] of [
      ['0', 0],
      ['250ms', 250],
      ['90s', 90_000],
      ['5m', 300_000],
      ['2h', 7_200_000],
      ['30d', 2_592_000_000],
    ] as const) {
      assert.equal(parseDuration(text), ms)
      assert.equal(parseDuration(printDuration(ms)), ms)
    }
    assert.equal(printDuration(90_000), '90s')
    assert.equal(printDuration(86_400_000), '1d')
  })

  it('need exactly a number and a unit', () => {
    for (const text of ['5', '-5s', '1.5h', 's', '5 weeks', '', '99999999999999999d']) assert.equal(parseDuration(text), undefined, text)
  })
})

describe('sizes', () => {
  it('are read with a unit or as bytes', () => {
    for (const [text, bytes] of [
      ['512', 512],
      ['1kb', 1024],
      ['1.5 GB', 1_610_612_736],
      ['10mb', 10_485_760],
    ] as const) {
      assert.equal(parseByteSize(text), bytes)
    }
    for (const text of ['', 'mb', '-1mb', '1 megabyte']) assert.equal(parseByteSize(text), undefined, text)
    assert.equal(printByteSize(10_485_760), '10mb')
    assert.equal(printByteSize(12), '12b')
  })

  it('are formatted for people in decimal units', () => {
    for (const [bytes, text] of [
      [0, '0 B'],
      [999, '999 B'],
      [1500, '1.5 kB'],
      [98_400_000, '98.4 MB'],
      [442_400_000, '442 MB'],
      [999_900_000, '1 GB'],
      [1_900_000_000, '1.9 GB'],
      [2_500_000_000_000_000, '2500 TB'],
    ] as const)
      assert.equal(formatBytes(bytes), text)
  })
})
