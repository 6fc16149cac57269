import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** Where a Chromium is installed: the variable SEPIA_CHROMIUM, else the usual places; undefined when there is none. */
export const chromiumPath: string | undefined = [process.env.SEPIA_CHROMIUM ?? '', ...places].find(
  (path) => path !== '' && existsSync(path),
)

/** Why browser tests are left out here, or false; where every suite must run (SEPIA_CI) they fail instead. */
export const withoutChromium: string | false =
  chromiumPath === undefined && process.env.SEPIA_CI === undefined
    ? 'no Chromium found; install the package chromium, or name one in SEPIA_CHROMIUM'
    : false

export async function openChromium(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error('There is no Chromium; install the package chromium, or name one in SEPIA_CHROMIUM')
  return chromium.launch({
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
}
