import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseGpuLayers } from './open-model-file.ts'

const facts = { cacheBytesPerToken: 1e5, vocabularySize: 1e5, split: null, header: { promisedBytes: 8e9 } }
const layersFor = (freeBytes: number, changes: Partial<typeof facts> | { split: { index: 0; count: 2 } } = {}): number =>
  chooseGpuLayers({ ...facts, ...changes }, { layers: 33, freeBytes, cachedTokens: 4096 })

test('a GPU takes every layer where they fit with their caches, else as many as do', () => {
  assert.equal(layersFor(24e9), 33)
  assert.equal(layersFor(4e9), 13)
  assert.equal(layersFor(1e8), 0)
})

test('a file of two parts counts with both', () => {
  assert.equal(layersFor(8e9, { split: { index: 0, count: 2 } }), 14)
})
