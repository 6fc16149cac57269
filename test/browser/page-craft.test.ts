import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import sharp from 'sharp'
import { becomeOwner, owner } from './support/console-visit.ts'
import { eventually } from './support/eventually.ts'
import { settle } from './support/settle.ts'
import { untilTrue } from './support/until-true.ts'
import { useConsole } from './support/use-console.ts'

const { skip, visit } = useConsole()

async function boxOf(locator: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await locator.boundingBox()
  assert.ok(box, 'the element is shown')
  return box
}

async function open(path: string, width = 1280): Promise<void> {
  const { page, service } = visit()
  await page.setViewportSize({ width, height: 860 })
  await page.goto(`${service.url}/console/${path}`)
  await page.locator('h1').waitFor()
  await settle(page)
}

test('sign-in options are aligned with the name above them', { skip }, async () => {
  const { page, service } = visit()
  await page.goto(service.url)
  for (const width of [1280, 768, 360]) {
    await page.setViewportSize({ width, height: 860 })
    await eventually(async () => {
      const [name, words] = [await boxOf(page.locator('.entry-art .wordmark svg')), await boxOf(page.locator('.entry-art blockquote'))]
      assert.equal(name.x, words.x, `${width} pixels`)
    })
  }
})

test('an unreachable address can be tried again, a used link cannot', { skip }, async () => {
  const { page, service } = visit()
  await becomeOwner(visit())
  await page.context().clearCookies()
  await page.goto(service.link)
  await page.getByRole('heading', { level: 1, name: 'Invalid or used link' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0)
  await page.route('**/console/api/invitation', (route) => route.abort())
  await page.reload()
  await page.getByRole('button', { name: 'Try again' }).waitFor()
  await page.getByRole('heading', { name: 'Invalid or used link' }).waitFor({ state: 'detached' })
  await page.unrouteAll()
  await page.goto(service.url)
  await page.getByLabel('E-mail').fill(owner.email)
  await page.getByLabel('Password').fill(owner.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1, name: 'Chat' }).waitFor()
})

test('the icon of a button on an empty page has the colour of its text', { skip }, async () => {
  const { page, service } = visit()
  await page.route('**/console/api/tokens', (route) => route.fulfill({ json: { tokens: [] } }))
  await page.goto(`${service.url}/console/tokens`)
  const button = page.locator('.empty').getByRole('button', { name: 'New token' })
  await button.waitFor()
  const colours = await page.evaluate(
    `['.empty .button', '.empty .button svg'].map((each) => getComputedStyle(document.querySelector(each)).color)`,
  )
  assert.ok(Array.isArray(colours))
  assert.equal(colours[1], colours[0])
  await page.unrouteAll()
})

test('a command-line flag on an empty page is not broken across lines', { skip }, async () => {
  const { page } = visit()
  const none = { models: [], pulls: [], origins: { imageUrl: null, textUrl: null } }
  await page.route('**/console/api/models', (route) => route.fulfill({ json: none }))
  for (const width of [1280, 768, 360]) {
    await open('models', width)
    const flag = page.locator('.empty code', { hasText: '--models' })
    await flag.waitFor()
    const lines = `[...document.querySelectorAll('.empty code')].map((each) => each.getClientRects().length)`
    await eventually(async () => assert.deepEqual(await page.evaluate(lines), [1, 1], `${width} pixels`))
  }
  await page.unrouteAll()
})

test('the figures of the service fill their rows at every width', { skip }, async () => {
  const { page } = visit()
  for (const [width, columns] of [
    [1280, 4],
    [768, 4],
    [360, 2],
  ] as const) {
    await open('service', width)
    const read = `[...document.querySelectorAll('.live-board > div')].map((card) => card.getBoundingClientRect().top)`
    await eventually(async () => {
      const tops = (await page.evaluate(read)) as readonly number[]
      assert.equal(tops.filter((top) => top === tops[0]).length, columns, `${width} pixels`)
    })
  }
})

test('content that fits into the window does not scroll the page', { skip }, async () => {
  const { page } = visit()
  for (const [path, width, content] of [
    ['chat', 1280, 'Start a conversation'],
    ['chat', 768, 'Start a conversation'],
    ['chat', 360, 'Start a conversation'],
    ['images', 1280, 'No images yet'],
  ] as const) {
    await open(path, width)
    await page.getByText(content).waitFor()
    const overflow = 'document.documentElement.scrollHeight - document.documentElement.clientHeight'
    await eventually(async () => assert.equal(await page.evaluate(overflow), 0, `${path}, ${width} pixels`))
  }
})

test('a sent picture has a frame of its own width', { skip }, async () => {
  const { page } = visit()
  await open('chat')
  const picture = await sharp({ create: { width: 900, height: 450, channels: 3, background: '#a06040' } })
    .png()
    .toBuffer()
  await page.route('**/console/api/models', async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ body: (await answer.text()).replaceAll('"looks":false', '"looks":true') })
  })
  await open('chat')
  await page.getByLabel('Files to attach').setInputFiles({ name: 'wide.png', mimeType: 'image/png', buffer: picture })
  await page.getByRole('button', { name: 'Remove wide.png' }).waitFor()
  await page.getByLabel('Your message').fill('Hi')
  await page.keyboard.press('Enter')
  const shown = page.locator('.said-picture img')
  await shown.waitFor()
  await untilTrue(page, "document.querySelector('.said-picture img').naturalWidth > 0")
  await eventually(async () => {
    const [inside, around] = [await boxOf(shown), await boxOf(page.locator('.said-picture'))]
    assert.ok(around.width - inside.width <= 2, `${around.width} around ${inside.width}`)
  })
  await page.unrouteAll()
})

test('the fields of the Images page, its sizes and its Draw button are aligned with its title', { skip }, async () => {
  const { page } = visit()
  for (const width of [1280, 768, 360]) {
    await open('images', width)
    await eventually(async () => {
      const [title, button, prompt, size] = [
        await boxOf(page.locator('h1')),
        await boxOf(page.locator('.draw-bar .button')),
        await boxOf(page.getByLabel('Prompt', { exact: true })),
        await boxOf(page.locator('.size-frame').first()),
      ]
      assert.deepEqual([prompt.x, size.x, button.x, button.width], [title.x, title.x, title.x, prompt.width], `${width} pixels`)
    })
  }
})

test('the whole navigation, with the account, fits on a laptop', { skip }, async () => {
  const { page } = visit()
  for (const height of [1000, 800, 660]) {
    await page.setViewportSize({ width: 1280, height })
    await page.locator('.frame > .side').waitFor()
    const hidden = `(() => { const side = document.querySelector('.frame > .side'); return side.scrollHeight - side.clientHeight })()`
    await eventually(async () => assert.equal(await page.evaluate(hidden), 0, `${height} pixels`))
  }
})
