import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { describe, it } from 'node:test'
import { checkFile } from './check-file.ts'
import { areaOf, checkImports } from './check-imports.ts'
import { findImports } from './find-imports.ts'
import { environmentReader, importTable } from './import-table.ts'

function faultsOf(path: string, text: string): readonly string[] {
  return checkImports({ path, text }, { exists: () => true })
}

describe('findImports', () => {
  it('finds import statements, exports, dynamic imports and entry points, but ignores prose', () => {
    const found = findImports(`import type { A } from './a.ts'
import {
  b,
} from 'b'
import './c.css'
export { d } from './d.ts'
const e = await import('e')
const f = new URL('./f.ts', import.meta.url)
// import { g } from 'g'
/** import { h } from 'h' */
const sample = \`
import { i } from 'i'
\`
`)
    assert.deepEqual(
      found.map(({ specifier }) => specifier),
      ['./a.ts', 'b', './d.ts', './c.css', 'e', './f.ts'],
    )
    assert.deepEqual(
      found.filter(({ typeOnly }) => typeOnly).map(({ specifier }) => specifier),
      ['./a.ts'],
    )
  })
})

describe('checkImports', () => {
  it('allows core to import only itself', () => {
    assert.deepEqual(faultsOf('src/core/ports/queue.ts', "import { a } from '../a.ts'"), [])
    assert.equal(faultsOf('src/core/a.ts', "import { b } from '../operations/b.ts'").length, 1)
    assert.equal(faultsOf('src/core/a.ts', "import { readFile } from 'node:fs/promises'").length, 1)
    assert.equal(faultsOf('src/core/a.ts', "import { pino } from 'pino'").length, 1)
  })

  it('keeps runtimes and stores apart from each other', () => {
    assert.equal(faultsOf('src/runtimes/llama/a.ts', "import { b } from '../diffusion/b.ts'").length, 1)
    assert.equal(faultsOf('src/storage/sqlite/a.ts', "import { b } from '../filesystem/b.ts'").length, 1)
    assert.deepEqual(faultsOf('src/runtimes/llama/a.ts', "import { b } from '../../core/b.ts'"), [])
  })

  it('allows each package only in its folders', () => {
    assert.deepEqual(faultsOf('src/http/a.ts', "import { b } from 'typebox/compile'"), [])
    assert.equal(faultsOf('src/worker/a.ts', "import fastify from 'fastify'").length, 1)
    assert.equal(faultsOf('src/composition/a.ts', "const sharp = await import('sharp')").length, 1)
  })

  it('treats the console app as browser code', () => {
    assert.deepEqual(faultsOf('src/console/app/a.tsx', "import { b } from '../../core/b.ts'"), [])
    assert.deepEqual(faultsOf('src/console/app/a.tsx', "import type { B } from '../b.ts'"), [])
    assert.equal(faultsOf('src/console/app/a.tsx', "import { b } from '../b.ts'").length, 1)
    assert.equal(faultsOf('src/console/app/a.tsx', "import { join } from 'node:path'").length, 1)
  })

  it('allows only tests to import the fakes', () => {
    const text = "import { fake } from '../runtimes/fake/fake-model-loader.ts'"
    assert.deepEqual(faultsOf('src/residency/pool.test.ts', text), [])
    assert.equal(faultsOf('src/residency/pool.ts', text).length, 1)
  })

  it('rejects missing files, files without an area, and built-in modules without node:', () => {
    assert.equal(checkImports({ path: 'src/core/a.ts', text: "import { b } from './b.ts'" }, { exists: () => false }).length, 1)
    assert.equal(faultsOf('src/plumbing/a.ts', '').length, 1)
    assert.equal(faultsOf('src/worker/a.ts', "import { readFile } from 'fs'").length, 1)
  })
})

describe('the import table', () => {
  it('names only areas that exist', () => {
    const known = Object.keys(importTable)
    const named = Object.values(importTable).flatMap(({ areas, types = [] }) => [...areas, ...types])
    assert.deepEqual(
      named.filter((area) => !known.includes(area)),
      [],
    )
  })

  it('finds the longest area of a path', () => {
    assert.equal(areaOf('src/console/app/main.tsx'), 'console/app')
    assert.equal(areaOf('src/storage/doorbell.ts'), 'storage')
    assert.equal(areaOf('src/bin.ts'), 'bin.ts')
  })

  it('contains only folders that exist', () => {
    assert.deepEqual(
      Object.keys(importTable).filter((area) => !existsSync(`src/${area}`)),
      [],
    )
  })

  it('names an environment reader that exists', () => {
    assert.ok(existsSync(environmentReader))
  })
})

describe('checkFile', () => {
  it('rejects meaningless names and names not in kebab-case', () => {
    for (const path of ['src/http/utils.ts', 'src/common/a.ts', 'src/http/types.ts', 'src/http/index.ts', 'src/http/errorStatus.ts']) {
      assert.equal(checkFile({ path, text: '' }).faults.length, 1, path)
    }
    assert.deepEqual(checkFile({ path: 'src/http/answers/error-status.test.ts', text: '' }).faults, [])
  })

  it('reports long files and refuses very long ones', () => {
    assert.equal(checkFile({ path: 'src/a.ts', text: '\n'.repeat(200) }).notes.length, 0)
    assert.equal(checkFile({ path: 'src/a.ts', text: '\n'.repeat(201) }).notes.length, 1)
    assert.equal(checkFile({ path: 'src/a.ts', text: '\n'.repeat(401) }).faults.length, 1)
  })

  it('requires log lines to be functions of the telemetry', () => {
    const text = "telemetry.log.info(event, 'engine started')"
    assert.equal(checkFile({ path: 'src/composition/a.ts', text }).faults.length, 1)
    assert.deepEqual(checkFile({ path: 'src/telemetry/a.ts', text }).faults, [])
    assert.deepEqual(checkFile({ path: 'src/composition/a.ts', text: 'console.dialog.info(1)' }).faults, [])
  })

  it("requires the console's routes to be registered by a function named after their file", () => {
    const text = 'export function registerPictures(own: FastifyInstance): void {}'
    assert.deepEqual(checkFile({ path: 'src/console/routes/pictures.ts', text }).faults, [])
    assert.equal(checkFile({ path: 'src/console/routes/images.ts', text }).faults.length, 1)
    assert.equal(checkFile({ path: 'src/console/routes/requests/images.ts', text }).faults.length, 1)
    assert.deepEqual(checkFile({ path: 'src/console/routes/requests/links.ts', text: '' }).faults, [])
  })

  it('requires the public routes to be rows, and their description to name none', () => {
    const registers = "server.get('/v1/models', answer)"
    assert.equal(checkFile({ path: 'src/http/routes/models.ts', text: registers }).faults.length, 1)
    assert.equal(checkFile({ path: 'src/http/routes/models.ts', text: 'api.post<Named>(`/models/load`, answer)' }).faults.length, 1)
    const row = "{ method: 'GET', path: '/v1/models' }"
    assert.deepEqual(checkFile({ path: 'src/http/routes/models.ts', text: row }).faults, [])
    assert.equal(checkFile({ path: 'src/http/openapi/models.ts', text: row }).faults.length, 1)
  })

  it('allows only one file to read the environment', () => {
    const text = 'const home = process.env.HOME'
    assert.equal(checkFile({ path: 'src/http/a.ts', text }).faults.length, 1)
    assert.deepEqual(checkFile({ path: environmentReader, text }).faults, [])
  })
})
