import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelList } from '../../src/console/contract/models.ts'
import { becomeOwner, holdUndo, openPage, owner } from './support/console-visit.ts'
import { eventually } from './support/eventually.ts'
import { textOf } from './support/page-text.ts'
import { runLine } from './support/run-line.ts'
import { scriptBytes } from './support/script-bytes.ts'
import { useConsole } from './support/use-console.ts'

const { skip, visit } = useConsole()

test('the first load has at most 90 kB of script', { skip }, async () => {
  const { page, service } = visit()
  await page.goto(service.url)
  await page.getByRole('heading', { level: 1, name: 'Almost there' }).waitFor()
  const sent = await scriptBytes(page)
  assert.ok(sent > 0 && sent <= 90_000, `${sent} bytes`)
})

test('the printed link creates the owner, and works once', { skip }, async () => {
  const { page, service } = visit()
  await becomeOwner(visit())
  const second = await page.context().newPage()
  await second.goto(service.link)
  await second.getByText('This link was already used').waitFor()
  await second.getByRole('link', { name: 'Sign in, or continue if you’re signed in' }).click()
  await second.getByRole('heading', { level: 1, name: 'Chat' }).waitFor()
  await second.close()
})

test('a new token works with the displayed curl command until it is revoked; undo restores it', { skip }, async () => {
  const { page, service } = visit()
  // The first of the known models makes embeddings, and cannot chat.
  const list = await page.evaluate<ModelList>(`fetch('/console/api/models').then((response) => response.json())`)
  const [model] = list.models.filter(({ kind }) => kind === 'text')
  const models = [{ ...model, id: 'encoder', name: 'Encoder', generates: false }, ...list.models]
  await page.route('**/console/api/models', (route) => route.fulfill({ json: { ...list, models } }))
  await openPage(page, 'Models')
  await page.getByRole('heading', { name: 'Encoder' }).waitFor()
  await openPage(page, 'Access tokens')
  await page.getByRole('button', { name: 'New token' }).first().click()
  await page.getByLabel('Name').fill('Nightly report')
  await page.getByRole('button', { name: 'Create token' }).click()
  const token = await textOf(page.locator('[data-token]'))
  const answer = JSON.parse(await runLine(await textOf(page.getByRole('tabpanel'))))
  // The answer is sampled: one in a hundred does not name Paris.
  assert.match(answer.choices[0].message.content, /\w/)
  await page.unroute('**/console/api/models')

  const status = async () => (await fetch(`${service.url}/v1/models`, { headers: { authorization: `Bearer ${token}` } })).status
  const row = page.getByRole('row', { name: /Nightly report/ })
  await row.getByRole('button', { name: 'Revoke' }).click()
  const undo = await holdUndo(page)
  await row.getByText('revoked').waitFor()
  await eventually(async () => assert.equal(await status(), 401))
  await undo.click()
  await row.getByRole('button', { name: 'Revoke' }).waitFor()
  await eventually(async () => assert.equal(await status(), 200))
})

test('signing out ends the session and clears drafts, and a wrong password is reported', { skip }, async () => {
  const { page, context, service } = visit()
  await openPage(page, 'Images')
  await page.getByLabel('Prompt', { exact: true }).fill('a secret')
  await openPage(page, 'Access tokens')
  const [cookie] = await context.cookies()
  assert.equal(cookie?.httpOnly, true)
  assert.equal(cookie?.sameSite, 'Strict')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  const reused = await fetch(`${service.url}/v1/models`, { headers: { cookie: `${cookie?.name}=${cookie?.value}` } })
  assert.equal(reused.status, 401)

  await page.getByLabel('E-mail').fill(owner.email)
  await page.getByLabel('Password').fill('not the password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').getByText('is wrong').waitFor()
  await page.getByLabel('Password').fill(owner.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1, name: 'Access tokens' }).waitFor()
  await openPage(page, 'Images')
  assert.equal(await page.getByLabel('Prompt', { exact: true }).inputValue(), '')
})
