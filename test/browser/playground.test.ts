import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Route } from 'playwright-core'
import { becomeOwner, draw, openPage } from './support/console-visit.ts'
import { eventually } from './support/eventually.ts'
import { textOf } from './support/page-text.ts'
import { runLine } from './support/run-line.ts'
import { untilTrue } from './support/until-true.ts'
import { useConsole } from './support/use-console.ts'
import { answerNext } from './support/written-answer.ts'

const { skip, visit } = useConsole(becomeOwner)

test('an answer is streamed, counted, and can be regenerated', { skip }, async () => {
  const { page } = visit()
  const response = page.waitForResponse((each) => each.url().endsWith('/v1/chat/completions'))
  await page.getByLabel('Your message').fill('What is the capital of Japan?')
  await page.keyboard.press('Enter')
  assert.equal((await response).status(), 202)
  const answer = page.locator('.turn-answer')
  await answer.locator('.prose').filter({ hasText: /\w/ }).waitFor()
  await answer.getByText(/15 tokens in · \d+ out/).waitFor()
  await page.getByRole('button', { name: 'Regenerate' }).click()
  // The earlier answer is done as well, and a message sent during this one would wait for its end.
  await page.getByText('2 of 2').waitFor()
  await answer.and(page.locator('[data-state=done], [data-state=cut]')).waitFor()
  await eventually(async () => assert.equal(await answer.count(), 1))
})

test('an answer can be stopped', { skip }, async () => {
  const { page } = visit()
  const held = Promise.withResolvers<Route>()
  await page.route('**/v1/chat/completions', held.resolve)
  await page.getByLabel('Your message').fill('Tell me a story.')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.locator('.turn-answer[data-state=stopped]').getByText('stopped by you').waitFor()
  // A route that is only removed passes its request on to the service.
  await (await held.promise).abort()
  await page.unroute('**/v1/chat/completions')
})

test('an interrupted answer keeps its text and is marked', { skip }, async () => {
  const { page } = visit()
  await answerNext(page, 'Once upon', 'The model stopped.')
  await page.getByLabel('Your message').fill('Tell me a story.')
  await page.keyboard.press('Enter')
  await page.locator('.turn-answer').last().getByText('The model stopped.').waitFor()
  const answer = page.locator('.turn-answer').last()
  await answer.getByText('Once upon').waitFor()
  const [button, facts] = [answer.getByRole('button', { name: 'Try again' }), answer.locator('.turn-foot > span').last()]
  // The page may still scroll to its end.
  await eventually(async () => {
    const [above, below] = [await button.boundingBox(), await facts.boundingBox()]
    assert.ok(above && below && below.y >= above.y + above.height, 'facts stand below the buttons')
  })
})

test('the code sample of a conversation runs', { skip }, async () => {
  const { page, service } = visit()
  await page.getByRole('button', { name: 'New conversation' }).click()
  await page.getByRole('button', { name: 'Show as code' }).click()
  const line = await textOf(page.getByRole('tabpanel'))
  const answer = await runLine(line, { TOKEN: service.token })
  assert.equal(JSON.parse(answer).object, 'chat.completion')
  await page.keyboard.press('Escape')
})

test('a picture shows previews while it is drawn', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Images')
  await page.getByRole('button', { name: 'Show as code' }).click()
  await page.getByRole('tabpanel').getByText('"prompt": "a glossy tiger on a light blue background"').waitFor()
  await page.keyboard.press('Escape')
  // So many that each look finds it on its way.
  await page.getByText('Sampling').click()
  await page.getByLabel('Steps', { exact: true }).fill('60')
  const onTheWay = [page.getByText(/Step \d+ of 60/).waitFor(), page.getByAltText('Preview').waitFor()]
  await draw(page, 'a glossy tiger on a light blue background')
  await Promise.all(onTheWay)
  await page.locator('.run[data-state=done] img').waitFor()
  await untilTrue(page, "document.querySelector('.run[data-state=done] img').naturalWidth === 256")
  // A large picture leaves room for the words of its buttons.
  for (const words of ['Download', 'Variations', 'Use as starting image'])
    assert.ok(((await page.locator('.plate-foot').getByText(words).boundingBox())?.width ?? 0) > 40, words)
})

test('a picture is added to the gallery with its settings', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Gallery')
  await page.locator('.gallery button').first().click()
  await page.getByRole('dialog').getByText('a glossy tiger on a light blue background').waitFor()
  await page.getByRole('button', { name: 'Use its settings' }).click()
  await page.getByRole('heading', { level: 1, name: 'Images' }).waitFor()
  await eventually(async () => assert.match(await page.getByLabel('Seed', { exact: true }).inputValue(), /^\d+$/))
})

test('a picture is saved where it was drawn', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Images')
  await page.locator('.run[data-state=done]').first().getByRole('button', { name: 'Show larger' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved until you delete it.').first().waitFor()
  await page.keyboard.press('Escape')
  await openPage(page, 'Gallery')
  await page.locator('.gallery li').first().getByText('Saved', { exact: true }).waitFor()
  await openPage(page, 'Images')
})

test('a picture is redrawn only under the mask', { skip }, async () => {
  const { page } = visit()
  await page.getByRole('button', { name: 'Use as starting image' }).click()
  await page.locator('.draw-bar').getByText('starts from an image').waitFor()
  await page.getByRole('button', { name: 'Paint a mask' }).click()
  const canvas = page.locator('.painter canvas')
  await canvas.hover({ position: { x: 40, y: 40 } })
  await page.mouse.down()
  await canvas.hover({ position: { x: 120, y: 60 } })
  await page.mouse.up()
  await page.getByRole('button', { name: 'Use this mask' }).click()
  await page.getByText('Only the painted part changes.').waitFor()
  const sent = page.waitForRequest((request) => request.url().endsWith('/generate/sdxl'))
  await draw(page, 'a glossy tiger on a green background')
  const body = (await sent).postDataJSON()
  assert.match(body.init_image, /^iVBOR/)
  assert.match(body.mask_image, /^iVBOR/)
  await page.locator('.run[data-state=done]').nth(1).waitFor()
  await page.getByRole('button', { name: 'Remove' }).click()
})

test('a drawing can be cancelled, and its request shows it', { skip }, async () => {
  const { page } = visit()
  await page.getByRole('button', { name: 'Clear seed' }).click()
  await page.getByLabel('Images', { exact: true }).fill('16')
  await page.getByLabel('Images', { exact: true }).press('Tab')
  await draw(page, 'a red apple')
  await page.getByText(/Step \d+ of/).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.locator('.run[data-state=cancelled]').waitFor()
  await openPage(page, 'Requests')
  await page.locator('.ledger tbody tr', { hasText: 'cancelled' }).getByRole('link', { name: 'a red apple' }).click()
  await page.locator('.timeline').getByText('Cancelled').waitFor()
})

test('a drawing shows that its server is down, also behind others in the queue', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Images')
  await page.getByText('Sampling').click()
  await page.getByLabel('Steps', { exact: true }).fill('4')
  await page.route('**/console/api/models', async (route) => {
    const answer = await route.fetch()
    const body = await answer.json()
    for (const model of body.models) model.away = true
    await route.fulfill({ response: answer, json: body })
  })
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const pending = { status: 'pending', queue_position: 3 }
  let requested = 0
  await page.route('**/v1/requests/*/events', async (route) => {
    if (requested++ > 0) await released
    if (requested > 1) await route.continue()
    else await route.fulfill({ contentType: 'text/event-stream', body: `event: status\ndata: ${JSON.stringify(pending)}\n\n` })
  })
  await page.getByLabel('Images', { exact: true }).fill('1')
  await draw(page, 'a lonely cup')
  await page.locator('.run').first().getByText('isn’t responding; waiting for it.').waitFor()
  release()
  await page.locator('.run[data-state=done]').filter({ hasText: 'a lonely cup' }).waitFor()
  await page.unrouteAll({ behavior: 'wait' })
})

test('a drawing shows that its cold model is loading, with progress', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Images')
  await page.route('**/console/api/models', async (route) => {
    const answer = await route.fetch()
    const body = await answer.json()
    for (const model of body.models) model.state = { ...model.state, state: 'loading', loadProgress: 0.42 }
    await route.fulfill({ response: answer, json: body })
  })
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/v1/requests/*/events', async (route) => {
    await released
    await route.continue()
  })
  await page.getByLabel('Images', { exact: true }).fill('1')
  await draw(page, 'a cold cup')
  await page
    .locator('.run')
    .first()
    .getByText(/Loading .+: 42\s%/)
    .waitFor()
  release()
  await page.locator('.run[data-state=done]').filter({ hasText: 'a cold cup' }).waitFor()
  await page.unrouteAll({ behavior: 'wait' })
})
