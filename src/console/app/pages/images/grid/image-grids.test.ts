import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowserPage } from '../../../../../../test/support/browser-page.ts'

const page = openBrowserPage('/console/images')
const { drawGrid, drawMissing, imageGrids } = await import('./image-grids.ts')

const body = { checkpoint: 'm', prompt: 'a tiger', width: 64, height: 64, steps: 4, cfg_scale: 5, sampler: 'DDIM' } as const
const none = { label: '', values: [''] }

test('a missing picture whose request may have arrived is requested under the same key, so that it is not drawn twice', async () => {
  const keys: (string | null)[] = []
  page.answerWith(async (_address, { method, headers }) => {
    if (method === 'POST') keys.push(new Headers(headers).get('idempotency-key'))
    throw new TypeError('fetch failed')
  })
  await drawGrid({ prompt: 'a tiger', across: none, down: none, cells: [{ column: 0, row: 0, body }] })
  const [grid] = imageGrids.value
  assert.ok(grid)
  await drawMissing(grid)
  assert.equal(keys.length, 2)
  assert.equal(keys[0], keys[1])
})
