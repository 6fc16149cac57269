import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import sharp from 'sharp'
import { becomeOwner, draw } from './support/console-visit.ts'
import { eventually } from './support/eventually.ts'
import { findCramped } from './support/find-cramped.ts'
import { assertFits } from './support/settle.ts'
import { useConsole } from './support/use-console.ts'
import { answerNext } from './support/written-answer.ts'

const { skip, visit } = useConsole(async (opened) => {
  await becomeOwner(opened)
  await opened.page.goto(`${opened.service.url}/console/images`)
  await draw(opened.page, 'a red apple')
  await opened.page.locator('.run[data-state=done] img').first().waitFor()
})

async function open(path: string, width: number): Promise<Page> {
  const { page, service } = visit()
  await page.setViewportSize({ width, height: 860 })
  await page.goto(`${service.url}/console/${path}`)
  await page.locator('h1').waitFor()
  await page.locator('main:not(:has([aria-busy]))').waitFor()
  return page
}

/** The colour that most of an element has. */
async function groundOf(page: Page, selector: string): Promise<object> {
  const { dominant } = await sharp(await page.locator(selector).first().screenshot()).stats()
  return dominant
}

const paths = 'chat images gallery assets requests usage models tokens webhooks people audit service account nowhere'.split(' ')
for (const path of paths)
  test(`${path} has no text under 13 pixels and no target under 24`, { skip }, async () => {
    for (const width of [1280, 360]) {
      const page = await open(path, width)
      await eventually(async () => assert.deepEqual(await findCramped(page), [], `${width} pixels`))
    }
  })

test('the mask editor has text of at least 13 pixels and large enough targets', { skip }, async () => {
  const page = await open('images', 360)
  await draw(page, 'a green apple')
  await page.locator('.run', { hasText: 'a green apple' }).getByRole('button', { name: 'Use as starting image' }).click()
  await page.getByRole('button', { name: 'Paint a mask' }).click()
  await page.locator('.painter canvas').waitFor()
  assert.deepEqual(await findCramped(page), [])
})

test('the languages of code samples fit in one row on a phone, and arrow keys reach the last', { skip }, async () => {
  const page = await open('chat', 360)
  await page.getByRole('button', { name: 'Show as code' }).click()
  const tabs = page.getByRole('tab')
  await tabs.nth(5).waitFor()
  const tops = await tabs.evaluateAll((all) => all.map((tab) => Math.round(Number(Reflect.get(tab, 'offsetTop')))))
  assert.ok(tops.length > 5)
  assert.deepEqual([...new Set(tops)], [tops[0]])
  await tabs.first().focus()
  await page.evaluate("addEventListener('keydown', (event) => { window.keyIsTaken = event.defaultPrevented })")
  await page.keyboard.press('ArrowLeft')
  assert.equal(await page.evaluate('keyIsTaken'), true, 'the row is not scrolled by the key as well')
  const last = tabs.last()
  await last.and(page.locator('[aria-selected=true]')).waitFor()
  await eventually(async () => {
    const [tab, row] = [await last.boundingBox(), await page.getByRole('tablist').boundingBox()]
    assert.ok(tab && row && tab.x + tab.width <= row.x + row.width, 'the last language is in sight')
  })
})

for (const width of [1280, 768, 360, 320])
  test(`the hours under a chart do not overlap at ${width} pixels`, { skip }, async () => {
    const page = await open('usage', width)
    const read = `[...document.querySelectorAll('.plot-days')].map((axis) => [...axis.children].filter((label) => label.checkVisibility())
      .map((label) => { const { left, right } = label.getBoundingClientRect(); return [left, right] }))`
    await eventually(async () => {
      const axes = (await page.evaluate(read)) as readonly (readonly (readonly [number, number])[])[]
      assert.ok(axes.length > 0)
      for (const labels of axes) {
        assert.ok(labels.length > 0)
        for (const [index, [left]] of labels.entries()) assert.ok(left > (labels[index - 1]?.[1] ?? 0), JSON.stringify(labels))
      }
    })
  })

test('an hour in the usage table fits on one line, under its heading', { skip }, async () => {
  for (const width of [1280, 768, 360]) {
    const page = await open('usage', width)
    const table = page.getByRole('table', { name: 'Usage by day and model' })
    await table.getByRole('columnheader', { name: 'Hour' }).waitFor()
    const lines = `document.querySelector('.ledger .date').getClientRects().length`
    await eventually(async () => assert.equal(await page.evaluate(lines), 1, `${width} pixels`))
  }
})

test('loading indicators are visible in dark mode', { skip }, async () => {
  const { page, service } = visit()
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  const held = Promise.withResolvers<Route>()
  await page.route('**/console/api/people', held.resolve)
  await page.goto(`${service.url}/console/people`)
  await page.locator('.ghost').first().waitFor()
  const colours = `[getComputedStyle(document.querySelector('.ghost')).backgroundImage, getComputedStyle(document.documentElement).backgroundColor]
    .map((text) => text.match(/rgb\\((\\d+), (\\d+), (\\d+)/).slice(1).reduce((sum, part) => sum + Number(part), 0))`
  const [shown = 0, ground = 0] = await page.evaluate<readonly number[]>(colours)
  assert.ok(shown - ground >= 30, `${shown} on ${ground}`)
  await (await held.promise).abort()
  await page.unroute('**/console/api/people')
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
})

test('models that failed to load are not shown as loading', { skip }, async () => {
  const { page, service } = visit()
  await page.route('**/console/api/models', (route) => route.abort())
  await page.goto(`${service.url}/console/images`)
  await page.getByText('The server isn’t responding.').waitFor()
  await page.getByText('The list of models couldn’t be loaded.').waitFor()
  await page.getByText('Looking for models…').waitFor({ state: 'detached' })
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

test('two nodes fit into the window in German', { skip }, async () => {
  const { browser, service, context } = visit()
  await using german = await browser.newContext({ viewport: { width: 1280, height: 860 }, locale: 'de', reducedMotion: 'reduce' })
  await german.addCookies(await context.cookies())
  const page = await german.newPage()
  await page.route('**/console/api/service', async (route) => {
    const response = await route.fetch()
    const health = await response.json()
    const [node] = health.nodes
    const busy = { ...node, host: 'a-machine-with-a-name', slots: 24, inUse: 12, loaded: ['sepia-mini-chat', 'sepia-mini-image'] }
    await route.fulfill({ response, json: { ...health, nodes: [busy, { ...busy, id: crypto.randomUUID() }] } })
  })
  await page.goto(`${service.url}/console/service`)
  const box = page.getByRole('region', { name: 'Knoten' })
  await box.getByRole('row').nth(2).waitFor()
  const overflow = () =>
    box.evaluate((element) => Number(Reflect.get(element, 'scrollWidth')) - Number(Reflect.get(element, 'clientWidth')))
  await eventually(async () => assert.equal(await overflow(), 0))
})

for (const locale of ['en', 'de'])
  test(`actions of an answer fit on one line on a phone: ${locale}`, { skip }, async () => {
    const { browser, service, context } = visit()
    await using phone = await browser.newContext({ viewport: { width: 360, height: 780 }, locale, reducedMotion: 'reduce' })
    await phone.addCookies(await context.cookies())
    const page = await phone.newPage()
    await page.goto(`${service.url}/console/chat`)
    // An answer of the model may reach the token limit, and can then be continued.
    await answerNext(page, 'Paris.')
    await page.locator('.composer textarea').fill('What is the capital of France?')
    await page.keyboard.press('Enter')
    await page.locator('.turn-answer[data-state=done] .turn-foot').waitFor()
    const middles = () =>
      page.locator('.turn-answer .turn-foot > .button').evaluateAll((all) =>
        all.map((each) => {
          const { top, height } = each.getBoundingClientRect()
          return Math.round(top + height / 2)
        }),
      )
    await eventually(async () => {
      const seen = await middles()
      assert.equal(seen.length, 4)
      assert.ok(Math.max(...seen) - Math.min(...seen) <= 2, seen.join(' '))
    })
  })

test('figures of the machine each fit on one line on a phone in German', { skip }, async () => {
  const { browser, service, context } = visit()
  await using german = await browser.newContext({ viewport: { width: 360, height: 780 }, locale: 'de', reducedMotion: 'reduce' })
  await german.addCookies(await context.cookies())
  const page = await german.newPage()
  await page.route('**/console/api/service', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), load: 17.52, cores: 16 } })
  })
  await page.goto(`${service.url}/console/service`)
  await page.getByText('17,52', { exact: true }).waitFor()
  const lines = `[...document.querySelectorAll('.facts.large dd')].map((each) => {
    const range = document.createRange()
    range.selectNodeContents(each)
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size
  })`
  await eventually(async () => assert.deepEqual(await page.evaluate(lines), [1, 1, 1, 1, 1]))
})

test('a used link fits into 320 pixels in German', { skip }, async () => {
  const { browser, service } = visit()
  await using german = await browser.newContext({ viewport: { width: 320, height: 640 }, locale: 'de', reducedMotion: 'reduce' })
  const page = await german.newPage()
  await page.goto(service.link)
  await page.getByRole('heading', { level: 1, name: 'Ungültiger oder verbrauchter Link' }).waitFor()
  await assertFits(page)
})

test('the selection is visible with forced colours', { skip }, async () => {
  const page = await open('usage', 1280)
  await page.emulateMedia({ colorScheme: 'dark', forcedColors: 'active', reducedMotion: 'reduce' })
  // Which colours the system takes shows in pixels only.
  for (const [chosen, other] of [
    ['.segments input:checked + span', '.segments input:not(:checked) + span'],
    ['.side-link[aria-current=page]', '.side-link:not([aria-current])'],
    ['.ledger .model-dot', '.ledger th'],
  ] as const)
    assert.notDeepEqual(await groundOf(page, chosen), await groundOf(page, other), chosen)
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none', reducedMotion: 'reduce' })
})

test('a page is printed dark on light, without controls', { skip }, async () => {
  const page = await open('usage', 1280)
  await page.emulateMedia({ media: 'print', colorScheme: 'dark', reducedMotion: 'reduce' })
  const ink = await page.evaluate<string>('getComputedStyle(document.body).color')
  assert.ok(
    (ink.match(/\d+/g) ?? []).map(Number).every((part) => part < 80),
    ink,
  )
  assert.equal(await page.getByRole('navigation', { name: 'Console' }).isVisible(), false)
  assert.equal(await page.getByRole('button', { name: 'Sign out' }).isVisible(), false)
  await page.emulateMedia({ media: 'screen', colorScheme: 'light', reducedMotion: 'reduce' })
})
