import { mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { startHubServer } from '../support/model-files/hub-server.ts'
import { becomeOwner, draw, openPage, visitConsole } from './support/console-visit.ts'
import { openDyingServers } from './support/dying-servers.ts'
import { openSeeingServer } from './support/seeing-server.ts'

/** Draws every page of the console and its states into docs/screenshots, wide in light and dark, and at two narrower widths: `node test/browser/take-screenshots.ts`. */
const folder = join(import.meta.dirname, '../../docs/screenshots')
/** The pages that wait for answers, by their paths. */
const stated = [
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
const wide = { width: 1280, height: 860 }
const narrower = [
  { width: 768, height: 1024 },
  { width: 360, height: 780 },
] as const

await using seeing = await openSeeingServer()
await using dying = await openDyingServers()
await using hub = await startHubServer({
  'someone/small-chat-GGUF': { files: { 'small-chat-Q8_0.gguf': Buffer.from('weights') }, license: 'apache-2.0' },
  'someone/closed-chat-GGUF': { files: { 'closed-chat-Q8_0.gguf': Buffer.from('weights') }, gated: true },
})
await using visit = await visitConsole(['--models', [seeing.folder, dying.folder].join(delimiter), '--hub-url', hub.url])
const { page, service } = visit
await mkdir(folder, { recursive: true })

await page.goto(service.url)
await page.getByRole('heading', { level: 1, name: 'Almost there' }).waitFor()
await take(page, 'first-start')

await page.goto(service.link)
await page.getByLabel('Name').waitFor()
await take(page, 'first-run')
await becomeOwner(visit)
await page.goto(service.link)
await page.getByRole('heading', { level: 1, name: 'This link leads no further' }).waitFor()
await take(page, 'used-link')
await page.goto(`${service.url}/console/chat`)
await page.locator('.suggestions').waitFor()
await take(page, 'chat-empty')
for (const name of ['Gallery', 'Requests', 'Usage']) {
  await openPage(page, name)
  await settle(page)
  await take(page, `${name.toLowerCase()}-empty`)
}
await openPage(page, 'Chat')

for (const question of ['What is the capital of Portugal?', 'Tell me a short story about a fox.']) {
  await page.getByLabel('Your message').fill(question)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Regenerate' }).waitFor()
}
await take(page, 'chat')
await page.getByRole('button', { name: 'Show as code' }).click()
await take(page, 'chat-as-code')
await page.keyboard.press('Escape')
const panel = page.getByRole('complementary', { name: 'Conversations and settings' })
await panel.locator('summary').filter({ hasText: 'Compare models' }).click()
await panel.getByLabel('Second model').selectOption({ index: 1 })
await page.getByLabel('Your message').fill('How do you say “water” in Spanish?')
await page.keyboard.press('Enter')
await page.getByRole('button', { name: 'Go on with this one' }).nth(1).waitFor()
await take(page, 'chat-compared')
await page.getByRole('button', { name: 'Go on with this one' }).first().click()
await panel.getByLabel('Second model').selectOption({ index: 0 })
await panel.locator('summary').filter({ hasText: 'Functions and JSON' }).click()
await panel.getByRole('button', { name: 'Begin with an example function' }).click()
await panel.getByLabel('The model', { exact: true }).selectOption('required')
await page.getByLabel('Your message').fill('How is the weather in Oslo?')
await page.keyboard.press('Enter')
await page.getByRole('region', { name: 'Call of get_weather' }).waitFor()
await page.locator('.turn-answer[data-state=writing]').waitFor({ state: 'detached' })
await take(page, 'chat-function')
await panel.getByLabel('Functions', { exact: true }).fill('')
await page.getByRole('button', { name: 'New conversation' }).click()
await panel.getByLabel('Model', { exact: true }).selectOption('seeing-chat')
const photo = await sharp(join(import.meta.dirname, '../../models/sepia-mini-image/samples.jpg'))
  .resize(640)
  .png()
  .toBuffer()
await page.getByLabel('Files to attach').setInputFiles({ name: 'samples.png', mimeType: 'image/png', buffer: photo })
await page.getByLabel('Your message').fill('What do you see?')
await page.keyboard.press('Enter')
await page.locator('.turn-answer[data-state=done]').waitFor()
await take(page, 'chat-picture')
await panel.getByLabel('Model', { exact: true }).selectOption('dying-chat')
await page.getByRole('button', { name: 'New conversation' }).click()
await page.getByLabel('Your message').fill('Tell me a story.')
await page.keyboard.press('Enter')
await page.locator('.turn-answer[data-state=failed]').waitFor()
await take(page, 'chat-failed-answer')
await panel.getByLabel('Model', { exact: true }).selectOption('sepia-mini-chat')
await page.keyboard.press('Control+k')
await page.locator('.palette [role=option]').first().waitFor()
await take(page, 'palette')
await page.keyboard.press('Escape')

await openPage(page, 'Images')
await page.getByLabel('Model', { exact: true }).selectOption('dead-images')
await draw(page, 'a glossy pear on a beige background')
await page.locator('.run[data-state=failed]').waitFor({ timeout: 60_000 })
await take(page, 'images-failed-drawing')
await page.getByLabel('Model', { exact: true }).selectOption('sepia-mini-image')
await page.getByLabel('Images', { exact: true }).fill('4')
for (const prompt of ['a glossy strawberry on a cream background', 'a glossy tiger on a light blue background']) {
  await draw(page, prompt)
  await page.locator('.studio-board .run').first().and(page.locator('[data-state=done]')).waitFor({ timeout: 120_000 })
}
await take(page, 'images')
await page.getByLabel('Images', { exact: true }).fill('1')
await draw(page, 'a glossy fox on a beige background')
await page.getByText(/Step ([6-9]|1\d) of 20/).waitFor()
await take(page, 'images-drawing')
await page.getByRole('button', { name: 'Start from this one' }).last().click()
await page.getByRole('button', { name: 'Paint a mask' }).click()
const canvas = page.locator('.painter canvas')
await canvas.hover({ position: { x: 70, y: 60 } })
await page.mouse.down()
for (const [x, y] of [
  [130, 50],
  [180, 70],
  [130, 90],
  [80, 80],
] as const)
  await canvas.hover({ position: { x, y } })
await page.mouse.up()
await take(page, 'mask')
await page.keyboard.press('Escape')

await page.locator('.toasts:not(:has(.toast))').waitFor({ state: 'attached' })

await openPage(page, 'Gallery')
await page.locator('.gallery .plate-picture').first().waitFor()
await take(page, 'gallery')
await page.locator('.gallery .plate-picture').nth(2).click()
await page.getByRole('button', { name: 'Use its settings' }).waitFor()
await take(page, 'picture')
await page.keyboard.press('Escape')

await openPage(page, 'People')
for (const role of ['Member', 'Owner']) {
  await page.getByRole('button', { name: 'Invite' }).click()
  await page.getByRole('radio', { name: role }).check()
  await page.getByRole('button', { name: 'Make the link' }).click()
  const link = (await page.getByRole('dialog').locator('code').textContent()) ?? ''
  if (role === 'Member') await letSomebodyIn(link)
  await page.keyboard.press('Escape')
}

for (const name of [...['Assets', 'Requests', 'Usage', 'Models', 'Access tokens', 'Webhooks', 'People', 'Audit log', 'Service']] as const) {
  await openPage(page, name)
  await settle(page)
  if (name === 'Usage') await page.getByRole('slider', { name: /^Requests per/ }).focus()
  // Two readings make the first figures.
  if (name === 'Service') await page.locator('.sparkline polyline[points*=" "]').first().waitFor({ state: 'attached', timeout: 60_000 })
  await take(page, name.toLowerCase().replace(' ', '-'))
}
await page.goto(`${service.url}/console/account`)
await settle(page)
await take(page, 'account')
await openPage(page, 'Models')
await page.getByRole('button', { name: 'Pull a model' }).click()
await page.getByLabel('Words to search the hub for').fill('chat')
await page.keyboard.press('Enter')
await page.getByText('someone/small-chat-GGUF').first().waitFor()
await take(page, 'hub-search')
await page.keyboard.press('Escape')
for (const name of stated) {
  await showState(name, 'loading', 'hold')
  await showState(name, 'failed', 'break')
}
await page.goto(`${service.url}/console/chat`)
await openPage(page, 'Requests')
await page.locator('main a[href^="/console/requests/"]').first().click()
await page.locator('main img').first().waitFor()
await take(page, 'request')
await openPage(page, 'People')
await page
  .getByRole('button', { name: /^Request log of/ })
  .first()
  .click()
await page.getByLabel('Keep each for, in hours').waitFor()
await take(page, 'people-request-log')
await page.getByRole('button', { name: 'Log from now on' }).click()
await page.getByRole('button', { name: 'Switch off' }).waitFor()
await fetch(`${service.url}/v1/chat/completions`, {
  method: 'POST',
  headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
  body: JSON.stringify({
    model: 'sepia-mini-chat',
    messages: [{ role: 'user', content: 'What is the capital of Spain?' }],
    max_tokens: 16,
  }),
})
await page.goto(`${service.url}/console/requests`)
await page.getByLabel('Show').selectOption('Answered at once')
await page.locator('main a[href^="/console/requests/"]').first().click()
await page.getByRole('button', { name: 'Show what was asked and answered' }).click()
await page.getByRole('region', { name: 'Answered' }).waitFor()
await settle(page)
await take(page, 'request-logged')

await openPage(page, 'Access tokens')
await page.getByRole('button', { name: 'New token' }).click()
await page.getByLabel('Name').fill('Nightly report')
await page.getByRole('button', { name: 'Make the token' }).click()
await page.getByText('Your new token').waitFor()
await take(page, 'new-token')

await page.getByRole('button', { name: 'Sign out' }).click()
await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
await take(page, 'signed-out')
await page.goto(service.url)
await page.getByText('Welcome. Sign in').waitFor()
await take(page, 'sign-in')

/** Lets somebody else follow an invitation. */
async function letSomebodyIn(link: string): Promise<void> {
  await using context = await visit.browser.newContext()
  const other = await context.newPage()
  await other.goto(link)
  await other.getByLabel('Name').fill('Grace Hopper')
  await other.getByLabel('E-mail').fill('grace@example.org')
  await other.getByLabel('Password').fill('nanoseconds of wire')
  await other.getByRole('button', { name: 'Create the account' }).click()
  await other.getByRole('heading', { level: 1, name: 'Chat' }).waitFor()
}

/** A page whose answers do not come, or never will. */
async function showState(name: string, state: string, how: 'hold' | 'break'): Promise<void> {
  const { promise: letGo, resolve } = Promise.withResolvers<void>()
  const isAnswer = ({ pathname }: URL) => /^\/(console\/api\/(?!session$)|v1\/assets)/.test(pathname)
  await page.route(isAnswer, async (route) => {
    if (how === 'hold') await letGo
    await route.abort().catch(() => undefined)
  })
  await page.goto(`${service.url}/console/${name}`)
  await page.locator('h1').waitFor()
  const shown = how === 'hold' ? page.locator('main [aria-busy]') : page.getByRole('alert')
  await shown
    .first()
    .waitFor({ timeout: 5000 })
    .catch(() => console.log(`${name} shows no state ${state}`))
  await take(page, `${name}-${state}`)
  resolve()
  await page.unroute(isAnswer)
}

async function settle(page: Page): Promise<void> {
  await page.locator('main:not(:has([aria-busy]))').waitFor()
}

async function take(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await shoot(page, `${name}-${colorScheme}`)
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  for (const size of narrower) {
    await page.setViewportSize(size)
    await shoot(page, `${name}-${size.width}`)
  }
  await page.setViewportSize(wide)
}

async function shoot(page: Page, name: string): Promise<void> {
  const picture = await sharp(await page.screenshot())
    .webp({ quality: 78 })
    .toBuffer()
  await writeFile(join(folder, `${name}.webp`), picture)
}
