import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { becomeOwner, draw, openPage, owner } from './support/console-visit.ts'
import { useConsole } from './support/use-console.ts'

const { skip, visit } = useConsole(becomeOwner)

const fault = (code: string, message: string) => ({ error: { code, message, type: 'server_error', param: null } })

/** Invalid answers, and the messages shown for them. */
const wrongAnswers = [
  {
    name: '500 of the service',
    answer: { status: 500, json: fault('internal_error', 'The request failed inside the service.') },
    text: 'The request failed inside the service.',
  },
  {
    name: '502 of the service',
    answer: { status: 502, json: fault('inference_failed', 'The server behind it did not answer.') },
    text: 'The server behind it did not answer.',
  },
  {
    name: '502 of a proxy that speaks no JSON',
    answer: { status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' },
    text: 'The service answered 502. Try again, and look at its log if it happens twice.',
  },
] as const

/** Lets what is asked at an address be answered so, once. */
async function answerOnce(page: Page, address: string, method: string, answer: Parameters<Route['fulfill']>[0]): Promise<void> {
  let left = 1
  await page.route(address, (route) => (route.request().method() === method && left-- > 0 ? route.fulfill(answer) : route.fallback()))
}

for (const { name, answer, text } of wrongAnswers) {
  test(`a list reports an invalid answer and can be loaded again: ${name}`, { skip }, async () => {
    const { page } = visit()
    for (const [title, address] of [
      ['Access tokens', '**/console/api/tokens'],
      ['Requests', '**/console/api/requests?*'],
      ['Gallery', '**/console/api/gallery?*'],
      ['Usage', '**/console/api/usage?*'],
      ['People', '**/console/api/people'],
      ['Models', '**/console/api/models'],
    ] as const) {
      await answerOnce(page, address, 'GET', answer)
      await openPage(page, title)
      const note = page.getByRole('alert').filter({ hasText: text })
      await note.first().waitFor()
      // Lists that refresh themselves may have it first, and then there is nothing left to press.
      const press = note.first().getByRole('button', { name: 'Try again' }).click({ timeout: 5000 })
      await press.catch(() => undefined)
      await note.waitFor({ state: 'detached' })
      await page.unrouteAll()
    }
  })

  test(`a form reports an invalid answer, keeps its input, and can be sent again: ${name}`, { skip }, async () => {
    const { page } = visit()
    await openPage(page, 'Access tokens')
    await page.getByRole('button', { name: 'New token' }).first().click()
    await answerOnce(page, '**/console/api/tokens', 'POST', answer)
    await page.getByLabel('Name').fill('Nightly')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('alert').getByText(text).waitFor()
    assert.equal(await page.getByLabel('Name').inputValue(), 'Nightly')
    await page.getByRole('button', { name: 'Create token' }).click()
    await page.getByRole('heading', { name: 'Your new token' }).waitFor()
    await page.keyboard.press('Escape')
    await page.unrouteAll()
  })

  test(`a chat reports an invalid answer, and can be repeated: ${name}`, { skip }, async () => {
    const { page } = visit()
    await openPage(page, 'Chat')
    await answerOnce(page, '**/v1/chat/completions', 'POST', answer)
    await page.getByLabel('Your message').fill('What is 17 + 25?')
    await page.keyboard.press('Enter')
    const failed = page.locator('.turn-answer[data-state=failed]')
    await failed.getByRole('alert').getByText(text).waitFor()
    await failed.getByRole('button', { name: 'Try again' }).click()
    await page.locator('.turn-answer[data-state=done]').last().waitFor()
    await page.getByRole('button', { name: 'New conversation' }).click()
    await page.unrouteAll()
  })

  test(`a drawing reports an invalid answer, and can be repeated: ${name}`, { skip }, async () => {
    const { page } = visit()
    await openPage(page, 'Images')
    await answerOnce(page, '**/generate/sdxl', 'POST', answer)
    await draw(page, `an apple behind ${name}`)
    const run = page.locator('.run').filter({ hasText: `an apple behind ${name}` })
    await run.getByRole('alert').getByText(text).waitFor()
    await run.getByRole('button', { name: 'Try again' }).click()
    await run.and(page.locator('[data-state=done]')).waitFor()
    await page.unrouteAll()
  })
}

test('a slow sign-in is shown as running, and is sent once', { skip }, async () => {
  const { browser, service } = visit()
  await using context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${service.url}/console/chat`)
  const { promise: letGo, resolve } = Promise.withResolvers<void>()
  let sent = 0
  await page.route('**/console/api/session', async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    sent++
    await letGo
    await route.continue()
  })
  await page.getByLabel('E-mail').fill(owner.email)
  await page.getByLabel('Password').fill(owner.password)
  await page.keyboard.press('Enter')
  const button = page.getByRole('button', { name: 'Signing in…' })
  await button.and(page.locator('[aria-busy=true]')).waitFor()
  await button.press('Enter')
  await page.getByLabel('Password').press('Enter')
  await button.dispatchEvent('click')
  resolve()
  await page.getByRole('heading', { level: 1, name: 'Chat' }).waitFor()
  assert.equal(sent, 1)
})
