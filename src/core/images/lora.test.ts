import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loraTag, readLoraTags } from './lora.ts'

test('tags leave the prompt and become LoRAs with their weights', () => {
  assert.deepEqual(readLoraTags('a fox <lora:ink:0.8>, flat <lora:paper>'), {
    text: 'a fox, flat',
    loras: [
      { name: 'ink', weight: 0.8 },
      { name: 'paper', weight: 1 },
    ],
    unreadable: [],
  })
  assert.deepEqual(readLoraTags('<lora:a/b-c.1:-.5>fox').loras, [{ name: 'a/b-c.1', weight: -0.5 }])
})

test('text that only looks like a tag stays', () => {
  for (const prompt of ['a < b > c', '<lyco:x:1>', '<lora>', '<lora:x', 'lora:x:1']) {
    assert.deepEqual(readLoraTags(prompt), { text: prompt, loras: [], unreadable: [] })
  }
})

test('tags without a name or a number are told apart', () => {
  for (const tag of ['<lora:>', '<lora::1>', '<lora:x:>', '<lora:x:much>', '<lora:x:1:2>', '<lora:x:1e9>', '<lora:x:0x1>'])
    assert.deepEqual(readLoraTags(`fox ${tag}`), { text: 'fox', loras: [], unreadable: [tag] })
})

test('a written tag reads back', () => {
  const lora = { name: 'ink', weight: -0.25 }
  assert.deepEqual(readLoraTags(loraTag(lora)).loras, [lora])
})

test('ten thousand characters of opened tags are read at once', () => {
  assert.equal(readLoraTags('<lora:'.repeat(1666)).loras.length, 0)
})
