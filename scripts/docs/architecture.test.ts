import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path/posix'
import { describe, it } from 'node:test'
import { importTable } from '../structure/import-table.ts'

const lines = readFileSync('ARCHITECTURE.md', 'utf8').split('\n')

/** The rows of the map: a folder below `src/` and the words of its last cell. */
const rows = lines.flatMap((line) => {
  const [, folder, allowed] = /^\| `src\/([^`]+)` \|.*\| ([^|]+) \|$/.exec(line) ?? []
  return folder === undefined || allowed === undefined ? [] : [{ folder, allowed: allowed.split(/[,\s]+/) }]
})

/** What the page says of each folder below `src/`, in all rows that it has. */
const described = new Map<string, string>()
for (const line of lines) {
  const [, folder, words = ''] = /^\| `src\/([^`]+)` \|(.*)$/.exec(line) ?? []
  if (folder !== undefined) described.set(folder, `${described.get(folder) ?? ''}${words}`)
}

describe('the map in ARCHITECTURE.md', () => {
  it('lists the same imports for each folder as the import table', () => {
    // Those of http are in its row of wings.
    const areas = Object.keys(importTable).filter((area) => !area.startsWith('http/'))
    for (const { folder, allowed } of rows.filter(({ allowed }) => allowed[0] !== 'all')) {
      assert.deepEqual(
        areas.filter((area) => allowed.includes(area)),
        areas.filter((area) => importTable[folder]?.areas.includes(area) || importTable[folder]?.types?.includes(area)),
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

  it('names every folder in the row of its parent folder, except the pages and static files of the console', () => {
    const folders = readdirSync('src', { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'fixtures')
      .map(({ name, parentPath }) => `${parentPath}/${name}`.replaceAll('\\', '/').replace(/^src\//, ''))
      .filter((path) => path !== 'runtimes' && !['console/app/pages', 'console/app/public'].includes(dirname(path)))
    assert.deepEqual(
      folders.filter((path) => !described.has(path) && !described.get(shownAbove(path))?.includes(`\`${basename(path)}/\``)),
      [],
    )
  })
})

describe('the walks in ARCHITECTURE.md', () => {
  for (const [heading, { most, mostFunctions }] of [
    ['### One chat, from socket to model to socket', { most: 28, mostFunctions: 25 }],
    ['### One image, asynchronously', { most: 18, mostFunctions: 18 }],
  ] as const)
    it(`take at most ${most} stops, as the page says: ${heading}`, () => {
      const from = lines.indexOf(heading)
      assert.ok(from >= 0)
      const length = lines.slice(from + 1).findIndex((line) => line.startsWith('#'))
      const walk = lines.slice(from + 1, from + 1 + length)
      const stops = walk.filter((line) => /^\d+\. `[^`]+\.ts` `\w+`/.test(line))
      assert.deepEqual(
        stops.map((line) => Number.parseInt(line, 10)),
        stops.map((_, index) => index + 1),
      )
      assert.ok(stops.length > 0 && stops.length <= most, `${stops.length} stops`)
      assert.match(walk.join(' '), new RegExp(`has ${stops.length} stops`))
      const [hooks = 0, turns = 0] = ['(hook)', '(turn)'].map((mark) => stops.filter((line) => line.includes(mark)).length)
      const functions = stops.length - turns
      assert.ok(functions <= mostFunctions, `${functions} functions`)
      if (functions < stops.length)
        assert.match(walk.join(' '), new RegExp(`${functions} functions, ${hooks} of them hooks, and ${turns} turns`))
    })
})

/** The nearest folder around a path that has a row. */
function shownAbove(path: string): string {
  const above = dirname(path)
  return described.has(above) || above === '.' ? above : shownAbove(above)
}
