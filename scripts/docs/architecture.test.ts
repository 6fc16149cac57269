import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { describe, it } from 'node:test'
import { importTable } from '../structure/import-table.ts'

/** The rows of the map: a folder below `src/` and the words of its last cell. */
const rows = readFileSync('ARCHITECTURE.md', 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, folder, allowed] = /^\| `src\/([^`]+)` \|.*\| ([^|]+) \|$/.exec(line) ?? []
    return folder === undefined || allowed === undefined ? [] : [{ folder, allowed: allowed.split(/[,\s]+/) }]
  })

describe('the map in ARCHITECTURE.md', () => {
  it('says of each folder what the import table says', () => {
    const areas = Object.keys(importTable)
    for (const { folder, allowed } of rows.filter(({ allowed }) => allowed[0] !== 'all')) {
      assert.deepEqual(
        areas.filter((area) => allowed.includes(area)),
        areas.filter((area) => importTable[folder]?.areas.includes(area)),
        folder,
      )
    }
  })

  it('shows every folder of the import table, itself or the one it lies in', () => {
    const shown = rows.map(({ folder }) => folder)
    const missing = Object.keys(importTable).filter(
      (area) => existsSync(`src/${area}`) && !shown.some((folder) => `${area}/`.startsWith(`${folder}/`)),
    )
    assert.deepEqual(missing, ['bin.ts'])
  })

  it('names every wing of every folder, but for the pages of the console', () => {
    const page = readFileSync('ARCHITECTURE.md', 'utf8')
    const wings = Object.keys(importTable)
      .filter((area) => area !== 'console/app/pages' && existsSync(`src/${area}`) && statSync(`src/${area}`).isDirectory())
      .flatMap((area) => readdirSync(`src/${area}`, { withFileTypes: true }).filter((entry) => entry.isDirectory()))
      .map(({ name, parentPath }) => ({ name, path: `${parentPath}/${name}`.replace(/^src\//, '') }))
    assert.deepEqual(
      wings.filter(({ name, path }) => !page.includes(`\`${name}/\``) && !page.includes(`\`src/${path}\``)).map(({ path }) => path),
      [],
    )
  })
})
