import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { becomeOwner, createAccount, grace, owner } from './support/console-visit.ts'
import { untilTrue } from './support/until-true.ts'
import { useConsole } from './support/use-console.ts'
import { haveAnswered, writeNextAnswer } from './support/written-answer.ts'

const { skip, visit } = useConsole(becomeOwner)

async function signInAgain(page: Page): Promise<void> {
  await page.getByLabel('E-mail').fill(owner.email)
  await page.getByLabel('Password').fill(owner.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Chat' }).waitFor()
}

async function join(page: Page, code: string): Promise<void> {
  await createAccount(page, `${visit().service.url}/console/join#${code}`, grace)
  await page.getByText('Grace').first().waitFor()
}

const secrets = `Object.values(localStorage).filter((text) => text.includes('for my eyes')).length === 0`

test('signing out in one tab clears the others, with unsent messages and drafts', { skip }, async () => {
  const { page, context, service } = visit()
  await haveAnswered(page, 'An answer.')
  const answer = await writeNextAnswer(page)
  await page.getByLabel('Your message').fill('Something else.')
  await page.keyboard.press('Enter')
  await page.locator('.turn-answer[data-state=writing]').waitFor()
  await answer.write('Half of ')
  await page.getByLabel('Your message').fill('for my eyes only')
  const other = await context.newPage()
  await other.goto(`${service.url}/console/models`)
  await other.getByRole('button', { name: 'Sign out' }).click()
  await other.getByText('You are signed out').waitFor()
  await page.getByLabel('Password').waitFor()
  assert.equal(await page.getByText('An answer.').count(), 0)
  await untilTrue(page, secrets)
  // A sign-in there applies to every tab.
  await other.goto(`${service.url}/console/chat`)
  await signInAgain(other)
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  await other.close()
})

test('a tab of an earlier person sends nothing in the name of the next', { skip }, async () => {
  const { page, context, service } = visit()
  await page.goto(`${service.url}/console/chat`)
  await haveAnswered(page, 'An answer.')
  await page.getByLabel('Your message').fill('for my eyes only')
  const made = await page.request.post(`${service.url}/console/api/invitations`, {
    data: { role: 'member' },
    headers: { origin: service.url },
  })
  const { code } = await made.json()
  await context.clearCookies()
  const other = await context.newPage()
  await join(other, code)
  await page.getByText('Grace').first().waitFor()
  await untilTrue(page, secrets)
  assert.equal(await page.getByText('An answer.').count(), 0)
  await page.goto(`${service.url}/console/chat`)
  await page.getByText('Conversations are saved here').waitFor()
  assert.equal(await page.getByLabel('Your message').inputValue(), '')
  await other.close()
})
