import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GapTokens } from '../binding/vocabulary.ts'
import { layOutGap } from './text-gap.ts'

const marks: Readonly<Record<number, string>> = {
  1000: '{prefix}',
  1001: '{suffix}',
  1002: '{middle}',
  1003: '{repository}',
  1004: '{file}',
}

const write = (gap: GapTokens | null, files: readonly { name: string; text: string }[]): string =>
  layOutGap(gap, 'before', { suffix: 'after', files })
    .map((part) => (typeof part === 'number' ? marks[part] : part))
    .join('')

const plain: GapTokens = { prefix: 1000, suffix: 1001, middle: 1002, repository: null, file: null }
const files = [{ name: 'a.ts', text: 'A' }]

test('a gap is shown between its marks, and the answer follows the last', () => {
  assert.equal(write(plain, []), '{prefix}before{suffix}after{middle}')
})

test('other files come before it, by their names', () => {
  assert.equal(write(plain, files), '\n\n--- a.ts ---\n\nA{prefix}before{suffix}after{middle}')
  assert.equal(
    write({ ...plain, repository: 1003, file: 1004 }, files),
    '{repository}repository\n{file}a.ts\nA{file}filename\n{prefix}before{suffix}after{middle}',
  )
})

test('a model that names no tokens for gaps refuses them', () => {
  assert.throws(() => write(null, []), { code: 'unsupported_parameter', param: 'model' })
})
