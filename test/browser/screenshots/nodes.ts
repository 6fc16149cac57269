import { openChromium } from '../support/open-chromium.ts'
import { startTwoNodes } from '../support/two-nodes.ts'
import { becomeOwnerIn, openAlbum, type Say } from './album.ts'

const story = { model: 'sepia-mini-chat', messages: [{ role: 'user', content: 'Tell me a story.' }], max_tokens: 64 }

/** The page of the service with two nodes: idle, and one of them at work. Needs PostgreSQL. */
export async function takeNodes({ language, folder, say }: { language: string; folder: string; say: Say }): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const { first, second } = stack.use(await startTwoNodes())
  const browser = await openChromium()
  stack.defer(() => browser.close())
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 }, locale: language, reducedMotion: 'reduce' })
  const album = await openAlbum({ page, browser, service: first }, folder, say)
  await becomeOwnerIn(album)
  await album.open('service')
  const rows = page.getByRole('table', { name: say('Nodes') }).getByRole('row')
  await rows.nth(2).waitFor()
  await album.take('service-nodes-empty')
  const left = new AbortController()
  const work = (async () => {
    while (!left.signal.aborted) {
      const headers = { authorization: `Bearer ${first.token}`, 'content-type': 'application/json' }
      await (await fetch(`${second.url}/v1/chat/completions`, { method: 'POST', headers, body: JSON.stringify(story) })).text()
    }
  })()
  const total = page.locator('.live-board > div').first().locator('dd')
  await total.filter({ hasText: /^[1-9]/ }).waitFor()
  await page.waitForFunction(`document.querySelector('.sparkline polyline').getAttribute('points').split(' ').length >= 5`, null, {
    timeout: 60_000,
  })
  await album.take('service-nodes')
  left.abort()
  await work
}
