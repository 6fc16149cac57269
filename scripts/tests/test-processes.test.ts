import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cutIntoProcesses, processesPerProcessor } from './test-processes.ts'

const cut = (...paths: readonly string[]) => cutIntoProcesses(paths.map((path) => ({ path, text: '' })))

describe('processes of tests', () => {
  it('hold neighbours of one area, long ones first', () => {
    assert.deepEqual(cut('src/core/a.test.ts', 'src/http/b.test.ts', 'src/core/text/c.test.ts', 'test/end-to-end/d.test.ts'), [
      ['test/end-to-end/d.test.ts'],
      ['src/core/a.test.ts', 'src/core/text/c.test.ts'],
      ['src/http/b.test.ts'],
    ])
  })

  it('hold few enough files for several processors', () => {
    const sizes = cut(...Array.from({ length: 40 }, (_, at) => `src/core/${at}.test.ts`)).map(({ length }) => length)
    assert.deepEqual(sizes, [16, 16, 8])
  })

  it('run a file alone if it replaces process-wide state or needs another program', () => {
    const page = { path: 'src/console/app/a.test.ts', text: "import { openBrowserPage } from '../../../test/support/browser-page.ts'" }
    const other = { path: 'src/console/app/b.test.ts', text: '' }
    assert.deepEqual(cutIntoProcesses([page, other, { path: 'src/console/c.test.ts', text: '' }]), [
      [page.path],
      [other.path, 'src/console/c.test.ts'],
    ])
    assert.deepEqual(cut('test/browser/a.test.ts', 'test/browser/b.test.ts'), [['test/browser/a.test.ts'], ['test/browser/b.test.ts']])
  })

  it('run two to a processor where all of them need other programs', () => {
    assert.equal(processesPerProcessor(['test/browser/a.test.ts', 'test/postgres/b.test.ts']), 2)
    assert.equal(processesPerProcessor(['test/browser/a.test.ts', 'src/core/b.test.ts']), 1)
  })
})
