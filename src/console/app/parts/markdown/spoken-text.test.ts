import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMarkdown } from './read-markdown.ts'
import { spokenText } from './spoken-text.ts'

test('a text is spoken without Markdown marks', () => {
  const text =
    '# Heading *one*\n\nSome **bold** `code`, a [link](https://example.org).\n\n- first\n- second\n\n| a | b |\n|---|---|\n| c | d |'
  assert.equal(spokenText(readMarkdown(text)), 'Heading one Some bold code, a link. first second a b c d')
})

test('only the first sentences, or the first words, of a long text are spoken', () => {
  assert.equal(spokenText(readMarkdown(`It is so. ${'And more '.repeat(100)}`)), 'It is so.')
  const words = spokenText(readMarkdown('word '.repeat(100)))
  assert.ok(words.length <= 302 && words.endsWith('word …'))
})
