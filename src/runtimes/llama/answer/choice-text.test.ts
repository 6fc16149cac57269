import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Utf8Holder } from './choice-text.ts'

const whole = (text: string) => ({ bytes: Buffer.from(text), text })
const part = (...bytes: number[]) => ({ bytes: Uint8Array.from(bytes), text: null })

test('a character split across tokens is emitted with its last byte', () => {
  const holder = new Utf8Holder()
  const shown = [whole('a'), part(0xf0, 0x9f), part(0x98), part(0x80), whole('b')].map((piece) => holder.add(piece))
  assert.deepEqual(shown, ['a', '', '', '😀', 'b'])
})

test('incomplete bytes become replacement characters, and the text after them is kept', () => {
  const holder = new Utf8Holder()
  assert.deepEqual([part(0xf0, 0x9f), whole('b'), whole('c')].map((piece) => holder.add(piece)).join(''), '\ufffdbc')
})

test('a byte order mark is ordinary text', () => {
  const holder = new Utf8Holder()
  assert.equal([part(0xef, 0xbb), part(0xbf), whole('x')].map((piece) => holder.add(piece)).join(''), '\ufeffx')
})
