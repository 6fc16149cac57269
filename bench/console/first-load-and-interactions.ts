/**
 * How many bytes of script does each page of the console load first in each language, and how long from a key or a press to the next paint with 200 messages and 500 pictures?
 *
 * The bars are 90 kB of script with gzip, and 100 ms. The rival is the same page with nothing in it.
 */
import { becomeOwner, type ConsoleVisit, visitConsole } from '../../test/browser/support/console-visit.ts'
import { keepConversation } from '../../test/browser/support/keep-conversation.ts'
import { scriptBytes } from '../../test/browser/support/script-bytes.ts'
import { describeMachine, median } from '../measure.ts'

type BrowserContext = ConsoleVisit['context']
type Page = ConsoleVisit['page']

const paths = [
  'chat',
  'images',
  'gallery',
  'assets',
  'requests',
  'usage',
  'models',
  'tokens',
  'webhooks',
  'account',
  'people',
  'audit',
  'service',
]
const maxScriptBytes = 90_000
const maxPaintMs = 100
const rounds = 7
const messages = 200
const pictures = 500

console.log(describeMachine())
await using visit = await visitConsole()
const { page, context, service } = visit
await becomeOwner(visit)
await watchInputs(context)

console.log(`\nscript loaded first, kB with gzip, in English / in German (at most ${maxScriptBytes / 1000})`)
let worstBytes = 0
for (const path of paths) {
  const address = `${service.url}/console/${path}`
  const bytes = [await firstScriptBytes(context, address, 'en'), await firstScriptBytes(context, address, 'de')]
  worstBytes = Math.max(worstBytes, ...bytes)
  console.log(`  ${path.padEnd(10)} ${bytes.map((each) => (each / 1000).toFixed(1)).join(' / ')}`)
}

console.log(`\nfrom input to the end of the next frame, ms: median / worst of ${rounds} (at most ${maxPaintMs})`)
let worstMs = 0
const typing = () => page.keyboard.press('a')
const message = page.getByLabel('Your message')
await page.goto(`${service.url}/console/chat`)
await message.focus()
await report('chat, empty: a letter typed', typing, () => message.fill(''))
const conversation = await keepConversation(page, messages)
await page.goto(`${service.url}/console/chat/${conversation}`)
await page
  .locator('.turn-answer')
  .nth(messages / 2 - 1)
  .waitFor()
await message.focus()
await report(`chat, ${messages} messages: a letter typed`, typing, () => message.fill(''))
await report(
  `chat, ${messages} messages: the palette opened`,
  () => page.keyboard.press('Control+k'),
  () => page.keyboard.press('Escape'),
)
await report(
  `chat, ${messages} messages: a message edited`,
  () => page.getByRole('button', { name: 'Edit' }).last().click(),
  async () => {
    const leave = page.getByRole('button', { name: 'Cancel' })
    if (await leave.isVisible()) await leave.click()
  },
)
await page.goto(`${service.url}/console/gallery`)
await page.locator('h1').waitFor()
await report(
  'gallery, empty: the palette opened',
  () => page.keyboard.press('Control+k'),
  () => page.keyboard.press('Escape'),
)
await hangPictures(page)
await page.goto(`${service.url}/console/gallery`)
await page
  .locator('.gallery img')
  .nth(pictures - 1)
  .waitFor({ state: 'attached' })
await report(
  `gallery, ${pictures} pictures: the palette opened`,
  () => page.keyboard.press('Control+k'),
  () => page.keyboard.press('Escape'),
)
await report(
  `gallery, ${pictures} pictures: one opened`,
  () => page.locator('.gallery button').nth(3).click(),
  () => page.keyboard.press('Escape'),
)

if (worstBytes > maxScriptBytes || worstMs > maxPaintMs) process.exitCode = 1

/** Bytes of script with gzip that a browser without a cache fetches until a page stands still. */
async function firstScriptBytes(from: BrowserContext, address: string, locale: string): Promise<number> {
  const fresh = await visit.browser.newContext({ locale, storageState: await from.storageState() })
  const loading = await fresh.newPage()
  await loading.goto(address, { waitUntil: 'networkidle' })
  const bytes = await scriptBytes(loading)
  await fresh.close()
  return bytes
}

/**
 * Prints how long the page took from an input to the end of the frame that follows: events, rendering, styles, layout and paint. It does not use the browser's
 * own event timing: without a visible screen, that reports some inputs only at the next one's paint, seconds later.
 */
async function report(name: string, act: () => Promise<unknown>, undo: () => Promise<unknown>): Promise<void> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    await page.evaluate('window.inputs = []')
    await act()
    await settle(page)
    const inputs = await page.evaluate<number[]>('window.inputs')
    if (inputs.length === 0) throw new Error(`${name}: the page saw no input.`)
    times.push(Math.round(Math.max(...inputs)))
    await undo()
    await settle(page)
  }
  worstMs = Math.max(worstMs, median(times))
  console.log(`  ${name.padEnd(46)} ${median(times)} / ${Math.max(...times)}`)
}

/** Lets every page write down how long after an input its next frame was painted. */
async function watchInputs(of: BrowserContext): Promise<void> {
  await of.addInitScript(`
    window.inputs = []
    for (const type of ['keydown', 'click'])
      addEventListener(type, ({ timeStamp }) => requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = () => window.inputs.push(performance.now() - timeStamp)
        port2.postMessage(null)
      }), { capture: true })`)
}

/** Two frames later the paint is done and its timing reported. */
async function settle(of: Page): Promise<void> {
  await of.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 60))))')
}

/** Lets the gallery hold many pictures, each the same small one. */
async function hangPictures(of: Page): Promise<void> {
  const picture = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64')
  const all = Array.from({ length: pictures }, (_, index) => ({
    ...{ inferenceId: `inf_${index}`, index: 0, seed: index, removedForSafety: false, expiresAt: Date.now() + 3_600_000 },
  }))
  await of.route('**/console/api/gallery*', (route) => route.fulfill({ json: { pictures: all, next: null } }))
  await of.route('**/console/api/outputs/**', (route) => route.fulfill({ contentType: 'image/png', body: picture }))
}
