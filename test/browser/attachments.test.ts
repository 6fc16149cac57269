import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { becomeOwner, visitConsole } from './support/console-visit.ts'
import { eventually } from './support/eventually.ts'
import { keepConversation } from './support/keep-conversation.ts'
import { withoutChromium } from './support/open-chromium.ts'
import { writePdf } from './support/written-pdf.ts'

const letters = (name: string, count: number) => ({ name, mimeType: 'text/plain', buffer: Buffer.alloc(count, 'a') })

test('attachments over the total limit are reported before they are sent', { skip: withoutChromium }, async () => {
  await using visit = await visitConsole(['--body-limit', '100kb'])
  const { page } = visit
  await becomeOwner(visit)
  const refused: string[] = []
  page.on('response', (response) => void (response.status() === 413 && refused.push(response.url())))
  const chooser = page.getByLabel('Files to attach')
  const send = page.getByRole('button', { name: 'Send', exact: true })
  const takeOut = (name: string) => page.getByRole('button', { name: `Remove ${name}` }).click()
  await chooser.setInputFiles([letters('first.txt', 40_000), letters('largest.txt', 60_000), letters('last.txt', 20_000)])
  await page.getByLabel('Your message', { exact: true }).fill('Hello.')
  const alone = page.getByText(/^This message has 121 kB; the service accepts at most 102 kB\. Remove largest\.txt \(60\.\d kB\)\.$/)
  await alone.waitFor()
  await send.and(page.locator(':disabled[title*="Remove largest.txt"][aria-description*="Remove largest.txt"]')).waitFor()
  await page.getByLabel('Your message', { exact: true }).press('Enter')
  await takeOut('largest.txt')
  await alone.waitFor({ state: 'detached' })
  await send.click()
  await page.locator('.turn-answer:is([data-state=done], [data-state=cut], [data-state=failed])').waitFor()

  await send.and(page.locator(':disabled[title="Write a message first."]')).waitFor()
  const removeAll = page.getByRole('button', { name: 'Remove all' })
  await chooser.setInputFiles([letters('one.txt', 10), letters('other.txt', 10)])
  await removeAll.click()
  await page.getByRole('list', { name: 'Attached' }).waitFor({ state: 'detached' })
  await chooser.setInputFiles([letters('second.txt', 60_000)])
  await page.getByLabel('Your message', { exact: true }).fill('And now?')
  await page.getByText(/^With the earlier messages, .+ Remove second\.txt \(60\.\d kB\), or start a new conversation\.$/).waitFor()
  await send.and(page.locator(':disabled')).waitFor()
  assert.equal(await removeAll.count(), 0)
  assert.deepEqual(refused, [])
})

test('a sent file is shown apart from the text, and does not cover the buttons below', {
  skip: withoutChromium,
}, async () => {
  await using visit = await visitConsole([])
  const { page } = visit
  await becomeOwner(visit)
  await page.setViewportSize({ width: 1280, height: 800 })
  const chooser = page.getByLabel('Files to attach')
  await chooser.setInputFiles([{ name: 'report.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4\n\0\x01') }])
  const message = page.locator('.toast').filter({ hasText: 'report.pdf' })
  await message.waitFor()
  const boxOf = async (found: Locator) => (await found.boundingBox()) ?? assert.fail('it is not shown')
  const [over, sheet] = [await boxOf(message), await boxOf(page.locator('.composer-sheet'))]
  assert.ok(over.y + over.height <= sheet.y, 'the message lies over where one writes')
  await message.getByRole('button', { name: 'Close' }).click()
  await message.waitFor({ state: 'detached' })
  await chooser.setInputFiles([letters('notes.txt', 100)])
  await page.getByLabel('Your message', { exact: true }).fill('What is in it?')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  const file = page.locator('.turn-user .chip').filter({ hasText: 'notes.txt' })
  await file.waitFor()
  // The page may scroll between the two looks.
  await eventually(async () => {
    const [name, bubble] = [await boxOf(file), await boxOf(page.locator('.turn-user'))]
    assert.ok(name.y - bubble.y > 30, 'its name stands behind the last word')
  })
})

test('attached files do not cover the end of the conversation', { skip: withoutChromium }, async () => {
  await using visit = await visitConsole([])
  const { page } = visit
  await becomeOwner(visit)
  await page.goto(`${new URL(page.url()).origin}/console/chat/${await keepConversation(page, 20)}`)
  const foot = page.locator('.turn-foot').last()
  await foot.waitFor()
  const chooser = page.getByLabel('Files to attach')
  const isCovered = `(() => {
    const [foot] = [...document.querySelectorAll('.turn-foot')].slice(-1)
    return foot.getBoundingClientRect().bottom > document.querySelector('.composer').getBoundingClientRect().top
  })()`
  await eventually(async () => assert.equal(await page.evaluate(isCovered), false, 'before'))
  await chooser.setInputFiles(Array.from({ length: 16 }, (_, index) => letters(`file-${index}.txt`, 10)))
  await page.getByRole('button', { name: 'Remove file-15.txt' }).waitFor()
  await eventually(async () => assert.equal(await page.evaluate(isCovered), false))
})

test('the text of a PDF is sent with a message; scanned and locked ones are rejected by name', { skip: withoutChromium }, async () => {
  await using visit = await visitConsole([])
  const { page, complaints } = visit
  await becomeOwner(visit)
  const pdf = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/pdf', buffer })
  const chooser = page.getByLabel('Files to attach')
  await chooser.setInputFiles([pdf('scan.pdf', writePdf(['', '']))])
  await page.getByText('scan.pdf contains no text, only images; attach images of its pages.').waitFor()
  await chooser.setInputFiles([pdf('locked.pdf', writePdf(['secret'], { locked: true }))])
  await page.getByText('locked.pdf is protected by a password; save it without one.').waitFor()
  await chooser.setInputFiles([pdf('report.pdf', writePdf(['The word is heron.', 'The other is owl.'])), letters('notes.txt', 3)])
  await page.getByRole('button', { name: 'Remove report.pdf' }).waitFor()
  await page.getByRole('button', { name: 'Remove notes.txt' }).waitFor()
  const requested = page.waitForRequest('**/v1/chat/completions')
  await page.getByLabel('Your message', { exact: true }).fill('What is the word?')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  assert.equal(
    JSON.parse((await requested).postData() ?? '{}').messages.at(-1).content,
    'What is the word?\n\nreport.pdf:\n```\nThe word is heron.\n\nThe other is owl.\n```\n\nnotes.txt:\n```\naaa\n```',
  )
  await page.locator('.turn-answer:is([data-state=done], [data-state=cut], [data-state=failed])').waitFor()
  assert.deepEqual(complaints, [])
})

test('a file that is longer than the context is named before it is sent, and stays named while its message is edited', {
  skip: withoutChromium,
}, async () => {
  await using visit = await visitConsole([])
  const { page } = visit
  await becomeOwner(visit)
  const chooser = page.getByLabel('Files to attach')
  const buffer = Buffer.from('one word after another. '.repeat(10_000))
  await chooser.setInputFiles([{ name: 'long.txt', mimeType: 'text/plain', buffer }])
  const fault = page.getByText('A message is longer than the model’s context. Shorten it, or remove a file.')
  await fault.waitFor()
  await page.getByRole('button', { name: 'Remove long.txt' }).click()
  await fault.waitFor({ state: 'detached' })
  await chooser.setInputFiles([letters('short.txt', 10)])
  await page.getByLabel('Your message', { exact: true }).fill('Hello.')
  await page.keyboard.press('Enter')
  await page.locator('.turn-said').getByRole('button', { name: 'Edit' }).click()
  const edited = page.locator('.turn-edit')
  await edited.getByRole('button', { name: 'Remove short.txt' }).click()
  await edited.getByRole('button', { name: 'Send' }).click()
  await page.getByText('2 of 2').first().waitFor()
  assert.equal(await page.locator('.said-files').count(), 0)
})
