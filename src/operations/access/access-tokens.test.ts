import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { hashAccessToken, isAccessTokenText, makeAccessTokenText } from './access-tokens.ts'

suite('the text of an access token', () => {
  test('is a prefix, 27 digits of secret and 6 of check, and never the same', () => {
    const texts = Array.from({ length: 100 }, makeAccessTokenText)
    for (const text of texts) {
      assert.match(text, /^sepia_[0-9A-Za-z]{33}$/)
      assert.ok(isAccessTokenText(text))
    }
    assert.equal(new Set(texts).size, 100)
  })

  test('differs from a text with any one character changed', () => {
    const text = makeAccessTokenText()
    for (let index = 0; index < text.length; index++) {
      const other = text[index] === 'a' ? 'b' : 'a'
      assert.equal(isAccessTokenText(text.slice(0, index) + other + text.slice(index + 1)), false)
    }
    for (const wrong of ['', 'sepia_', text.slice(1), text.slice(0, -1), `${text}0`, ` ${text}`])
      assert.equal(isAccessTokenText(wrong), false)
  })

  test('is stored as its SHA-256', () => {
    assert.equal(hashAccessToken('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })
})
