import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { becomeOwner, draw, openPage, visitConsole } from './support/console-visit.ts'

/** Draws every page of the console, light and dark, into docs/screenshots: `node test/browser/take-screenshots.ts`. */
const folder = join(import.meta.dirname, '../../docs/screenshots')
const narrow = { width: 390, height: 780 }
const wide = { width: 1280, height: 860 }

await using visit = await visitConsole()
const { page, service } = visit
await mkdir(folder, { recursive: true })

await page.goto(service.link)
await page.getByLabel('Name').waitFor()
await take(page, 'first-run')
await becomeOwner(visit)

for (const question of ['What is the capital of Portugal?', 'Tell me a short story about a fox.']) {
  await page.getByLabel('Your message').fill(question)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Regenerate' }).waitFor()
}
await take(page, 'chat')
await page.getByRole('button', { name: 'Show as code' }).click()
await take(page, 'chat-as-code')
await page.keyboard.press('Escape')

await openPage(page, 'Images')
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

await page.locator('.toast').waitFor({ state: 'detached' })

await openPage(page, 'Gallery')
await page.locator('.gallery button').first().waitFor()
await take(page, 'gallery')
await page.locator('.gallery button').nth(2).click()
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

for (const name of ['Requests', 'Usage', 'Models', 'Access tokens', 'Webhooks', 'People', 'Service']) {
  await openPage(page, name)
  await page.locator('main [aria-busy]').waitFor({ state: 'detached' })
  await take(page, name.toLowerCase().replace(' ', '-'))
}
await openPage(page, 'Requests')
await page.locator('.ledger a').nth(1).click()
await page.locator('.gallery img').first().waitFor()
await take(page, 'request')

await openPage(page, 'Access tokens')
await page.getByRole('button', { name: 'New token' }).click()
await page.getByLabel('Name').fill('Nightly report')
await page.getByRole('button', { name: 'Make the token' }).click()
await page.getByText('Your new token').waitFor()
await take(page, 'new-token')

await page.setViewportSize(narrow)
for (const path of ['chat', 'images', 'gallery', 'requests', 'usage', 'tokens']) {
  await page.goto(`${service.url}/console/${path}`)
  await page.locator('h1').waitFor()
  await page.locator('main [aria-busy]').waitFor({ state: 'detached' })
  await take(page, `narrow-${path}`)
}
await page.setViewportSize(wide)
await page.getByRole('button', { name: 'Sign out' }).click()
await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
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

async function take(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const picture = await sharp(await page.screenshot())
      .webp({ quality: 82 })
      .toBuffer()
    await writeFile(join(folder, `${name}-${colorScheme}.webp`), picture)
  }
}
