import assert from 'node:assert/strict'
import { test } from 'node:test'
import { didYouMean, nearestName } from './nearest-name.ts'

const known = ['port', 'host', 'public-url', 'webhook-private-targets', 'n']

test('finds the name that a typing error most likely meant', () => {
  assert.equal(nearestName('prot', known), 'port')
  assert.equal(nearestName('publicurl', known), 'public-url')
  assert.equal(nearestName('webhook-privat-target', known), 'webhook-private-targets')
  assert.equal(didYouMean('hosts', known), ' Did you mean host?')
})

test('finds the only name that begins with a shorter one', () => {
  assert.equal(nearestName('smollm2', ['all-minilm-l6-v2', 'smollm2-135m-instruct']), 'smollm2-135m-instruct')
  assert.equal(nearestName('qwen', ['qwen3-4b-instruct', 'qwen2.5-7b-instruct']), undefined)
})

test('finds none if no name is similar', () => {
  assert.equal(nearestName('stop', ['store', 'steps']), undefined)
  for (const name of ['colour', '', 'x', 'ab', 'p'.repeat(10_000)]) assert.equal(nearestName(name, known), undefined, name.slice(0, 9))
  assert.equal(didYouMean('colour', known), '')
})

test('counts insertions, removals and changes, in any order', () => {
  for (const [name, nearest] of [
    ['kitten', 'sitten'],
    ['saturday', 'saturdays'],
    ['bcdefghi', 'abcdefghi'],
    ['abcdefg', 'bcdefgh'],
  ] as const)
    assert.equal(nearestName(name, ['something', nearest]), nearest)
})
