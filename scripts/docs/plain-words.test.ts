import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { proseIn, refusedWords } from './plain-words.ts'

const pages = globSync(['*.md', 'docs/*.md', 'bench/*.md'])
const sources = globSync(['src/**/*.ts', 'src/**/*.tsx', 'scripts/**/*.ts']).filter(
  (path) => !/\.test\.tsx?$|plain-words|\/schema\//.test(path),
)

/** Each refused word with where it stands. */
function findRefused(path: string, texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => refusedWords(text).map((word) => `${path}: “${word}” in “${text.slice(0, 100)}”`))
}

describe('plain English (STYLE.md, section English)', () => {
  test('stands on every page', () => {
    assert.ok(pages.length > 30)
    assert.deepEqual(
      pages.flatMap((path) => findRefused(path, readFileSync(path, 'utf8').split('\n'))),
      [],
    )
  })

  test('stands in every message, help text and description', () => {
    assert.ok(sources.length > 900)
    assert.deepEqual(
      sources.flatMap((path) => findRefused(path, proseIn(readFileSync(path, 'utf8')))),
      [],
    )
  })

  test('is told from what is refused', () => {
    assert.deepEqual(refusedWords('Whoever is told waits anew, as many as may.'), ['Whoever', 'told', 'anew', 'as many as may'])
    assert.deepEqual(refusedWords('A retold story is not refused.'), [])
    assert.deepEqual(proseIn("const a = 'told' // whoever\nfail('The node was told anew; try again.')"), [
      'The node was told anew; try again.',
    ])
  })

  test('needs no page of over 2 000 words, but for reference tables written by npm run docs', () => {
    const long = pages
      .filter((path) => !['docs/api.md', 'docs/configuration.md'].includes(path))
      .map((path) => ({ path, words: readFileSync(path, 'utf8').split(/\s+/).length }))
      .filter(({ words }) => words > 2000)
    assert.deepEqual(long, [])
  })
})
