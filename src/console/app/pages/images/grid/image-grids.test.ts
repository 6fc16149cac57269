import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowserPage } from '../../../../../../test/support/browser-page.ts'

const page = openBrowserPage('/console/images')
const { drawCell, drawGrid, drawMissing, imageGrids } = await import('./image-grids.ts')

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

test('a missing picture that is drawn by its own button meanwhile is not drawn a second time', async () => {
  const refused = () => Response.json({ error: { code: 'x', message: 'No.' } }, { status: 400 })
  const [others, own] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let asked = 0
  page.answerWith(async () => {
    const turn = asked++
    await (turn < 3 ? others.promise : turn === 3 ? own.promise : undefined)
    return refused()
  })
  const cells = [0, 1, 2, 3].map((column) => ({ column, row: 0, body: { ...body, seed: column } }))
  const grid = { prompt: 'a tiger', across: none, down: none, cells, key: 1, stopped: true }
  imageGrids.value = [grid]
  const missing = drawMissing(grid)
  const drawn = cells.slice(3).map((cell) => drawCell(grid, cell))
  others.resolve()
  await missing
  own.resolve()
  await Promise.all(drawn)
  assert.equal(asked, cells.length)
})
