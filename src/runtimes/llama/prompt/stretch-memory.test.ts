import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StretchMemory } from './stretch-memory.ts'

/** A cache, and the pieces that had to be tokenized. */
function watch(mostBytes?: number): {
  readonly read: (account: string, stretch: string, special?: boolean) => number[]
  readonly tokenized: string[]
} {
  const memory = new StretchMemory(mostBytes)
  const tokenized: string[] = []
  const read = (account: string, stretch: string, special = true): number[] => {
    const tokens = memory.tokens({ account, stretch, special }, () => {
      tokenized.push(stretch)
      return Uint32Array.from(Buffer.from(stretch))
    })
    return [...tokens]
  }
  return { read, tokenized }
}

test('a piece of text is tokenized once', () => {
  const { read, tokenized } = watch()
  const first = read('a', 'hello')
  assert.deepEqual(read('a', 'hello'), first)
  assert.deepEqual(read('a', 'other'), [...Buffer.from('other')])
  assert.deepEqual(tokenized, ['hello', 'other'])
})

test('the pieces of one account are not used for another', () => {
  const { read, tokenized } = watch()
  read('a', 'hello')
  read('b', 'hello')
  assert.deepEqual(tokenized, ['hello', 'hello'])
})

test('a text with special tokens and the same text without them are cached separately', () => {
  const { read, tokenized } = watch()
  for (const special of [true, false, true]) read('a', '<m>', special)
  assert.deepEqual(tokenized, ['<m>', '<m>'])
})

test('the least recently used piece is evicted when the cache is full', () => {
  const { read, tokenized } = watch(1000)
  for (const stretch of ['one', 'two', 'one', 'three', 'one', 'two']) read('a', stretch)
  assert.deepEqual(tokenized, ['one', 'two', 'three', 'two'])
})

test('a piece larger than the cache is not kept', () => {
  const { read, tokenized } = watch(1000)
  for (const stretch of ['one', 'x'.repeat(2000), 'x'.repeat(2000)]) read('a', stretch)
  assert.equal(tokenized.length, 3)
})
