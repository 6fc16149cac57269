import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, suite, test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { becomeOwner, type ConsoleVisit, openPage, owner, shownEntry, visitConsole } from './support/console-visit.ts'
import { eventually } from './support/eventually.ts'
import { findBarriers } from './support/find-barriers.ts'
import { withoutChromium } from './support/open-chromium.ts'
import { openWritingServer, type ServedAnswer, type WritingServer } from './support/writing-server.ts'

const answer = (page: Page, text: string) => page.locator('.turn-answer').last().getByText(text)
const inState = (page: Page, state: string) =>
  page
    .locator('.turn-answer')
    .last()
    .and(page.locator(`[data-state=${state}]`))

suite('answers are requests of the service', { skip: withoutChromium }, () => {
  let servers: WritingServer
  let visit: ConsoleVisit
  before(async () => {
    servers = await openWritingServer()
    visit = await visitConsole(['--models', servers.folder])
    await becomeOwner(visit)
  })
  after(async () => {
    await visit[Symbol.asyncDispose]()
    await servers[Symbol.asyncDispose]()
  })

  /** Says something in a new conversation. */
  async function begin(said: string): Promise<ServedAnswer> {
    const { page, service } = visit
    await page.goto(`${service.url}/console/chat`)
    await openPage(page, 'Chat')
    const another = page.getByRole('button', { name: 'New conversation' })
    if (await another.isVisible()) await another.click()
    const panel = page.getByRole('complementary', { name: 'Conversations and settings' })
    await panel.getByLabel('Model', { exact: true }).selectOption('writing-chat')
    return say(page, said)
  }

  async function say(page: Page, said: string): Promise<ServedAnswer> {
    await page.getByLabel('Your message', { exact: true }).fill(said)
    await page.keyboard.press('Enter')
    return servers.next()
  }

  async function openSame(): Promise<Page> {
    const other = await visit.context.newPage()
    await other.goto(visit.page.url())
    return other
  }

  test('an answer continues after a reload, and completes with no page open', async () => {
    const { page } = visit
    const written = await begin('Tell me a story.')
    written.write('Once ')
    await answer(page, 'Once').waitFor()
    await page.reload()
    await answer(page, 'Once').waitFor()
    await inState(page, 'writing').waitFor()
    written.write('upon ')
    await answer(page, 'Once upon').waitFor()
    const address = page.url()
    await page.goto('about:blank')
    written.write('a time.')
    written.end()
    await page.goto(address)
    await answer(page, 'Once upon a time.').waitFor()
    await inState(page, 'done').waitFor()
    await page.getByText('7 tokens in · 3 out').waitFor()
    assert.equal(await page.locator('.turn-answer').count(), 1)
  })

  test('a comparison stays open after a reload and on another page, until one page chooses an answer', async () => {
    const { page, service } = visit
    await page.goto(`${service.url}/console/chat`)
    await openPage(page, 'Chat')
    await page.locator('summary').filter({ hasText: 'Compare models' }).click()
    const second = page.getByLabel('Second model')
    await second.selectOption('writing-chat')
    const sun = await begin('Which is larger?')
    const moon = await servers.next()
    await second.selectOption('')
    const announced = (shown: Page) => shown.locator('.conversation > [aria-live=polite]')
    await announced(page).getByText('The model is writing.').waitFor({ state: 'attached' })
    sun.write('The sun.')
    sun.end()
    const compared = (shown: Page) => shown.getByRole('region', { name: 'Answers compared' }).locator('article')
    await compared(page).getByText('The sun.').waitFor()
    await page.reload()
    const other = await openSame()
    moon.write('The moon')
    for (const shown of [page, other]) {
      await compared(shown).getByText('The moon').waitFor()
      await compared(shown).getByText('The sun.').waitFor()
    }
    moon.end()
    await announced(other).getByText('2 answers are finished.').waitFor({ state: 'attached' })
    await other.reload()
    await compared(other).getByText('The moon').waitFor()
    assert.equal(await announced(other).textContent(), '', 'what is there when the page opens is not announced')
    await other.getByRole('button', { name: 'Export', exact: true }).click()
    const saved = other.waitForEvent('download')
    await other.getByRole('button', { name: 'JSON', exact: true }).click()
    const { turns } = JSON.parse(await readFile(await (await saved).path(), 'utf8'))
    assert.deepEqual(
      turns.map(({ content }: { content: string }) => content),
      ['Which is larger?', 'The sun.'],
    )
    await other.keyboard.press('Escape')
    await other.locator('.turn-said').getByRole('button', { name: 'Delete' }).click()
    await other.getByText('Message deleted, with everything after it.').waitFor()
    await other.getByRole('button', { name: 'Undo' }).click()
    await compared(other).getByText('The sun.').waitFor()
    const moonOf = compared(other).filter({ hasText: 'The moon' })
    await moonOf.getByRole('button', { name: 'Use this answer' }).click()
    await compared(page).first().waitFor({ state: 'detached' })
    for (const shown of [page, other]) await answer(shown, 'The moon').waitFor()
    await other.close()
  })

  test('the other answers end when one is chosen', async () => {
    const { page, service } = visit
    await page.goto(`${service.url}/console/chat`)
    await openPage(page, 'Chat')
    await page.locator('summary').filter({ hasText: 'Compare models' }).click()
    const second = page.getByLabel('Second model')
    await second.selectOption('writing-chat')
    const sun = await begin('Which is warmer?')
    const moon = await servers.next()
    await second.selectOption('')
    sun.write('The sun.')
    sun.end()
    moon.write('The moon')
    const sunOf = page.getByRole('region', { name: 'Answers compared' }).locator('article').filter({ hasText: 'The sun.' })
    await sunOf.getByRole('button', { name: 'Use this answer' }).click()
    await answer(page, 'The sun.').waitFor()
    await moon.left
  })

  test('an answer is kept in its conversation after its page was closed for good', async () => {
    const { page, service } = visit
    const written = await begin('Tell me another.')
    await page.goto('about:blank')
    written.write('Kept by the service.')
    written.end()
    await page.goto(`${service.url}/console/chat`)
    const search = page.getByLabel('Search conversations')
    await eventually(async () => {
      await search.fill('')
      await search.fill('kept by the service')
      await page.getByRole('region', { name: 'Conversations' }).getByRole('link', { name: 'Tell me another.' }).waitFor({ timeout: 10_000 })
    })
  })

  test('another tab follows an answer as it is written, and stops it', async () => {
    const { page } = visit
    const written = await begin('And a third.')
    written.write('First half')
    await answer(page, 'First half').waitFor()
    const other = await openSame()
    await answer(other, 'First half').waitFor()
    written.write(', more')
    await answer(other, 'First half, more').waitFor()
    await other.getByRole('button', { name: 'Stop' }).click()
    await written.left
    for (const tab of [page, other]) {
      await inState(tab, 'stopped').waitFor()
      await answer(tab, 'First half, more').waitFor()
    }
    await other.close()
  })

  test('a message sent during an answer waits for its end, and can be changed until then', async () => {
    const { page } = visit
    const box = page.getByLabel('Your message', { exact: true })
    const queued = page.getByRole('region', { name: 'Queued message' })
    const first = await begin('Name a river.')
    first.write('The Tagus')
    await answer(page, 'The Tagus').waitFor()
    await box.fill('And a lake?')
    await page.keyboard.press('Enter')
    await queued.getByText('And a lake?').waitFor()
    await eventually(async () => assert.equal(await box.inputValue(), ''))
    await page.reload()
    await queued.getByText('And a lake?').waitFor()
    await box.fill('A large one.')
    await page.keyboard.press('Enter')
    await queued.getByText('And a lake?\n\nA large one.').waitFor()
    assert.deepEqual(await findBarriers(page), [])
    await queued.getByRole('button', { name: 'Edit' }).click()
    await eventually(async () => assert.equal(await box.inputValue(), 'And a lake?\n\nA large one.'))
    await box.fill('And a hill?')
    await page.keyboard.press('Enter')
    first.end()
    const second = await servers.next()
    assert.deepEqual(
      second.messages.map(({ content }) => content),
      ['Name a river.', 'The Tagus', 'And a hill?'],
    )
    await queued.waitFor({ state: 'detached' })
    second.write('Monsanto')
    await answer(page, 'Monsanto').waitFor()
    await box.fill('And a town?')
    await page.keyboard.press('Enter')
    await queued.waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await inState(page, 'stopped').waitFor()
    await eventually(async () => assert.equal(await box.inputValue(), 'And a town?'))
    await box.fill('')
  })

  test('a conversation shows how full the context is, and drops the oldest messages, on every device', async () => {
    const { page } = visit
    const first = await begin('Name a bird.')
    first.write('A heron.')
    first.end({ prompt: 100, completion: 300 })
    await page.getByText('400 of 1,000 tokens of context', { exact: true }).waitFor()
    const leaveOut = page.getByRole('button', { name: 'Leave out the oldest messages' })
    assert.equal(await leaveOut.count(), 0)
    const second = await say(page, 'Name a tree.')
    second.write('An elm.')
    second.end({ prompt: 500, completion: 300 })
    await page.getByText('800 of 1,000 tokens of context', { exact: true }).waitFor()
    await leaveOut.click()
    await page.getByText('The model no longer reads the 2 messages above.').waitFor()
    await page.getByText(/about \d+ of 1,000 tokens of context/).waitFor()
    assert.deepEqual(await findBarriers(page), [])
    const other = await openSame()
    await other.getByText('The model no longer reads the 2 messages above').waitFor()
    const third = await say(other, 'Name a fish.')
    assert.deepEqual(
      third.messages.map(({ content }) => content),
      ['Name a tree.', 'An elm.', 'Name a fish.'],
    )
    third.write('A trout.')
    third.end()
    await inState(other, 'done').waitFor()
    await other.getByRole('button', { name: 'Include them again' }).click()
    await page.getByText('The model no longer reads the 2 messages above').waitFor({ state: 'detached' })
    await other.close()
  })

  test('two tabs show the same messages, versions and name', async () => {
    const { page } = visit
    const first = await begin('Name a bird.')
    first.write('A heron.')
    first.end()
    await inState(page, 'done').waitFor()
    const other = await openSame()
    await answer(other, 'A heron.').waitFor()
    const second = await say(other, 'And a tree?')
    await page.locator('.turn-user').getByText('And a tree?').waitFor()
    second.write('An elm.')
    await answer(page, 'An elm.').waitFor()
    second.end()
    await inState(page, 'done').waitFor()
    await page.locator('.turn-said').last().getByRole('button', { name: 'Delete' }).click()
    await other.getByText('And a tree?').waitFor({ state: 'detached' })
    await shownEntry(other).getByRole('button', { name: 'Rename' }).press('Enter')
    await other.getByRole('dialog').getByLabel('Name').fill('Birds')
    await other.keyboard.press('Enter')
    await page.getByRole('heading', { level: 2, name: 'Birds' }).waitFor()
    await other.close()
  })

  test('a message sent after the session ended is answered once the same person signs in again', async () => {
    const { page, context } = visit
    const first = await begin('Hello.')
    first.write('Hello to you.')
    first.end()
    await inState(page, 'done').waitFor()
    const error = { code: 'authentication_required', message: 'Send an access token.', type: 'authentication_error', param: null }
    const signOutFirst = async (route: Route) => {
      await context.clearCookies()
      await route.fulfill({ status: 401, json: { error } })
    }
    await page.route('**/v1/chat/completions', signOutFirst, { times: 1 })
    await page.getByLabel('Your message', { exact: true }).fill('Are you there?')
    await page.keyboard.press('Enter')
    await page.getByText('You were signed out.').waitFor()
    await page.getByLabel('E-mail').fill(owner.email)
    await page.getByLabel('Password').fill(owner.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    const second = await servers.next()
    assert.equal(second.messages.at(-1)?.content, 'Are you there?')
    second.write('I am.')
    second.end()
    await answer(page, 'I am.').waitFor()
    assert.equal(await page.getByText('Send an access token').count(), 0)
  })
})
