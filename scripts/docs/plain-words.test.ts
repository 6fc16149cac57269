import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { proseIn, refusedInSource, refusedWords } from './plain-words.ts'

const pages = globSync(['*.md', 'docs/*.md', 'docs/decisions/*.md', 'bench/*.md'])
const sources = globSync(['src/**/*.ts', 'src/**/*.tsx', 'scripts/**/*.ts']).filter(
  (path) => !/\.test\.tsx?$|plain-words|\/schema\//.test(path),
)

/** This check, SQL that databases have already run, and a conversation that a model continues. */
const exceptions = [
  'scripts/docs/plain-words.ts',
  'scripts/docs/plain-words.test.ts',
  'src/storage/sqlite/schema/migrations.ts',
  'bench/text/long-conversation.ts',
]

/** Each refused word with where it stands. */
function findRefused(path: string, texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => refusedWords(text).map((word) => `${path}: “${word}” in “${text.slice(0, 100)}”`))
}

describe('plain English (STYLE.md, section English)', () => {
  test('is used on every page', () => {
    assert.ok(pages.length > 30)
    assert.deepEqual(
      pages.flatMap((path) => findRefused(path, readFileSync(path, 'utf8').split('\n'))),
      [],
    )
  })

  test('is used with commands as they are typed in a clone', () => {
    assert.deepEqual(
      pages.flatMap((path) =>
        readFileSync(path, 'utf8')
          .split('\n')
          .filter((line) => /^(.*[|&;] )?sepia (<|-|[a-z]+( |$))/.test(line) && !line.startsWith('create role'))
          .map((line) => `${path}: ${line}`),
      ),
      [],
    )
  })

  test('is used in every message, help text and description', () => {
    assert.ok(sources.length > 900)
    assert.deepEqual(
      sources.flatMap((path) => findRefused(path, proseIn(readFileSync(path, 'utf8')))),
      [],
    )
  })

  test('is used in every comment, test name and identifier', () => {
    const paths = globSync(['src/**/*.{ts,tsx}', 'scripts/**/*.ts', '{test,bench}/!(node_modules)/**/*.ts', '{test,bench}/*.ts'])
    assert.ok(paths.length > 2000)
    assert.deepEqual(
      paths
        .filter((path) => !exceptions.includes(path))
        .flatMap((path) => refusedInSource(readFileSync(path, 'utf8')).map((word) => `${path}: “${word}”`)),
      [],
    )
  })

  test('is not mistaken for rejected words', () => {
    assert.deepEqual(refusedWords('Whoever is told waits anew, as many as may.'), ['Whoever', 'told', 'anew', 'as many as may'])
    assert.deepEqual(refusedWords('A retold story is not refused.'), [])
    assert.deepEqual(refusedInSource('const toldAt = hears // tellsTokens, isTold'), ['toldAt', 'isTold'])
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
