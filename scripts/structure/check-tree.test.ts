import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkTree, sourcesPerFolder } from './check-tree.ts'

const file = (path: string, ...imports: readonly string[]) => ({
  path,
  text: imports.map((each) => `import type { A } from '${each}'\n`).join(''),
})

describe('checkTree', () => {
  it('refuses files that import each other by way of others, and names them all', () => {
    const [fault = '', ...others] = checkTree([
      file('src/core/a.ts', './ports/b.ts'),
      file('src/core/ports/b.ts', '../c.ts'),
      file('src/core/c.ts', './a.ts', './d.ts'),
      file('src/core/d.ts'),
    ])
    assert.match(fault, /^src\/core\/a\.ts, src\/core\/c\.ts, src\/core\/ports\/b\.ts: /)
    assert.deepEqual(others, [])
  })

  it('reports exports that no other file imports, except types', () => {
    const offer = { path: 'src/core/a.ts', text: 'export function used() {}\nexport function own() {}\nexport type Own = string\nown()\n' }
    const { path, text } = file('src/core/b.ts', './a.ts')
    assert.deepEqual(checkTree([offer, { path, text: `${text}used()\n` }]), [
      'src/core/a.ts:2: no other file imports own; take its export away, or itself.',
    ])
    assert.match(checkTree([offer, { path, text: 'used()\n' }]).join(), /imports used/)
  })

  it('allows two files to import a third', () => {
    assert.deepEqual(checkTree([file('src/a.ts', './c.ts'), file('src/b.ts', './a.ts', './c.ts'), file('src/c.ts')]), [])
  })

  it('rejects the twenty-sixth source of a folder, not counting tests', () => {
    const most = Array.from({ length: 25 }, (_, at) => file(`src/core/file-${at}.ts`))
    assert.deepEqual(checkTree([...most, file('src/core/file-1.test.ts'), file('src/core/ports/a.ts')]), [])
    assert.match(checkTree([...most, file('src/core/one-more.ts')]).join(), /^src\/core: holds 26 sources/)
  })

  it('counts per folder, most first', () => {
    assert.deepEqual(sourcesPerFolder([file('src/a/b.ts'), file('src/c/d.ts'), file('src/c/e.tsx'), file('src/c/e.test.ts')]), [
      ['src/c', 2],
      ['src/a', 1],
    ])
  })
})
