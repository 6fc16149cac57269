import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { becomeOwner } from './support/console-visit.ts'
import { settle } from './support/settle.ts'
import { untilTrue } from './support/until-true.ts'
import { useConsole } from './support/use-console.ts'
import { writeNextAnswer } from './support/written-answer.ts'

const { skip, visit } = useConsole(becomeOwner)

/** A page of its own, to which everything comes a second late. */
async function openOnSlowLine(): Promise<Page> {
  const page = await visit().context.newPage()
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 1000,
    downloadThroughput: 20_000,
    uploadThroughput: 20_000,
  })
  return page
}

test('the page shows its frame before its style sheet and its script arrive', { skip }, async () => {
  const page = await visit().context.newPage()
  const held = Promise.withResolvers<void>()
  await page.route('**/console/assets/*.{js,css}', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.goto(`${visit().service.url}/console/chat`, { waitUntil: 'commit' })
  await page.getByRole('img', { name: 'Sepia' }).waitFor()
  await untilTrue(page, "performance.getEntriesByName('first-contentful-paint').length > 0")
  held.resolve()
  await page.getByRole('heading', { level: 1, name: 'Chat' }).waitFor()
  await page.getByRole('img', { name: 'Sepia', exact: true }).waitFor({ state: 'detached' })
  await page.close()
})

test('the layout of the account page is stable on a slow line', { skip }, async () => {
  const page = await openOnSlowLine()
  await page.addInitScript(`globalThis.moved = []
    new PerformanceObserver((list) => {
      for (const shift of list.getEntries())
        if (!shift.hadRecentInput) globalThis.moved.push([shift.value, shift.sources.map(({ node }) => node?.className || node?.nodeName)])
    }).observe({ type: 'layout-shift', buffered: true })`)
  await page.goto(`${visit().service.url}/console/account`)
  await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor()
  await settle(page)
  const moved = await page.evaluate<[number, readonly string[]][]>('globalThis.moved')
  const sum = moved.reduce((total, [value]) => total + value, 0)
  assert.ok(sum < 0.02, `${sum}: ${JSON.stringify(moved)}`)
  await page.close()
})

test('a message sent twice in a row on a slow line is submitted once, and the answer grows as it arrives', { skip }, async () => {
  const page = await openOnSlowLine()
  await page.goto(`${visit().service.url}/console/chat`)
  const answer = await writeNextAnswer(page)
  await page.getByLabel('Your message').fill('Hello.')
  await page.getByRole('button', { name: 'Send' }).dblclick()
  await page.locator('.turn-answer[data-state=writing]').waitFor()
  await answer.write('One')
  await page.locator('.turn-answer').getByText('One').waitFor()
  await answer.write(' two')
  await page.locator('.turn-answer').getByText('One two').waitFor()
  await answer.end()
  await page.locator('.turn-answer[data-state=done]').waitFor()
  assert.equal(await page.locator('.turn-user').count(), 1)
  await page.close()
})
