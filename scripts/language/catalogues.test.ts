import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, normalize, relative } from 'node:path/posix'
import { test } from 'node:test'
import type { Catalogue } from '../../src/console/app/language/catalogue.ts'
import { findImports } from '../structure/find-imports.ts'
import { findTexts } from './find-texts.ts'
import { namesEverywhere } from './names-everywhere.ts'

const app = 'src/console/app'
const shared = `${app}/language/t.ts`
const root = join(import.meta.dirname, '../..')

/** What one file says, and by which module. */
interface SpeakingFile {
  readonly path: string
  /** The module its `t` comes from; null where it has none. */
  readonly translates: string | null
  readonly found: ReturnType<typeof findTexts>
}

const files = await readFiles()
const catalogues = await readCatalogues()

test('nothing that a page says goes around the catalogues', () => {
  const around = files.flatMap(({ path, found }) =>
    found.bypasses
      .filter(({ text }) => !namesEverywhere.has(text))
      .map(({ text, line }) => `${path}:${line}: “${text}” — write it as t\`…\` and its German into the catalogue of these pages`),
  )
  assert.deepEqual(around, [])
})

test('every English text has its German', () => {
  const missing = files.flatMap(({ path, translates, found }) =>
    found.texts
      .filter(({ english }) => germanOf(translates, english) === undefined)
      .map(({ english, line }) => `${path}:${line}: “${english}” is not in ${catalogueOf(translates ?? shared)}`),
  )
  assert.deepEqual(missing, [])
})

test('every German text belongs to an English one', () => {
  const left = [...catalogues].flatMap(([path, catalogue]) => {
    const used = new Set(
      files
        .filter(({ translates }) => translates !== null && (path === catalogueOf(shared) || catalogueOf(translates) === path))
        .flatMap(({ found }) => found.texts.map(({ english }) => english)),
    )
    return Object.keys(catalogue)
      .filter((english) => !used.has(english))
      .map((english) => `${path}: nobody says “${english}”`)
  })
  assert.deepEqual(left, [])
})

test('a German text takes what its English takes', () => {
  const placesOf = (text: string) => [...text.matchAll(/\{\d+\}|#/g)].map(([place]) => place).toSorted()
  const differing = [...catalogues].flatMap(([path, catalogue]) =>
    Object.entries(catalogue).flatMap(([english, german]) =>
      (typeof german === 'string' ? [german] : [german.other])
        .filter((text) => JSON.stringify(placesOf(text)) !== JSON.stringify(placesOf(english)))
        .map((text) => `${path}: “${english}” and “${text}”`),
    ),
  )
  assert.deepEqual(differing, [])
})

test('a text that counts has every form that each language needs', () => {
  const needed = (language: string) => new Intl.PluralRules(language).resolvedOptions().pluralCategories
  const lacks = (forms: object | null | undefined, language: string) => needed(language).filter((form) => !Object.hasOwn(forms ?? {}, form))
  const faults = files.flatMap(({ path, translates, found }) =>
    found.texts.flatMap(({ english, forms, line }) => {
      const german = germanOf(translates, english)
      const isCounted = forms !== null
      if (german !== undefined && (typeof german === 'object') !== isCounted)
        return [`${path}:${line}: “${english}” counts in one language only`]
      const missing = isCounted ? [...lacks(forms, 'en'), ...(typeof german === 'object' ? lacks(german, 'de') : [])] : []
      return missing.map((form) => `${path}:${line}: “${english}” lacks the form ${form}`)
    }),
  )
  assert.deepEqual(faults, [])
})

async function readFiles(): Promise<readonly SpeakingFile[]> {
  const names = await readdir(join(root, app), { recursive: true })
  const sources = names
    .filter((name) => /\.tsx?$/.test(name) && !/\.(?:test|d)\.tsx?$|-samples\.ts$|(?:^|\/)german\.ts$/.test(name))
    .toSorted()
  return Promise.all(
    sources.map(async (name) => {
      const path = `${app}/${name}`
      const source = await readFile(join(root, path), 'utf8')
      const found = findTexts(path, source)
      const from = findImports(source)
        .map(({ specifier }) => normalize(join(dirname(path), specifier)))
        .find((target) => target === shared || /\/pages\/[\w-]+\/text\.ts$/.test(target))
      return { path, translates: from ?? null, found }
    }),
  )
}

async function readCatalogues(): Promise<ReadonlyMap<string, Catalogue>> {
  const names = (await readdir(join(root, app), { recursive: true })).filter((name) => /(?:^|\/)german\.ts$/.test(name))
  return new Map(
    await Promise.all(
      names.map(async (name) => {
        const path = `${app}/${name}`
        const { german } = await import(relative(import.meta.dirname, join(root, path)))
        return [path, german as Catalogue] as const
      }),
    ),
  )
}

function catalogueOf(translates: string): string {
  return join(dirname(translates), 'german.ts')
}

/** As a page finds it: in its wing's catalogue, else in the one that all share. */
function germanOf(translates: string | null, english: string): Catalogue[string] | undefined {
  return catalogues.get(catalogueOf(translates ?? shared))?.[english] ?? catalogues.get(catalogueOf(shared))?.[english]
}
