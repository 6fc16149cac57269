import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { ServiceHealth } from '../../src/console/contract/service.ts'
import { createDatabase } from '../support/postgres/postgres-databases.ts'
import { withoutPostgres } from '../support/postgres/postgres-server.ts'
import { startFaultyS3Server } from '../support/s3/faulty-s3-server.ts'
import { type ServiceProcess, startServiceIn } from '../support/service-process.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'
import { becomeOwner, openPage } from './support/console-visit.ts'
import { findBarriers } from './support/find-barriers.ts'
import { openChromium, withoutChromium } from './support/open-chromium.ts'

const body = JSON.stringify({ model: 'sepia-mini-chat', messages: [{ role: 'user', content: 'Tell me a story.' }], max_tokens: 64 })

test('the service page shows every node of a cluster, whichever is asked, and what all do together', {
  skip: withoutChromium || withoutPostgres,
}, async () => {
  await using parts = new AsyncDisposableStack()
  const bucket = parts.use(await startFaultyS3Server())
  const { path: folder } = parts.use(await createTemporaryFolder())
  const environment = {
    SEPIA_DATABASE_URL: await createDatabase(),
    SEPIA_S3_URL: `${bucket.address.endpoint.replace('//', '//key:secret@')}/outputs`,
    SEPIA_CLUSTER_SECRET: 'a secret of all nodes',
  }
  const start = async (name: string) => parts.use(await startServiceIn(environment, join(folder, name)))
  const nodes = [await start('one'), await start('two')] as const
  const token = /TOKEN=(\S+)/.exec(nodes[0].greeting)?.[1]
  const link = /^Open the console: (\S+)$/m.exec(nodes[0].greeting)?.[1] ?? ''
  const chat = async ({ url }: ServiceProcess) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
    assert.equal(answer.status, 200, await answer.text())
  }
  const browser = await openChromium()
  parts.defer(() => browser.close())
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce' })
  await becomeOwner({ page, service: { ...nodes[0], link, token: token ?? '' } })
  await openPage(page, 'Service')
  const rows = page.getByRole('table', { name: 'Nodes' }).getByRole('row')
  await rows.nth(2).waitFor()
  assert.equal(await rows.count(), 3)

  // The one that the page does not ask works until the page says so, of it alone and of all.
  const busy = new AbortController()
  const working = (async () => {
    while (!busy.signal.aborted) await chat(nodes[1])
  })()
  const isAlive = /^[1-9][\d,.]*$/
  await rows.getByRole('cell', { name: isAlive }).first().waitFor()
  const total = page.locator('.live-board > div').filter({ hasText: 'Tokens a second' }).locator('dd')
  await total.filter({ hasText: /^[1-9]/ }).waitFor()
  assert.deepEqual(await findBarriers(page), [])
  busy.abort()
  await working
  await chat(nodes[0])

  const told = async () => (await page.evaluate(`fetch('/console/api/service').then((answer) => answer.json())`)) as ServiceHealth
  let health = await told()
  while (health.nodes.some(({ tally }) => (tally?.completionTokens ?? 0) === 0)) health = await told()
  assert.equal(health.nodes.length, 2)
  assert.ok(health.nodes.every(({ tally }) => tally !== null && tally.firstTokens.count > 0 && tally.residentBytes > 0))
})
