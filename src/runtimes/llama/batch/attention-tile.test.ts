import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutBetweenTiles, cutForTile, keepForTile } from './attention-tile.ts'

test('a few dozen new tokens after a long cached prefix are extended to a full tile', () => {
  assert.equal(keepForTile(2000, 2040), 2040 - 64)
})

test('very few or very many new tokens, or a short prefix, are unchanged', () => {
  assert.equal(keepForTile(2000, 2010), 2000)
  assert.equal(keepForTile(2000, 2024), 2000)
  assert.equal(keepForTile(2000, 2100), 2000)
  assert.equal(keepForTile(100, 140), 100)
})

test('a prompt is split into full tiles', () => {
  assert.equal(cutForTile(1000, 72), 64)
  assert.equal(cutForTile(1000, 200), 192)
  assert.equal(cutForTile(100, 128), 100)
})

test('the rest of a prompt is at least a tile, or very small', () => {
  assert.equal(cutForTile(170, 128), 64)
  assert.equal(cutForTile(140, 128), 128)
})

test('without space for a full tile, as many tokens as fit are taken', () => {
  assert.equal(cutForTile(70, 40), 40)
})

test('a text is split between full tiles, and its last piece includes the partial tile', () => {
  const pieces = (length: number, room: number): readonly number[] => {
    const count = cutBetweenTiles(length, room)
    return count === length ? [count] : [count, ...pieces(length - count, room)]
  }
  assert.deepEqual(pieces(40, 64), [40])
  assert.deepEqual(pieces(127, 64), [127])
  assert.deepEqual(pieces(128, 64), [64, 64])
  assert.deepEqual(pieces(200, 64), [64, 64, 72])
  assert.deepEqual(pieces(1000, 300), [256, 256, 256, 232])
  assert.deepEqual(pieces(1030, 512), [512, 518])
})
