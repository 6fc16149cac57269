import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseBlocks } from './markdown-blocks.ts'
import { parseInline } from './markdown-inline.ts'

test('paragraphs, lists, quotes, headings and code become blocks', () => {
  const blocks = parseBlocks('# Title\nOne\ntwo\n\n3. a\n4. b\n> said\n```js\nlet x\n```\n- c')
  assert.deepEqual(blocks, [
    { type: 'heading', text: 'Title' },
    { type: 'paragraph', text: 'One\ntwo' },
    { type: 'list', ordered: true, start: 3, items: ['a', 'b'] },
    { type: 'quote', text: 'said' },
    { type: 'code', text: 'let x' },
    { type: 'list', ordered: false, start: 1, items: ['c'] },
  ])
})

test('a code fence that is still being written is code already', () => {
  assert.deepEqual(parseBlocks('```\nlet'), [{ type: 'code', text: 'let' }])
})

test('marks inside a paragraph are told apart', () => {
  assert.deepEqual(parseInline('a **b** `c*d*` *e*\n[f](https://x.example/y)'), [
    { type: 'text', text: 'a ' },
    { type: 'strong', text: 'b' },
    { type: 'text', text: ' ' },
    { type: 'code', text: 'c*d*' },
    { type: 'text', text: ' ' },
    { type: 'emphasis', text: 'e' },
    { type: 'break' },
    { type: 'link', text: 'f', href: 'https://x.example/y' },
  ])
})

test('a link that would run a script stays text', () => {
  assert.deepEqual(parseInline('[x](javascript:alert(1))'), [{ type: 'text', text: '[x](javascript:alert(1))' }])
})
