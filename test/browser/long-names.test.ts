import assert from 'node:assert/strict'
import { test } from 'node:test'
import { draw, openPage, owner } from './support/console-visit.ts'
import { eventually } from './support/eventually.ts'
import { assertFits, settle } from './support/settle.ts'
import { useConsole } from './support/use-console.ts'

const { skip, visit } = useConsole()
const name = 'Wolfeschlegelsteinhausenbergerdorff'.repeat(3).slice(0, 99)
const email = `${'ada.'.repeat(15)}lovelace@${'analytical-engine.'.repeat(4)}example.org`

/** Truncated texts of tables without a title that shows them whole. */
const cutOff = `[...document.querySelectorAll('td, td *, .side-person *')]
  .filter((each) => each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).overflowX === 'hidden'
    && !each.closest('.hidden-text') && each.closest('[title]') === null && each.querySelector('[title]') === null)
  .map((each) => each.textContent)`

/** Tables that are wider than their sheets, which no key scrolls. */
const cutTables = `[...document.querySelectorAll('.sheet.flush:not([tabindex])')]
  .filter((each) => each.scrollWidth > each.clientWidth + 1)
  .map((each) => each.querySelector('table').getAttribute('aria-label') + ' ' + each.scrollWidth + ' in ' + each.clientWidth)`

test('long names and e-mails are truncated, with the whole in a title, at every width', { skip }, async () => {
  const { page, service } = visit()
  await page.goto(service.link)
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(owner.password)
  await page.getByRole('button', { name: 'Create the account' }).click()
  await page.getByRole('heading', { level: 1, name: 'Chat' }).waitFor()
  await openPage(page, 'Access tokens')
  await page.getByRole('button', { name: 'New token' }).first().click()
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Create token' }).click()
  await page.getByText('Your new token').waitFor()
  await fetch(`${service.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.token}`,
      'content-type': 'application/json',
      'x-service-async': '1',
      'x-service-webhook': `https://sepia.invalid/${name}`,
    },
    body: JSON.stringify({ model: 'sepia-mini-chat', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 }),
  })
  for (const path of ['people', 'tokens', 'account', 'audit', 'requests', 'usage', 'service', 'webhooks'])
    for (const width of [1280, 768, 360]) {
      await page.setViewportSize({ width, height: 860 })
      await page.goto(`${service.url}/console/${path}`)
      await page.locator('h1').waitFor()
      await settle(page)
      await assertFits(page, `${path} at ${width}`)
      await eventually(async () => assert.deepEqual(await page.evaluate(cutOff), [], `${path} at ${width}`))
      await eventually(async () => assert.deepEqual(await page.evaluate(cutTables), [], `${path} at ${width}`))
    }
  await page.setViewportSize({ width: 1280, height: 860 })
  await openPage(page, 'People')
  await page.getByTitle(email).first().waitFor()
  await page.getByRole('row').getByTitle(name).first().waitFor()
})

test('a long title of a conversation does not hide its buttons', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Chat')
  await page.getByLabel('Your message').fill('Which words go on and on and never come to any end that anybody could wait for?')
  await page.keyboard.press('Enter')
  const entry = page.locator('.history li:not(.history-day)').first()
  await entry.waitFor()
  await entry.hover()
  const list = page.locator('.history ul')
  await eventually(async () => {
    const around = await list.boundingBox()
    const last = await entry.getByRole('button', { name: 'Delete conversation' }).boundingBox()
    assert.ok(around && last && last.x + last.width <= around.x + around.width)
  })
})

test('a prompt of 5 000 characters hides neither its picture nor its actions', { skip }, async () => {
  const { page } = visit()
  const prompt = 'a tiger of very many words, '.repeat(180).trim()
  await openPage(page, 'Images')
  await draw(page, prompt)
  const heading = page.locator('.run-head h2').first()
  await heading.waitFor()
  assert.equal(await heading.getAttribute('title'), prompt)
  await eventually(async () => assert.ok(Number((await heading.boundingBox())?.height) < 100))
  await page.locator('.run[data-state=done] img').first().waitFor()
  await openPage(page, 'Gallery')
  await page.locator('.plate-picture').first().click()
  const download = page.getByRole('dialog').getByRole('link', { name: 'Download' })
  await download.waitFor()
  await eventually(async () => {
    const box = await download.boundingBox()
    assert.ok(box && box.y + box.height <= 860, `at ${box?.y}`)
  })
  await page.keyboard.press('Escape')
})
