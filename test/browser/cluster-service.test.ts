import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServiceHealth } from '../../src/console/contract/service.ts'
import { withoutPostgres } from '../support/postgres/postgres-server.ts'
import { becomeOwner, openPage } from './support/console-visit.ts'
import { eventually } from './support/eventually.ts'
import { findBarriers } from './support/find-barriers.ts'
import { openChromium, withoutChromium } from './support/open-chromium.ts'
import { startTwoNodes } from './support/two-nodes.ts'

const body = JSON.stringify({ model: 'sepia-mini-chat', messages: [{ role: 'user', content: 'Tell me a story.' }], max_tokens: 64 })

test('the service page on every node shows all nodes of a cluster and their totals', {
  skip: withoutChromium || withoutPostgres,
}, async () => {
  await using parts = new AsyncDisposableStack()
  const { first, second } = parts.use(await startTwoNodes())
  const chat = async ({ url }: { readonly url: string }) => {
    const headers = { authorization: `Bearer ${first.token}`, 'content-type': 'application/json' }
    const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
    assert.equal(answer.status, 200, await answer.text())
  }
  const browser = await openChromium()
  parts.defer(() => browser.close())
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce' })
  await becomeOwner({ page, service: first })
  await openPage(page, 'Service')
  const rows = page.getByRole('table', { name: 'Nodes' }).getByRole('row')
  await rows.nth(2).waitFor()
  await eventually(async () => assert.equal(await rows.count(), 3))

  // The one that the page does not ask works until the page says so, of it alone and of all.
  const busy = new AbortController()
  const working = (async () => {
    while (!busy.signal.aborted) await chat(second)
  })()
  const isAlive = /^[1-9][\d,.]*$/
  await rows.getByRole('cell', { name: isAlive }).first().waitFor()
  const total = page.locator('.live-board > div').filter({ hasText: 'Tokens/s' }).locator('dd')
  await total.filter({ hasText: /^[1-9]/ }).waitFor()
  assert.deepEqual(await findBarriers(page), [])
  busy.abort()
  await working
  await chat(first)

  const reported = async () => (await page.evaluate(`fetch('/console/api/service').then((answer) => answer.json())`)) as ServiceHealth
  await eventually(async () => {
    const { nodes } = await reported()
    assert.equal(nodes.length, 2)
    for (const { tally } of nodes)
      assert.ok(tally !== null && tally.firstTokens.count > 0 && tally.residentBytes > 0, JSON.stringify(nodes))
    // Tokens are counted where they are computed, which is wherever the model was free.
    assert.ok(nodes.some(({ tally }) => (tally?.completionTokens ?? 0) > 0))
  })
})
