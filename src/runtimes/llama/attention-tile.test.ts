import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutForTile, keepForTile } from './attention-tile.ts'

test('a few dozen new tokens after a long cached beginning are made a whole tile', () => {
  assert.equal(keepForTile(2000, 2040), 2040 - 64)
})

test('very few or very many new tokens, or a short beginning, stay as they are', () => {
  assert.equal(keepForTile(2000, 2010), 2000)
  assert.equal(keepForTile(2000, 2100), 2000)
  assert.equal(keepForTile(100, 140), 100)
})

test('a prompt is cut so that its last piece is a whole tile', () => {
  assert.equal(cutForTile(150, 128), 86)
  assert.equal(cutForTile(300, 128), 128)
  assert.equal(cutForTile(100, 128), 100)
  assert.equal(cutForTile(70, 40), 40)
})
