import assert from 'node:assert/strict'
import { test } from 'node:test'
import { areDisjoint, tagOptions } from './disjoint-options.ts'

test('of many options with many members, the first without a constant ends the search for a tag', () => {
  const names = Array.from({ length: 100 }, (_, index) => `m${index}`)
  const properties = Object.fromEntries(names.map((name) => [name, {}]))
  const options = names.map(() => ({ type: ['object'] as const, properties, required: names }))
  for (const find of [areDisjoint, tagOptions]) {
    let reads = 0
    const found = find(options, () => {
      reads++
      return {}
    })
    assert.deepEqual([found || null, reads], [null, names.length])
  }
})
