import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path/posix'
import { test } from 'node:test'
import type { Catalogue } from '../../src/console/app/language/translate.ts'
import { germanParts } from '../../src/console/bundle/german-by-page.ts'
import { findTexts } from './find-texts.ts'
import { namesEverywhere } from './names-everywhere.ts'

const app = 'src/console/app'
const catalogue = `${app}/language/de.json`
const root = join(import.meta.dirname, '../..')
const german: Catalogue = JSON.parse(await readFile(join(root, catalogue), 'utf8'))
const files = await readFiles()

test('every text of a page goes through the catalogue', () => {
  const around = files.flatMap(({ path, found }) =>
    found.bypasses
      .filter(({ text }) => !namesEverywhere.has(text))
      .map(({ text, line }) => `${path}:${line}: “${text}” — write it as t\`…\` and its German into ${catalogue}`),
  )
  assert.deepEqual(around, [])
})

test('every English text has a German translation', () => {
  const missing = files.flatMap(({ path, found }) =>
    found.texts
      .filter(({ english }) => german[english] === undefined)
      .map(({ english, line }) => `${path}:${line}: “${english}” is not in ${catalogue}`),
  )
  assert.deepEqual(missing, [])
})

test('every German text belongs to an English one, in alphabetical order', () => {
  const used = new Set(files.flatMap(({ found }) => found.texts.map(({ english }) => english)))
  assert.deepEqual(
    Object.keys(german).filter((english) => !used.has(english)),
    [],
  )
  assert.deepEqual(Object.keys(german), Object.keys(german).toSorted(new Intl.Collator('en').compare))
})

test('one thing has one word, as in the docs and the API', () => {
  const others = /\bpictures?\b|tokens (?:read|written)\b|\bkept (?:image|until)/i
  assert.deepEqual(
    Object.keys(german).filter((english) => others.test(english)),
    [],
    'images, tokens in and out, and saved images are called so',
  )
})

test('every file gets the German of its texts from the part of its page', () => {
  const { partOf, textsOf } = germanParts(join(root, app))
  const parts = Object.groupBy(files, ({ path }) => partOf(join(root, path)))
  assert.ok(Object.keys(parts).length > 10)
  const missing = Object.entries(parts).flatMap(([part, within = []]) => {
    const texts = textsOf(part)
    return within.flatMap(({ path, found }) =>
      found.texts.filter(({ english }) => !Object.hasOwn(texts, english)).map(({ english, line }) => `${path}:${line}: “${english}”`),
    )
  })
  assert.deepEqual(missing, [])
})

test('a German text has the same placeholders as its English text', () => {
  const placesOf = (text: string) => [...text.matchAll(/\{\d+\}|#/g)].map(([place]) => place).toSorted()
  const differing = Object.entries(german).flatMap(([english, found]) =>
    (typeof found === 'string' ? [found] : [found.other])
      .filter((text) => JSON.stringify(placesOf(text)) !== JSON.stringify(placesOf(english)))
      .map((text) => `“${english}” and “${text}”`),
  )
  assert.deepEqual(differing, [])
})

test('a counted text has every plural form that each language needs', () => {
  const needed = (language: string) => new Intl.PluralRules(language).resolvedOptions().pluralCategories
  const lacks = (forms: object | null | undefined, language: string) => needed(language).filter((form) => !Object.hasOwn(forms ?? {}, form))
  const faults = files.flatMap(({ path, found }) =>
    found.texts.flatMap(({ english, forms, line }) => {
      const text = german[english]
      const isCounted = forms !== null
      if (text !== undefined && (typeof text === 'object') !== isCounted)
        return [`${path}:${line}: “${english}” counts in one language only`]
      const missing = isCounted ? [...lacks(forms, 'en'), ...(typeof text === 'object' ? lacks(text, 'de') : [])] : []
      return missing.map((form) => `${path}:${line}: “${english}” lacks the form ${form}`)
    }),
  )
  assert.deepEqual(faults, [])
})

async function readFiles(): Promise<readonly { readonly path: string; readonly found: ReturnType<typeof findTexts> }[]> {
  const names = await readdir(join(root, app), { recursive: true })
  const sources = names.filter((name) => /\.tsx?$/.test(name) && !/\.(?:test|d)\.tsx?$|-samples\.ts$/.test(name)).toSorted()
  return Promise.all(
    sources.map(async (name) => {
      const path = `${app}/${name}`
      return { path, found: findTexts(path, await readFile(join(root, path), 'utf8')) }
    }),
  )
}
