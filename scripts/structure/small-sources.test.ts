import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkSmallSources } from './small-sources.ts'

const importing = (path: string, ...imports: readonly string[]) => ({
  path,
  text: imports.map((each) => `import type { A } from '${each}'\n`).join(''),
})

describe('checkSmallSources', () => {
  it('refuses a small file with one importer, and names where it belongs', () => {
    assert.deepEqual(checkSmallSources([importing('src/core/a.ts', './b.ts'), importing('src/core/b.ts')]), [
      'src/core/b.ts: has under 25 lines and one importer; move it into src/core/a.ts.',
    ])
  })

  it('needs a second importer, 25 lines or a reason', () => {
    const shared = [importing('src/core/a.ts', './c.ts'), importing('src/core/b.ts', './c.ts'), importing('src/core/c.ts')]
    const long = [importing('src/core/a.ts', './b.ts'), { path: 'src/core/b.ts', text: '//\n'.repeat(25) }]
    const route = [importing('src/http/routes.ts', './routes/usage.ts'), importing('src/http/routes/usage.ts')]
    for (const sources of [shared, long, route]) assert.deepEqual(checkSmallSources(sources), [])
  })

  it('does not count tests as importers', () => {
    const sources = [importing('src/core/a.ts', './b.ts'), importing('src/core/b.ts'), importing('src/core/b.test.ts', './b.ts')]
    assert.equal(checkSmallSources(sources).length, 1)
  })
})
