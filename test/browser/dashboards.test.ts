import assert from 'node:assert/strict'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { becomeOwner, draw, openPage } from './support/console-visit.ts'
import { copiedBy } from './support/copied-by.ts'
import { countedRequests } from './support/counted-requests.ts'
import { eventually } from './support/eventually.ts'
import { findBarriers } from './support/find-barriers.ts'
import { offerModel } from './support/offer-model.ts'
import { pullOffered } from './support/pull-offered.ts'
import { useConsole } from './support/use-console.ts'

const { skip, visit } = useConsole(async (started) => {
  await becomeOwner(started)
  await started.page.getByRole('button', { name: 'What is the capital of Japan?' }).click()
  await started.page.locator('.turn-answer:is([data-state=done], [data-state=cut])').waitFor()
  await openPage(started.page, 'Images')
  await draw(started.page, 'a pizza')
  await started.page.locator('.run[data-state=done] img').waitFor()
  await countedRequests(started.page, 2)
})

/** Goes to the newest bar with figures: a day or an hour may have begun since. Returns how many bars it lies before the last. */
async function toFigures(chart: Locator): Promise<number> {
  await chart.focus()
  const isEmpty = /: 0$/.test((await chart.getAttribute('aria-valuetext')) ?? '')
  if (isEmpty) await chart.press('ArrowLeft')
  return isEmpty ? 1 : 0
}

const card = (page: Page, name: string) => page.getByRole('article', { name, exact: true })

test('a model page shows its properties, and a button opens it in the playground', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Models')
  await card(page, 'Sepia Mini Chat').getByText('A miniature language model').waitFor()
  assert.equal(await copiedBy(card(page, 'Sepia Mini Chat').getByRole('button', { name: 'Copy' })), 'sepia-mini-chat')
  await card(page, 'Sepia Mini Image').getByRole('button', { name: 'Try it' }).click()
  await page.getByRole('heading', { level: 1, name: 'Images' }).waitFor()
})

test('a model that is not in memory shows only waiting requests', { skip }, async () => {
  const { page } = visit()
  let waiting = 0
  await page.route('**/console/api/models', async (route) => {
    const response = await route.fetch()
    const list: { readonly models: readonly { readonly id: string; readonly state: object }[] } = await response.json()
    const models = list.models.map((model) =>
      model.id === 'sepia-mini-chat' ? { ...model, state: { ...model.state, state: 'unloaded', inUse: 0, waiting } } : model,
    )
    await route.fulfill({ response, json: { ...list, models } })
  })
  const fact = (term: string) => card(page, 'Sepia Mini Chat').locator('.facts > div').filter({ hasText: term }).locator('dd')
  for (const now of [0, 2]) {
    waiting = now
    await page.reload()
    await openPage(page, 'Models')
    await fact('Running').getByText('–', { exact: true }).waitFor()
    assert.deepEqual(await fact('Waiting').allTextContents(), now === 0 ? [] : ['2'])
  }
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

test('everyone sees the progress and remaining time of a pull; a pulled model is removed after confirmation', { skip }, async () => {
  const { page } = visit()
  await using offered = await offerModel({ id: 'second-chat', from: 'sepia-mini-chat' })
  await pullOffered(page, offered)
  offered.release()
  const models = page.locator('article.sheet h2')
  await models.nth(2).waitFor()
  await card(page, 'Sepia Mini Chat').getByRole('button', { name: 'Remove' }).waitFor()
  const removable = page.locator('article.sheet').filter({ has: page.getByText('second-chat', { exact: true }) })
  await removable.getByRole('button', { name: 'Remove' }).click()
  await page
    .getByRole('dialog')
    .getByText(/^Deletes .+ from the disk/)
    .waitFor()
  assert.deepEqual(await findBarriers(page), [])
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await removable.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Remove' }).waitFor({ state: 'detached' })
})

test('a pull shows its rate and the time left', { skip }, async () => {
  const { page } = visit()
  const pull = { source: 'hf:a/b', state: 'pulling', bytesDone: 25e6, bytesTotal: 100e6, bytesPerSecond: 5e6, reason: null, node: 'gpu-1' }
  await page.route('**/console/api/models', async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ response: answer, json: { ...(await answer.json()), pulls: [pull] } })
  })
  await openPage(page, 'Chat')
  await openPage(page, 'Models')
  await page.getByText('25.0 MB of 100 MB · 5.0 MB a second · 15.0 s left').waitFor()
  await page.getByText('On the node gpu-1').waitFor()
  assert.deepEqual(await findBarriers(page), [])
  await page.unrouteAll({ behavior: 'wait' })
})

test('an owner sees which model files were left out, and why', { skip }, async () => {
  const { page } = visit()
  await page.route('**/console/api/models', async (route) => {
    const answer = await route.fetch()
    const leftOut = [{ file: '/srv/models/broken.gguf', reason: 'has a damaged header; copy it again or remove it.' }]
    await route.fulfill({ response: answer, json: { ...(await answer.json()), leftOut } })
  })
  await openPage(page, 'Chat')
  await openPage(page, 'Models')
  const section = page.getByRole('region', { name: 'Files left out' })
  await section.getByRole('listitem').filter({ hasText: '/srv/models/broken.gguf' }).getByText('has a damaged header').waitFor()
  assert.deepEqual(await findBarriers(page), [])
  await page.unrouteAll({ behavior: 'wait' })
  await section.waitFor({ state: 'detached' })
})

test('a left-out file among the pulled models is removed after confirmation', { skip }, async () => {
  const { page, service } = visit()
  await mkdir(join(service.folder, 'models'), { recursive: true })
  await writeFile(join(service.folder, 'models', 'broken.gguf'), 'no model')
  await openPage(page, 'Chat')
  await openPage(page, 'Models')
  const section = page.getByRole('region', { name: 'Files left out' })
  await section.getByRole('button', { name: /^Remove .+broken\.gguf$/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove broken.gguf?' })
  await dialog.getByText(/Deletes .*broken\.gguf from the disk/).waitFor()
  assert.deepEqual(await findBarriers(page), [])
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await section.waitFor({ state: 'detached' })
  assert.equal((await readdir(join(service.folder, 'models'))).includes('broken.gguf'), false)
})

test('an owner sees the servers of a model, and which one is down', { skip }, async () => {
  const { page } = visit()
  const servers = [
    { url: 'http://10.0.0.7:8000/v1', model: 'big', answers: false, reason: 'it refused the connection' },
    { url: 'http://10.0.0.8:8000/v1', model: 'big', answers: null, reason: null },
  ]
  await page.route('**/console/api/models', async (route) => {
    const answer = await route.fetch()
    const body = await answer.json()
    body.models[0].servers = servers
    await route.fulfill({ response: answer, json: body })
  })
  await openPage(page, 'Chat')
  await openPage(page, 'Models')
  const line = page.getByRole('listitem').filter({ hasText: '10.0.0.7' })
  await line.getByText('not responding').waitFor()
  await line.getByText('it refused the connection').waitFor()
  assert.deepEqual(await findBarriers(page), [])
  await page.unrouteAll({ behavior: 'wait' })
})

test('a model has one colour on every page, and chart values are available by pointer and keyboard', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Models')
  const dots = page.locator('article .model-dot')
  await dots.nth(1).waitFor()
  const classes = await dots.evaluateAll((found) => found.map(({ className }) => className))
  assert.notEqual(classes[0], classes[1])
  await openPage(page, 'Usage')
  await page.getByRole('slider', { name: 'Requests per hour' }).waitFor()
  await page.getByRole('radio', { name: '30 days' }).check()
  const chart = page.getByRole('slider', { name: 'Requests per day' })
  const since = await toFigures(chart)
  const tip = page.locator('.plot-tip')
  await tip.getByText('sepia-mini-chat').waitFor()
  const described = (text: RegExp) => eventually(async () => assert.match((await chart.getAttribute('aria-valuetext')) ?? '', text))
  await described(/: 2, .*sepia-mini-chat 1/)
  const shown = await tip.locator('.model-dot').evaluateAll((found) => found.map(({ className }) => className))
  assert.deepEqual(shown.toSorted(), classes.toSorted())
  await page.keyboard.press('ArrowLeft')
  await described(/: 0$/)
  await page.keyboard.press('Escape')
  await tip.waitFor({ state: 'detached' })
  // The page may still move while its typefaces load.
  await eventually(async () => {
    const box = await chart.boundingBox()
    assert.ok(box)
    await page.mouse.move(box.x + box.width - 4 - (since * box.width) / 30, box.y + box.height / 2)
    assert.equal(await tip.getByText('sepia-mini-image').count(), 1)
  })
  assert.deepEqual(await findBarriers(page), [])
  await page.getByRole('radio', { name: '24 hours' }).check()
  const hours = page.getByRole('slider', { name: 'Requests per hour' })
  await hours.waitFor()
  await toFigures(hours)
  await tip.getByText('sepia-mini-image').waitFor()
  await page.getByRole('radio', { name: '30 days' }).check()
  await chart.waitFor()
  await page.getByLabel('Everyone').check()
  await page.getByRole('radio', { name: 'By person' }).check()
  await page.locator('.legend').first().getByText('Ada Lovelace').waitFor()
  await page.mouse.move(0, 0)
})

test('a chart keeps its span until the figures of the next are there', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Chat')
  await openPage(page, 'Usage')
  await page.getByRole('slider', { name: 'Requests per hour' }).waitFor()
  const held = Promise.withResolvers<void>()
  await page.route('**/console/api/usage?*', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.getByRole('radio', { name: '30 days' }).check()
  await page.getByText('Counted per day, in UTC.').waitFor()
  const chart = page.getByRole('slider', { name: 'Requests per day' })
  assert.equal(await chart.count(), 0)
  held.resolve()
  await chart.waitFor()
  await page.unrouteAll({ behavior: 'wait' })
})

test('the service page updates its figures after a request', { skip }, async () => {
  const { page, context } = visit()
  await openPage(page, 'Service')
  const figure = (name: string) => page.locator('.live-board > div').filter({ hasText: name })
  await figure('Total memory').getByText(/MB|GB/).waitFor()
  const second = await context.newPage()
  await second.goto(page.url().replace('/service', '/chat'))
  await second.getByLabel('Your message').fill('Tell me a short story about a fox.')
  await second.keyboard.press('Enter')
  await second.locator('.turn-answer:is([data-state=done], [data-state=cut])').last().waitFor()
  await second.close()
  await figure('Answers begin after').getByText(/ms|s/).last().waitFor()
  const table = page.getByRole('table', { name: 'Models' })
  await table.getByText('Sepia Mini Chat').waitFor()
  const right = async (cell: string) => {
    const box = await table.locator(cell).last().boundingBox()
    return Math.round((box?.x ?? 0) + (box?.width ?? 0))
  }
  await eventually(async () => assert.equal(await right('th'), await right('td'), 'headings stand above their columns'))
  assert.deepEqual(await findBarriers(page), [])
})

test('the service page shows waiting requests and memory at its first reading', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Models')
  let readings = 0
  // Only the first reading is answered.
  await page.route('**/console/api/service', (route) => (++readings === 1 ? route.continue() : undefined))
  await openPage(page, 'Service')
  const figure = (name: string) => page.locator('.live-board > div').filter({ hasText: name }).locator('dd')
  await figure('Total memory').filter({ hasText: /MB|GB/ }).waitFor()
  await figure('Waiting').filter({ hasText: /\d/ }).waitFor()
  await figure('Tokens/s').filter({ hasText: '…' }).waitFor()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

test('models with the same name are distinguished on the service page', { skip }, async () => {
  const { page } = visit()
  await page.route('**/console/api/models', async (route) => {
    const answer = await route.fetch()
    const { models, ...more } = await answer.json()
    await route.fulfill({ response: answer, json: { ...more, models: [...models, { ...models[0], id: 'another-one' }] } })
  })
  await page.reload()
  await openPage(page, 'Service')
  const table = page.getByRole('table', { name: 'Models' })
  for (const id of ['sepia-mini-chat', 'another-one']) await table.getByText(`Sepia Mini Chat (${id})`).waitFor()
  await page.unrouteAll({ behavior: 'wait' })
})

test('a request waiting on its connection counts as the oldest in the queue', { skip }, async () => {
  const { page, service } = visit()
  const left = new AbortController()
  const { signal } = left
  const body = JSON.stringify({ model: 'sepia-mini-chat', messages: [{ role: 'user', content: 'Tell me a story.' }], max_tokens: 256 })
  const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' }
  const chat = async () => {
    while (!signal.aborted)
      await fetch(`${service.url}/v1/chat/completions`, { method: 'POST', headers, body, signal })
        .then((answer) => answer.text())
        // One that breaks off makes room for the next.
        .catch(() => undefined)
  }
  await openPage(page, 'Service')
  const chats = Array.from({ length: 40 }, chat)
  const oldest = page.locator('.live-board > div').filter({ hasText: 'Longest wait' }).locator('dd')
  await oldest.filter({ hasText: /[1-9]/ }).waitFor()
  left.abort()
  await Promise.all(chats)
})
