import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { becomeOwner, holdUndo, openPage } from './support/console-visit.ts'
import { eventually } from './support/eventually.ts'
import { findBarriers } from './support/find-barriers.ts'
import { useConsole } from './support/use-console.ts'
import { haveAnswered, writeNextAnswer, writeNextTwoAnswers } from './support/written-answer.ts'

const { skip, visit } = useConsole(becomeOwner)

const answers = (page: Page) => page.locator('.turn-answer')
const panel = (page: Page) => page.getByRole('complementary', { name: 'Conversations and settings' })

async function begin(page: Page): Promise<void> {
  await openPage(page, 'Chat')
  const another = page.getByRole('button', { name: 'New conversation' })
  if (await another.isVisible()) await another.click()
}

async function unfold(page: Page, name: string): Promise<void> {
  const fold = panel(page).locator('details').filter({ hasText: name }).last()
  if ((await fold.getAttribute('open')) === null) await fold.locator('summary').first().click()
}

/** Says something and waits until it is sent; a short answer may be whole by then. */
async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Your message').fill(text)
  await page.keyboard.press('Enter')
  await page.locator('.turn-user').last().filter({ hasText: text }).waitFor()
}

test('a preset stores system prompt and parameters; it can be changed, renamed, deleted with undo, and made the default', {
  skip,
}, async () => {
  const { page } = visit()
  await begin(page)
  const preset = panel(page).getByLabel('Preset', { exact: true })
  const system = panel(page).getByLabel('System prompt')
  await system.fill('Answer like a pirate.')
  await panel(page).getByRole('button', { name: 'Save as a preset' }).click()
  await page.getByLabel('Name of the preset').fill('Pirate')
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await preset.locator('option:checked', { hasText: /^Pirate$/ }).waitFor({ state: 'attached' })
  await preset.selectOption('None')
  await eventually(async () => assert.equal(await system.inputValue(), ''))
  await page.reload()
  await preset.selectOption('Pirate')
  await eventually(async () => assert.equal(await system.inputValue(), 'Answer like a pirate.'))
  await system.fill('Answer like a captain.')
  const saved = page.waitForResponse((answer) => answer.request().method() === 'PUT' && answer.url().includes('/presets/'))
  await panel(page).getByRole('button', { name: 'Save changes' }).click()
  await saved
  await panel(page).getByRole('button', { name: 'Rename the preset' }).click()
  await page.getByLabel('Name of the preset').fill('Captain')
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
  await preset.locator('option', { hasText: 'Captain' }).waitFor({ state: 'attached' })
  await panel(page).getByRole('button', { name: 'Set as default' }).click()
  await preset.locator('option', { hasText: 'Captain (default)' }).waitFor({ state: 'attached' })
  await preset.selectOption('None')
  await haveAnswered(page, 'Aye.')
  await page.getByRole('button', { name: 'New conversation' }).click()
  await eventually(async () => assert.equal(await system.inputValue(), 'Answer like a captain.'))
  await panel(page).getByRole('button', { name: 'Delete the preset' }).click()
  const undo = await holdUndo(page)
  await preset.locator('option', { hasText: 'Captain' }).waitFor({ state: 'detached' })
  await undo.click()
  await preset.locator('option', { hasText: 'Captain (default)' }).waitFor({ state: 'attached' })
  await preset.selectOption('None')
})

test('two models answer a message side by side, each can be stopped; the conversation continues with one', { skip }, async () => {
  const { page } = visit()
  await begin(page)
  await unfold(page, 'Compare models')
  await panel(page).getByLabel('Second model').selectOption({ index: 1 })
  const [first, second] = await writeNextTwoAnswers(page)
  await say(page, 'Which is larger?')
  await first.write('The sun.')
  await second.write('The moon')
  const columns = page.getByRole('region', { name: 'Answers compared' }).locator('article')
  await columns.nth(1).getByText('The moon').waitFor()
  assert.equal(await columns.count(), 2)
  await page.getByRole('button', { name: 'Stop answer 2' }).click()
  await columns.nth(1).getByText('stopped by you').waitFor()
  await first.end()
  await columns.nth(0).and(page.locator('[data-state=done]')).waitFor()
  await page.getByText('Choose the answer to continue with.').waitFor()
  assert.deepEqual(await findBarriers(page), [])
  const kept = page.waitForResponse((response) => response.request().method() === 'PUT' && !response.url().includes('/turns/'))
  await columns.nth(1).getByRole('button', { name: 'Use this answer' }).click()
  await kept
  await answers(page).getByText('The moon').waitFor()
  await eventually(async () => assert.equal(await answers(page).count(), 1))
  await page.getByText('2 of 2').waitFor()
  await panel(page).getByLabel('Second model').selectOption({ index: 0 })
  await page.reload()
  await page.getByText('2 of 2').waitFor()
  await answers(page).getByText('The moon').waitFor()
})

test('a message that is sent while answers are compared continues with the first', { skip }, async () => {
  const { page } = visit()
  await begin(page)
  const compared = panel(page).getByLabel('Second model')
  await unfold(page, 'Compare models')
  await compared.selectOption({ index: 1 })
  const both = await writeNextTwoAnswers(page)
  await say(page, 'Which is larger?')
  for (const [index, text] of ['The sun.', 'The moon.'].entries()) {
    await both[index]?.write(text)
    await both[index]?.end()
  }
  await page.getByText('If you send a message, the first one is used.').waitFor()
  await compared.selectOption({ index: 0 })
  const next = await writeNextAnswer(page)
  await say(page, 'Are you sure?')
  await next.write('Yes.')
  await next.end()
  await answers(page).last().getByText('Yes.').waitFor()
  await answers(page).first().getByText('The sun.').waitFor()
  await eventually(async () => assert.equal(await answers(page).count(), 2))
})

test('a function is defined, its call shown, its result typed, and the model continues with both', { skip }, async () => {
  const { page } = visit()
  await begin(page)
  await unfold(page, 'Functions and JSON')
  const functions = panel(page).getByLabel('Functions', { exact: true })
  await functions.fill('{"name": ')
  await panel(page).getByText('Enter a function as JSON').waitFor()
  await page.getByLabel('Your message').fill('How is the weather in Oslo?')
  await page.getByRole('button', { name: 'Send', disabled: true }).waitFor()
  await functions.fill('')
  await panel(page).getByRole('button', { name: 'Insert an example' }).click()
  const call = await writeNextAnswer(page)
  await say(page, 'How is the weather in Oslo?')
  await call.writeDelta({
    tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"ci' } }],
  })
  await call.writeDelta({ tool_calls: [{ index: 0, function: { arguments: 'ty":"Oslo"}' } }] })
  await call.end('tool_calls')
  await page.getByRole('region', { name: 'Call of get_weather' }).getByText('"city": "Oslo"').waitFor()
  await page.getByLabel('Result of get_weather').fill('{"degrees": -3}')
  const sent = page.waitForRequest('**/v1/chat/completions')
  await page.getByRole('button', { name: 'Send result' }).click()
  const { messages, tools } = (await sent).postDataJSON()
  assert.equal(tools[0].function.name, 'get_weather')
  assert.deepEqual(messages.slice(-2), [
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } }],
    },
    { role: 'tool', content: '{"degrees": -3}', tool_call_id: 'call_1' },
  ])
  await answers(page).nth(1).and(page.locator('[data-state=done], [data-state=cut]')).waitFor()
  await page.reload()
  await page.getByText('Result:').waitFor()
  await functions.fill('')
})

test('the built-in model calls a function and follows a schema, and the page shows whether it did', { skip }, async () => {
  const { page } = visit()
  await begin(page)
  await unfold(page, 'Functions and JSON')
  await panel(page).getByLabel('Response format').selectOption('schema')
  await panel(page).getByRole('button', { name: 'Insert an example schema' }).click()
  // The content and length of a string are random.
  const lisbon = {
    type: 'object',
    properties: { city: { type: 'string', enum: ['Lisbon'] } },
    required: ['city'],
    additionalProperties: false,
  }
  await panel(page).getByLabel('JSON schema', { exact: true }).fill(JSON.stringify(lisbon))
  await say(page, 'Tell me of Lisbon.')
  await answers(page).last().getByText('Matches the schema').waitFor()
  const wrong = await writeNextAnswer(page)
  await say(page, 'And of Porto.')
  await wrong.write('{"city": 7}')
  await wrong.end()
  await answers(page).last().getByText('Doesn’t match the schema').waitFor()
  await answers(page).last().getByText('“city” must be a string.').waitFor()
  await panel(page).getByLabel('Response format').selectOption('text')
  const city = { type: 'object', properties: { city: { enum: ['Oslo'] } }, required: ['city'], additionalProperties: false }
  await panel(page)
    .getByLabel('Functions', { exact: true })
    .fill(JSON.stringify({ name: 'get_weather', parameters: city }))
  await panel(page).getByLabel('The model', { exact: true }).selectOption('required')
  await say(page, 'How is the weather in Oslo?')
  await answers(page).last().and(page.locator(':is([data-state=done], [data-state=cut])')).waitFor()
  // How often it calls before it ends is chance.
  await page.getByRole('region', { name: 'Call of get_weather' }).first().getByText('"city": "Oslo"').waitFor()
  assert.deepEqual(await findBarriers(page), [])
  await panel(page).getByLabel('Functions', { exact: true }).fill('')
})

test('thoughts are collapsed above the answer', { skip }, async () => {
  const { page } = visit()
  await begin(page)
  const answer = await writeNextAnswer(page)
  await say(page, 'Think.')
  await answer.writeDelta({ reasoning_content: 'First this, then that.' })
  await answers(page).getByText('Thinking…').waitFor()
  await answer.write('Done thinking.')
  await answer.end()
  await answers(page).getByText('Done thinking.').waitFor()
  await answers(page).getByText('First this').waitFor({ state: 'hidden' })
  await answers(page).getByText('Thoughts').click()
  await answers(page).getByText('First this').waitFor()
})

test('a cold model is shown as loading, with progress', { skip }, async () => {
  const { page } = visit()
  await begin(page)
  await page.route('**/console/api/models', async (route) => {
    const answer = await route.fetch()
    const body = await answer.json()
    for (const model of body.models) model.state = { ...model.state, state: 'loading', loadProgress: 0.42 }
    await route.fulfill({ response: answer, json: body })
  })
  const answer = await writeNextAnswer(page)
  await say(page, 'Wake up.')
  await answers(page)
    .getByText(/Loading .+: 42\s%/)
    .waitFor()
  await answer.write('Awake.')
  await answer.end()
  await answers(page).getByText('Awake.').waitFor()
  await answers(page)
    .getByText(/Loading .+: \d+ %|Loading .+…/)
    .waitFor({ state: 'detached' })
  await page.unrouteAll({ behavior: 'wait' })
})
