import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { importTable } from '../structure/import-table.ts'

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

interface Line {
  readonly name: string
  readonly licence: string
  readonly importedBy: readonly string[]
}

const readManifest = (folder: string): Manifest => JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
const manifest = readManifest('.')
/** Folders with a manifest of their own; `npm ci` installs only the first. */
const folders = ['.', 'test', 'bench']
const lines = readLines(readFileSync('docs/dependencies.md', 'utf8'))

/** One line per package; a row may name several. */
function readLines(page: string): readonly Line[] {
  return page.split('\n').flatMap((row) => {
    const [, packages = '', purpose = '', reason = '', licence = '', importedBy = ''] = row.split('|').map((cell) => cell.trim())
    if (!packages.startsWith('`') || purpose === '' || reason === '') return []
    return codeWords(packages).map((name) => ({ name, licence, importedBy: codeWords(importedBy) }))
  })
}

function codeWords(cell: string): readonly string[] {
  return Array.from(cell.matchAll(/`([^`]+)`/g), ([, word = '']) => word)
}

describe('docs/dependencies.md', () => {
  it('has exactly one line for every package that a package.json names', () => {
    const groups = folders.map(readManifest).flatMap((each) => [each.dependencies, each.devDependencies, each.optionalDependencies])
    const named = groups.flatMap((group = {}) => Object.keys(group))
    assert.deepEqual(lines.map(({ name }) => name).toSorted(), named.toSorted())
  })

  it('names the folders that may import each package of the service', () => {
    for (const name of Object.keys(manifest.dependencies)) {
      const areas = Object.keys(importTable).filter((area) => importTable[area]?.packages?.includes(name))
      const allowed = areas.filter((area) => !areas.some((around) => area.startsWith(`${around}/`)))
      assert.deepEqual(lines.find((line) => line.name === name)?.importedBy.toSorted(), allowed.toSorted(), name)
    }
  })

  it('states the licence that each installed package states', () => {
    for (const { name, licence } of lines) {
      const path = folders.map((folder) => `${folder}/node_modules/${name}/package.json`).find((place) => existsSync(place))
      if (path !== undefined) assert.equal(licence, JSON.parse(readFileSync(path, 'utf8')).license ?? 'not stated', name)
    }
  })

  it('covers every package in the import table', () => {
    const allowed = Object.values(importTable).flatMap(({ packages = [] }) => packages)
    assert.deepEqual(
      allowed.filter((name) => !Object.hasOwn(manifest.dependencies, name)),
      [],
    )
  })
})
