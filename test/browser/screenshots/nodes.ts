import { openChromium } from '../support/open-chromium.ts'
import { startTwoNodes } from '../support/two-nodes.ts'
import { becomeOwnerIn, openAlbum, type Say } from './album.ts'
import { beginWork, readingsShown } from './work.ts'

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
  await using _work = beginWork({ ...first, url: second.url })
  const total = page.locator('.live-board > div').first().locator('dd')
  await total.filter({ hasText: /^[1-9]/ }).waitFor()
  await readingsShown(page, 5)
  await album.take('service-nodes')
}
