import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { becomeOwner, holdUndo, openPage } from './support/console-visit.ts'
import { eventually } from './support/eventually.ts'
import { findBarriers } from './support/find-barriers.ts'
import { useConsole } from './support/use-console.ts'
import { answerNext, haveAnswered, writeNextAnswer } from './support/written-answer.ts'

const { skip, visit } = useConsole(becomeOwner)

const kept = (page: Page) => page.waitForResponse((each) => each.request().method() === 'PUT' && each.url().includes('/turns/'))
const list = (page: Page) => page.getByRole('region', { name: 'Conversations' })
const answers = (page: Page) => page.locator('.turn-answer')

/** Begins a conversation in which something was said and answered. */
async function converse(page: Page, said: string, answered: string): Promise<void> {
  await openPage(page, 'Chat')
  const another = page.getByRole('button', { name: 'New conversation' })
  if (await another.isVisible()) await another.click()
  await say(page, said, answered)
}

async function say(page: Page, said: string, answered: string): Promise<void> {
  const answer = await writeNextAnswer(page)
  await page.getByLabel('Your message').fill(said)
  await page.keyboard.press('Enter')
  await page.locator('.turn-answer[data-state=writing]').waitFor()
  const whole = kept(page)
  await answer.write(answered)
  await answer.end()
  await answers(page).last().and(page.locator('[data-state=done]')).waitFor()
  await whole
}

test('a conversation survives a reload, and can be found, renamed, pinned, deleted and restored', { skip }, async () => {
  const { page } = visit()
  await converse(page, 'Tell me of otters.', 'Otters hold hands.')
  await converse(page, 'Tell me of owls.', 'Owls hunt at night.')
  await page.reload()
  await answers(page).getByText('Owls hunt at night.').waitFor()
  await list(page).getByRole('link', { name: 'Tell me of otters.' }).click()
  await answers(page).getByText('Otters hold hands.').waitFor()
  await page.getByLabel('Search conversations').fill('HUNT AT')
  await list(page).getByRole('link', { name: 'Tell me of otters.' }).waitFor({ state: 'detached' })
  await list(page).getByRole('link', { name: 'Tell me of owls.' }).waitFor()
  await page.getByLabel('Search conversations').fill('')
  const otters = list(page).getByRole('listitem').filter({ hasText: 'otters' })
  await otters.hover()
  await otters.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Hands')
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
  const hands = list(page).getByRole('listitem').filter({ hasText: 'Hands' })
  await hands.hover()
  await hands.getByRole('button', { name: 'Pin', exact: true }).click()
  await list(page).locator('li[data-pinned=true]').getByText('Hands').waitFor()
  await list(page).getByRole('listitem').nth(1).filter({ hasText: 'Hands' }).waitFor()
  const heights = `[...document.querySelectorAll('.history li[data-pinned]')].map((entry) => entry.getBoundingClientRect().height)`
  await eventually(async () => assert.equal(new Set(await page.evaluate<readonly number[]>(heights)).size, 1))
  await hands.hover()
  await hands.getByRole('button', { name: 'Delete conversation' }).click()
  const undo = await holdUndo(page)
  await hands.waitFor({ state: 'detached' })
  await undo.click()
  await answers(page).getByText('Otters hold hands.').waitFor()
})

test('an earlier message can be edited, answers can be regenerated, and every version stays', { skip }, async () => {
  const { page } = visit()
  await converse(page, 'Count to two.', 'One, two.')
  await say(page, 'And on.', 'Three.')
  const second = await writeNextAnswer(page)
  await answers(page).first().getByRole('button', { name: 'Regenerate' }).click()
  await second.write('1, 2.')
  await second.end()
  await answers(page).getByText('1, 2.').waitFor()
  await eventually(async () => assert.equal(await answers(page).count(), 1))
  await page.getByText('2 of 2').waitFor()
  await page.getByRole('button', { name: 'Earlier version' }).click()
  await answers(page).getByText('Three.').waitFor()
  const edited = await writeNextAnswer(page)
  await page.locator('.turn-said').first().getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Edit your message').fill('Count to three.')
  await page.locator('.turn-edit').getByRole('button', { name: 'Send' }).click()
  const whole = kept(page)
  await edited.write('One, two, three.')
  await edited.end()
  await answers(page).getByText('One, two, three.').waitFor()
  await answers(page).and(page.locator('[data-state=done]')).waitFor()
  await whole
  await page.reload()
  await answers(page).getByText('One, two, three.').waitFor()
  await page.locator('.turn-said').first().getByRole('button', { name: 'Earlier version' }).click()
  await answers(page).first().getByText('1, 2.').or(answers(page).first().getByText('One, two.')).waitFor()
})

test('versions of an answer are shown side by side, and the conversation continues with the chosen one', { skip }, async () => {
  const { page } = visit()
  await converse(page, 'Name a bird.', 'A heron.')
  const second = await writeNextAnswer(page)
  await answers(page).first().getByRole('button', { name: 'Regenerate' }).click()
  await second.write('A wren.')
  await second.end()
  await page.getByText('2 of 2').waitFor()
  await answers(page).getByRole('button', { name: 'Side by side' }).click()
  const dialog = page.getByRole('dialog', { name: 'Versions side by side' })
  await dialog.getByText('A heron.').waitFor()
  await dialog.getByText('A wren.').waitFor()
  await dialog.getByRole('heading', { name: 'Version 1 · Sepia Mini Chat' }).waitFor()
  await dialog.getByRole('heading', { name: 'Version 2 · Sepia Mini Chat · in use' }).waitFor()
  const inks = `['dialog', 'body'].map((each) => getComputedStyle(document.querySelector(each)).color)`
  const [inDialog, onPage] = await page.evaluate<readonly string[]>(inks)
  assert.equal(inDialog, onPage)
  assert.deepEqual(await findBarriers(page), [])
  await dialog.getByRole('article', { name: 'Version 1' }).getByRole('button', { name: 'Use this version' }).click()
  await dialog.waitFor({ state: 'detached' })
  await answers(page).getByText('A heron.').waitFor()
  await page.getByText('1 of 2').waitFor()
})

test('an answer can be edited, and the original stays', { skip }, async () => {
  const { page } = visit()
  await converse(page, 'Name a tree.', 'An elmm.')
  await answers(page).getByRole('button', { name: 'Edit' }).click()
  const box = page.getByLabel('Edit the answer')
  await box.fill('An elm.\n'.repeat(12))
  assert.ok(((await box.boundingBox())?.height ?? 0) > 240, 'the field grows with its text')
  await box.fill('An elm.')
  const whole = kept(page)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await answers(page).getByText('An elm.', { exact: true }).waitFor()
  await page.getByText('2 of 2').waitFor()
  await whole
  await page.reload()
  await answers(page).getByText('An elm.', { exact: true }).waitFor()
  const requested = page.waitForRequest('**/v1/chat/completions')
  await page.getByLabel('Your message').fill('Another.')
  await page.keyboard.press('Enter')
  const { messages } = (await requested).postDataJSON()
  assert.equal(messages.at(-2).content, 'An elm.')
  await answers(page).nth(1).and(page.locator('[data-state=done], [data-state=cut]')).waitFor()
})

test('a message is deleted with everything after it, and restored', { skip }, async () => {
  const { page } = visit()
  await converse(page, 'Say a.', 'a')
  await say(page, 'Say b.', 'b')
  await page.locator('.turn-said').last().getByRole('button', { name: 'Delete' }).click()
  const undo = await holdUndo(page)
  await page.locator('.turn-said').getByText('Say b.').waitFor({ state: 'detached' })
  await undo.click()
  await page.locator('.turn-said').getByText('Say b.').waitFor()
  await answers(page).nth(1).waitFor()
})

test('a message whose answer was deleted can be asked again', { skip }, async () => {
  const { page } = visit()
  await converse(page, 'Tell me of herons.', 'Herons stand.')
  await answers(page).getByRole('button', { name: 'Delete', exact: true }).click()
  await answers(page).waitFor({ state: 'detached' })
  const answer = await writeNextAnswer(page)
  await page.getByRole('button', { name: 'Ask again' }).click()
  await answer.write('Herons wade.')
  await answer.end()
  await answers(page).getByText('Herons wade.').waitFor()
  await page.getByRole('button', { name: 'Ask again' }).waitFor({ state: 'detached' })
})

test('an interrupted answer keeps its text, is marked, and continues from its end', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Chat')
  await page.getByRole('button', { name: 'New conversation' }).click()
  await answerNext(page, 'Once upon', 'The model stopped.')
  const saved = kept(page)
  await page.getByLabel('Your message').fill('Tell me a story.')
  await page.keyboard.press('Enter')
  await answers(page).getByText('The model stopped.').waitFor()
  await saved
  const { sent } = await answerNext(page, ' a time.')
  await page.getByRole('button', { name: 'Continue' }).click()
  await answers(page).getByText('Once upon a time.').waitFor()
  assert.deepEqual((await sent).messages.at(-1), { role: 'assistant', content: 'Once upon' })
  await page.getByText('The model stopped.').waitFor({ state: 'detached' })
})

test('a draft survives another page and a reload', { skip }, async () => {
  const { page } = visit()
  await converse(page, 'Hello.', 'Hello.')
  await page.getByLabel('Your message').fill('half a thought')
  await openPage(page, 'Models')
  await openPage(page, 'Chat')
  await eventually(async () => assert.equal(await page.getByLabel('Your message').inputValue(), 'half a thought'))
  await page.reload()
  await answers(page).getByText('Hello.').waitFor()
  await eventually(async () => assert.equal(await page.getByLabel('Your message').inputValue(), 'half a thought'))
})

test('text files are sent with a message; others are rejected by name', { skip }, async () => {
  const { page } = visit()
  await converse(page, 'Hello.', 'Hello.')
  await page.getByLabel('Files to attach').setInputFiles([
    { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('the word is heron') },
    { name: 'archive.bin', mimeType: 'application/octet-stream', buffer: Buffer.from([0x89, 0x50, 0, 0xff]) },
    { name: 'photo.png', mimeType: 'image/png', buffer: Buffer.from([0x89, 0x50, 0, 0xff]) },
  ])
  await page.getByText('archive.bin isn’t a text file, PDF, Word document (.docx) or image.').waitFor()
  await page.getByText('Sepia Mini Chat can’t see images, and no model here can.').waitFor()
  const requested = page.waitForRequest('**/v1/chat/completions')
  await page.getByLabel('Your message').fill('What is the word?')
  await page.keyboard.press('Enter')
  assert.match(
    JSON.parse((await requested).postData() ?? '{}').messages.at(-1).content,
    /^What is the word\?\n\nnotes\.txt:\n```\nthe word is heron\n```$/,
  )
  await page.locator('.turn-user').getByText('notes.txt').waitFor()
})

/** Writes so many characters into a box without drawing them, which takes a browser half a minute for two million. */
async function writeUnseen(box: Locator, length: number): Promise<void> {
  await box.evaluate((element: HTMLTextAreaElement, count) => {
    element.style.display = count === 0 ? '' : 'none'
    element.value = 'a'.repeat(count)
    element.dispatchEvent(new Event('input', { bubbles: true }))
  }, length)
}

test('a message over the storage limit is reported and not sent, whether new or edited', { skip }, async () => {
  const { page } = visit()
  await converse(page, 'A short one.', 'Short it is.')
  const fault = page.getByText('This message has 2,000,001 characters; at most 2,000,000 can be saved. Send it in parts.')
  const requested: string[] = []
  page.on('request', (request) => void requested.push(request.url()))
  const message = page.getByLabel('Your message', { exact: true })
  await writeUnseen(message, 2_000_001)
  await fault.waitFor()
  await page.locator('button:disabled').filter({ hasText: 'Send' }).waitFor()
  await message.dispatchEvent('keydown', { key: 'Enter', bubbles: true })
  await writeUnseen(message, 0)
  await fault.waitFor({ state: 'detached' })
  await page.locator('.turn-said').first().getByRole('button', { name: 'Edit' }).click()
  const edited = page.getByLabel('Edit your message')
  await writeUnseen(edited, 2_000_001)
  await fault.waitFor()
  assert.equal(await edited.getAttribute('aria-invalid'), 'true')
  await page.locator('.turn-edit button:disabled').filter({ hasText: 'Send' }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await answers(page).getByText('Short it is.').waitFor()
  assert.deepEqual(
    requested.filter((url) => url.includes('/v1/chat/completions')),
    [],
  )
})

test('an oversized text file is rejected by name', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Chat')
  const buffer = Buffer.alloc(1_000_001, 'a')
  await page.getByLabel('Files to attach').setInputFiles({ name: 'long.txt', mimeType: 'text/plain', buffer })
  await page.getByText('long.txt is larger than 1 MB; attach a part of it.').waitFor()
})

test('a conversation is exported as Markdown and as JSON', { skip }, async () => {
  const { page } = visit()
  await converse(page, 'Say it.', 'It is **said**.')
  for (const [name, expected] of [
    ['Markdown', /^# Say it\.\n\n\*\*You:\*\*\n\nSay it\.\n/],
    ['JSON', /"content": "It is \*\*said\*\*\."/],
  ] as const) {
    await page.getByRole('button', { name: 'Export' }).click()
    const downloading = page.waitForEvent('download')
    await page.getByRole('dialog').getByRole('button', { name }).click()
    const download = await downloading
    assert.match(await readFile(await download.path(), 'utf8'), expected)
    await page.keyboard.press('Escape')
  }
})

test('messages are marked as not stored while the service is down, and stored once it is up', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Chat')
  await page.getByRole('button', { name: 'New conversation' }).click()
  await list(page).getByRole('link').first().waitFor()
  const stored = /\/console\/api\/conversations/
  await page.route(stored, (route) => route.abort())
  await haveAnswered(page, 'Kept later.')
  await page.getByText('Not saved yet').waitFor()
  // The list stays while it cannot be read again.
  await list(page).getByRole('alert').waitFor()
  await list(page).getByRole('link').first().waitFor()
  await page.unroute(stored)
  await page.getByText('Not saved yet').waitFor({ state: 'detached' })
  await list(page).getByRole('link', { name: 'Go on.', exact: true }).waitFor()
  await page.reload()
  await answers(page).getByText('Kept later.').waitFor()
})

test('an unknown conversation is reported', { skip }, async () => {
  const { page } = visit()
  await page.goto(new URL(`/console/chat/${'z'.repeat(24)}`, page.url()).href)
  await page.getByText('This conversation does not exist').waitFor()
})

test('the list is grouped by day and fills its column; conversations can be archived and restored', { skip }, async () => {
  const { page } = visit()
  await page.goto(`${new URL(page.url()).origin}/console/chat`)
  await converse(page, 'Archive this one.', 'As you wish.')
  const column = page.getByRole('complementary')
  await column.getByRole('heading', { name: 'Today' }).waitFor()
  const entry = column.getByRole('listitem').filter({ hasText: 'Archive this one.' })
  await entry.hover()
  await entry.getByRole('button', { name: 'Archive' }).click()
  await entry.waitFor({ state: 'detached' })
  // A search finds it nevertheless, and shows where it is.
  await page.getByLabel('Search conversations').fill('as you wish')
  await entry.hover()
  await entry.getByRole('link', { name: /^Archive this one\.\s*, archived As you wish\.$/ }).waitFor()
  await entry.locator('mark', { hasText: /^As you wish$/ }).waitFor()
  await entry.getByRole('button', { name: 'Unarchive' }).waitFor()
  await page.getByLabel('Search conversations').fill('')
  await page.getByRole('complementary').getByRole('button', { name: 'Archived conversations', exact: true }).click()
  await column.getByRole('heading', { name: 'Archived conversations', exact: true }).waitFor()
  await entry.hover()
  await entry.getByRole('button', { name: 'Unarchive' }).click()
  await page.getByText('No archived conversations').waitFor()
  await page.getByRole('button', { name: 'Back to the list' }).click()
  await column.getByRole('heading', { name: 'Archived conversations', exact: true }).waitFor({ state: 'detached' })
  await entry.waitFor()
  const height = async (of: string) => (await page.locator(of).boundingBox())?.height ?? 0
  await page.getByRole('complementary').locator('summary', { hasText: 'Settings' }).click()
  await eventually(async () => assert.ok((await height('aside .history')) > 0.8 * (await height('.workbench > aside'))))
  await page.getByRole('complementary').locator('summary', { hasText: 'Settings' }).click()
})

test('exported JSON is imported as a new conversation', { skip }, async () => {
  const { page } = visit()
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'JSON', exact: true }).click()
  const path = await (await saved).path()
  await page.keyboard.press('Escape')
  const before = page.url()
  await page.getByRole('complementary').getByLabel('Exported conversation').setInputFiles(path)
  await eventually(async () => assert.notEqual(page.url(), before))
  await answers(page).getByText('As you wish.').waitFor()
  await page.reload()
  await answers(page).getByText('As you wish.').waitFor()
  await page
    .getByRole('complementary')
    .getByLabel('Exported conversation')
    .setInputFiles({ name: 'x.json', mimeType: 'application/json', buffer: Buffer.from('{}') })
  await page.getByText('x.json isn’t a conversation exported as JSON.').waitFor()
})

test('the page header names the model on a phone', { skip }, async () => {
  const { page } = visit()
  const name = page.locator('.chat-model')
  assert.equal(await name.isVisible(), false)
  await page.setViewportSize({ width: 360, height: 780 })
  await name.filter({ hasText: /\w/ }).waitFor()
  assert.deepEqual(await findBarriers(page), [])
  await page.setViewportSize({ width: 1280, height: 860 })
})

test('a very long message is shortened, and shown in full on request', { skip }, async () => {
  const { page } = visit()
  await converse(page, `${'A long story. '.repeat(2000)}The end.`, 'I see.')
  const said = page.locator('.turn-user').last()
  assert.doesNotMatch((await said.textContent()) ?? '', /The end/)
  await said.getByRole('button', { name: 'Show the whole message' }).click()
  await said.getByText('The end.').waitFor()
  assert.equal(await said.getByRole('button').count(), 0)
})
