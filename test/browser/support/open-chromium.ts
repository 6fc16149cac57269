import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { patienceMs } from './eventually.ts'

const places = [
  '/usr/bin/chromium-headless-shell', // the same engine without the browser around it: a third less processor time
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** Where a Chromium is installed: the variable SEPIA_CHROMIUM, else the usual places; undefined when there is none. */
const chromiumPath: string | undefined = [process.env.SEPIA_CHROMIUM ?? '', ...places].find((path) => path !== '' && existsSync(path))

/** Why browser tests are left out here, or false; where every suite must run (SEPIA_CI) they fail instead. */
export const withoutChromium: string | false =
  chromiumPath === undefined && process.env.SEPIA_CI === undefined
    ? 'no Chromium found; install the package chromium, or name one in SEPIA_CHROMIUM'
    : false

export async function openChromium(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error('There is no Chromium; install the package chromium, or name one in SEPIA_CHROMIUM')
  const browser = await chromium.launch({
    executablePath: chromiumPath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
  browser.on('context', (context) => {
    context.setDefaultTimeout(patienceMs)
    closeWithoutRoutes(context)
  })
  const close = browser.close.bind(browser)
  browser.close = async (options) => {
    await Promise.all(browser.contexts().map((context) => context.close()))
    await close(options)
  }
  const slower = Number(process.env.SEPIA_TEST_SLOW_BROWSER ?? 1)
  if (slower > 1) browser.on('context', (context) => context.on('page', (page) => void slowDown(page, slower)))
  return browser
}

/** Closes a context without its routes: one that still answers a request would fail, and fail the file after its tests. */
function closeWithoutRoutes(context: BrowserContext): void {
  const close = context.close.bind(context)
  context.close = async (options) => {
    await Promise.all([context, ...context.pages()].map((each) => each.unrouteAll({ behavior: 'ignoreErrors' })))
    await close(options)
  }
}

/** Slows a page's processor down by a factor and delays its responses, so that a test that looks too early fails. */
async function slowDown(page: Page, slower: number): Promise<void> {
  try {
    const session = await page.context().newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: slower })
    const delay = { offline: false, latency: slower * 20, downloadThroughput: -1, uploadThroughput: -1 }
    await session.send('Network.emulateNetworkConditions', delay)
  } catch (error) {
    if (!page.isClosed()) throw error
  }
}
