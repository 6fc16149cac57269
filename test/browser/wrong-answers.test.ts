import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page, Route } from 'playwright-core'
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
    text: 'The service answered 502. Try again; if it happens again, check its log.',
  },
] as const

/** Replaces the next answer to a request for this address. */
async function answerOnce(page: Page, address: string, method: string, answer: Parameters<Route['fulfill']>[0]): Promise<void> {
  let left = 1
  await page.route(address, (route) => (route.request().method() === method && left-- > 0 ? route.fulfill(answer) : route.fallback()))
}

/** Presses a button and counts the requests that the page sends at once, before a list that refreshes itself can send any. */
async function requestsOfPress(button: Locator): Promise<number> {
  return button.evaluate((element: HTMLElement) => {
    const { fetch } = globalThis
    let sent = 0
    globalThis.fetch = (...request) => {
      sent++
      return fetch(...request)
    }
    element.click()
    globalThis.fetch = fetch
    return sent
  })
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
      await page.route(address, (route) => route.fulfill(answer))
      await openPage(page, title)
      const note = page.getByRole('alert').filter({ hasText: text })
      const again = note.first().getByRole('button', { name: 'Try again' })
      assert.ok((await requestsOfPress(again)) > 0, `${title}: the button loads the list`)
      await page.unrouteAll()
      // A list that refreshes itself may come before a second press.
      await again.click({ timeout: 5000 }).catch(() => undefined)
      await note.first().waitFor({ state: 'detached' })
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
    await page.locator('.turn-answer:is([data-state=done], [data-state=cut])').last().waitFor()
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
