import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loraTag, readLoraTags } from './lora.ts'

test('tags are removed from the prompt and become LoRAs with their weights', () => {
  assert.deepEqual(readLoraTags('a fox <lora:ink:0.8>, flat <lora:paper>'), {
    text: 'a fox, flat',
    loras: [
      { name: 'ink', weight: 0.8 },
      { name: 'paper', weight: 1 },
    ],
    unreadable: [],
    foreign: [],
  })
  assert.deepEqual(readLoraTags('<lora:a/b-c.1:-.5>fox').loras, [{ name: 'a/b-c.1', weight: -0.5 }])
})

test('text that only resembles a tag is kept', () => {
  for (const prompt of ['a < b > c', '<lora>', '<lora:x', 'lora:x:1', '<3:x>']) {
    assert.deepEqual(readLoraTags(prompt), { text: prompt, loras: [], unreadable: [], foreign: [] })
  }
})

test('tags without a name or a number are distinguished', () => {
  for (const tag of [
    '<lora:>',
    '<lora::1>',
    '<lora:x:>',
    '<lora:x:much>',
    '<lora:x:1:2:3>',
    '<lora:x:1:te=2>',
    '<lora:x:1e9>',
    '<lora:x:0x1>',
  ])
    assert.deepEqual(readLoraTags(`fox ${tag}`), { text: 'fox', loras: [], unreadable: [tag], foreign: [] })
})

test('aliases for "lora", either case, folders and separate weights for text and UNet are read; other kinds of tags are distinguished', () => {
  for (const tag of ['<lyco:ink:0.5>', '<LORA:ink:0.5>', '<Lyco: ink : 0.5 >', '<lora:ink:0.5:0.5>'])
    assert.deepEqual(readLoraTags(tag).loras, [{ name: 'ink', weight: 0.5 }])
  assert.deepEqual(readLoraTags('<lora:SDXL/styles/ink:1:0.5>').loras, [{ name: 'SDXL/styles/ink', weight: 0.5, textWeight: 1 }])
  assert.deepEqual(readLoraTags('fox <hypernet:x:1>'), {
    text: 'fox <hypernet:x:1>',
    loras: [],
    unreadable: [],
    foreign: ['<hypernet:x:1>'],
  })
})

test('a formatted tag is read back unchanged', () => {
  for (const lora of [
    { name: 'ink', weight: -0.25 },
    { name: 'ink', weight: 1, textWeight: 0 },
  ])
    assert.deepEqual(readLoraTags(loraTag(lora)).loras, [lora])
})

test('ten thousand characters of opened tags are read without delay', () => {
  assert.equal(readLoraTags('<lora:'.repeat(1666)).loras.length, 0)
})
