import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { becomeOwner, createAccount, draw, grace, openPage, visitConsole } from './support/console-visit.ts'
import { type DyingServers, openDyingServers } from './support/dying-servers.ts'
import { eventually } from './support/eventually.ts'
import { findBarriers } from './support/find-barriers.ts'
import { withoutChromium } from './support/open-chromium.ts'
import { textOf } from './support/page-text.ts'
import { untilTrue } from './support/until-true.ts'

const sentence = /The model failed on this request|The model dead-images stopped or could not be loaded/
const request = /Request [\w-]{8,}/

/** Asks the model whose server dies, and the one whose server is not there. Returns the messages of the chat, of the drawing, and on its page. */
async function fail(page: Page, { die }: DyingServers): Promise<readonly string[]> {
  const panel = page.getByRole('complementary', { name: 'Conversations and settings' })
  await panel.getByLabel('Model', { exact: true }).selectOption('dying-chat')
  await page.getByLabel('Your message').fill('Tell me a story.')
  await page.keyboard.press('Enter')
  await page.locator('.turn-answer').getByText('Once upon a time').waitFor()
  await die()
  const answer = page.locator('.turn-answer[data-state=failed]')
  await answer.getByText('Once upon a time').waitFor()
  const chat = await textOf(answer.getByRole('alert'))
  // The service stores the end of an answer a moment after it reported that.
  if (chat.includes('Details'))
    await untilTrue(
      page,
      `fetch('/console/api/conversations/' + location.pathname.split('/').at(-1))
      .then((response) => response.json())
      .then(({ turns }) => turns.some(({ cause }) => cause !== undefined))`,
    )
  await page.reload()
  await answer.waitFor()
  await eventually(async () => assert.equal(await textOf(answer.getByRole('alert')), chat, 'the message is kept with the conversation'))
  await answer.getByRole('button', { name: 'Continue' }).waitFor()
  assert.deepEqual(await findBarriers(page), [])
  await openPage(page, 'Images')
  await page.getByLabel('Model', { exact: true }).selectOption('dead-images')
  await draw(page, 'a red apple')
  const run = page.locator('.run[data-state=failed]')
  await run.waitFor()
  const drawing = await textOf(run.getByRole('alert'))
  assert.deepEqual(await findBarriers(page), [])
  await openPage(page, 'Requests')
  await page.getByRole('main').getByRole('link', { name: 'Tell me a story.', exact: true }).first().click()
  await page.locator('.note.bad').getByText('The model failed on this request').waitFor()
  await openPage(page, 'Requests')
  await page.getByRole('link', { name: 'a red apple' }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Request', exact: true }).waitFor()
  return [chat, drawing, await textOf(page.locator('.note.bad')), await failAtOnce(page, die)]
}

/** Sends a chat that is answered directly and returns the message on the request's page. */
async function failAtOnce(page: Page, die: DyingServers['die']): Promise<string> {
  const asked = page.evaluate(`fetch('/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'dying-chat', messages: [{ role: 'user', content: 'x' }] }),
  })`)
  await die()
  await asked
  await untilTrue(
    page,
    `fetch('/console/api/requests?way=synchronous').then((response) => response.json()).then(({ requests }) => requests.length === 1)`,
  )
  await openPage(page, 'Requests')
  await page.getByLabel('Status').selectOption('Synchronous')
  await page.locator('.ledger tbody:not(:has-text("a red apple"))').waitFor()
  await page.locator('.ledger tbody tr').first().getByRole('link').click()
  await page.locator('.timeline').getByText('Failed', { exact: true }).waitFor()
  await page.getByText('inference_failed', { exact: true }).waitFor()
  assert.deepEqual(await findBarriers(page), [])
  return textOf(page.locator('.note.bad'))
}

test('an owner sees why a server failed, and the request; a member sees the message and the request', {
  skip: withoutChromium,
}, async () => {
  await using servers = await openDyingServers()
  await using visit = await visitConsole(['--models', servers.folder])
  const { page, browser } = visit
  await becomeOwner(visit)
  const seenByOwner = await fail(page, servers)
  for (const reported of seenByOwner) {
    assert.match(reported, sentence)
    assert.match(reported, request)
    assert.match(reported, /Details \(owners only\): The upstream/)
  }
  assert.match(seenByOwner[1] ?? '', /127\.0\.0\.1:9/)
  await openPage(page, 'People')
  await page.getByRole('button', { name: 'Invite' }).click()
  await page.getByRole('button', { name: 'Create link' }).click()
  const link = (await page.getByRole('dialog').locator('code').textContent()) ?? ''
  await using context = await browser.newContext({ reducedMotion: 'reduce' })
  const member = await context.newPage()
  await createAccount(member, link, grace)
  await member.getByRole('heading', { level: 1, name: 'Chat' }).waitFor()
  const announced: string[] = []
  member.on(
    'response',
    (response) =>
      void response.text().then(
        (text) => announced.push(text),
        () => undefined,
      ),
  )
  for (const reported of await fail(member, servers)) {
    assert.match(reported, sentence)
    assert.match(reported, request)
    assert.doesNotMatch(reported, /upstream|127\.0\.0\.1|owners/)
  }
  assert.doesNotMatch(announced.join('\n'), /127\.0\.0\.1:9|The upstream/)
})

test('a model on another server shows its server and offers nothing to remove', { skip: withoutChromium }, async () => {
  await using servers = await openDyingServers()
  await using visit = await visitConsole(['--models', servers.folder])
  const { page } = visit
  await becomeOwner(visit)
  await openPage(page, 'Models')
  const card = page.locator('article.sheet').filter({ has: page.getByText('dying-chat', { exact: true }).first() })
  await card.getByText('known after the first request').waitFor()
  await card.getByRole('button', { name: 'Load' }).click()
  await card.getByText('not reported by its server').waitFor()
  await card.getByText('on its server').waitFor()
  await card.getByRole('button', { name: 'Unload' }).waitFor()
  assert.equal(await card.getByRole('button', { name: 'Remove' }).count(), 0)
})
