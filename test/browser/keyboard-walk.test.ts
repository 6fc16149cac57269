import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { becomeOwner, draw, openPage } from './support/console-visit.ts'
import { useConsole } from './support/use-console.ts'
import { haveAnswered, writeNextAnswer } from './support/written-answer.ts'

const { skip, visit } = useConsole(becomeOwner)

/** Waits for an announcement to screen readers. */
async function expectAnnounced(page: Page, text: string): Promise<void> {
  await page.locator('[aria-live=polite], [role=status]').filter({ hasText: text }).first().waitFor({ state: 'attached' })
}

const focusIsOn = (page: Page, selector: string) => page.locator(`${selector}:focus`).waitFor()

test('the skip link leads past the navigation', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Requests')
  await page.getByRole('link', { name: 'Skip to content' }).press('Enter')
  await focusIsOn(page, '#main')
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate("document.activeElement.closest('#main') !== null"), true)
  assert.equal(new URL(page.url()).pathname, '/console/requests')
})

test('a text file is labelled with its action, and announced when added and removed', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Chat')
  const file = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('The fox is red.') }
  await page.getByLabel('Files to attach').setInputFiles(file)
  await expectAnnounced(page, 'Attached: notes.txt')
  await page.getByRole('button', { name: 'Remove notes.txt' }).press('Enter')
  await expectAnnounced(page, 'notes.txt is removed.')
})

test('an answer is announced in words, and so is each selected version', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Chat')
  await haveAnswered(page, '# A heron\n\nIt is **grey**.')
  await expectAnnounced(page, 'A heron It is grey.')
  const second = await writeNextAnswer(page)
  await page.getByRole('button', { name: 'Regenerate' }).last().press('Enter')
  await second.write('- a *wren*')
  await second.end()
  await expectAnnounced(page, 'a wren')
  await page.getByRole('button', { name: 'Earlier version' }).press('Enter')
  await expectAnnounced(page, 'A heron It is grey.')
  await page.getByRole('button', { name: 'New conversation' }).click()
})

test('a stopped answer and an undo are announced', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Chat')
  await haveAnswered(page, 'An answer.')
  await writeNextAnswer(page)
  await page.getByLabel('Your message').fill('And now?')
  await page.keyboard.press('Enter')
  await page.locator('.turn-answer[data-state=writing]').waitFor()
  await page.keyboard.press('Escape')
  await expectAnnounced(page, 'stopped by you')
  await page.getByRole('button', { name: 'Delete', exact: true }).last().press('Enter')
  await page.keyboard.press('Control+z')
  await expectAnnounced(page, 'Undone.')
})

test('a finished drawing is announced; the style is labelled', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Images')
  await page.getByRole('button', { name: 'Style None' }).waitFor()
  await draw(page, 'a red apple')
  await page.locator('.run[data-state=done] img').waitFor()
  await expectAnnounced(page, 'The drawing is done.')
})

test('focus can leave the mask in both directions, and its keys are announced', { skip }, async () => {
  const { page } = visit()
  await page.getByRole('button', { name: 'Use as starting image' }).press('Enter')
  await page.getByRole('button', { name: 'Paint a mask' }).press('Enter')
  const mask = page.getByRole('application', { name: 'The mask' })
  await mask.and(page.locator(':focus')).waitFor()
  await page.keyboard.down('Space')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.up('Space')
  const answers = [
    ['Control+z', 'Undone.'],
    ['Control+y', 'Redone.'],
    ['e', 'The brush erases.'],
    [']', 'Brush: 14 percent of the image'],
  ] as const
  for (const [key, text] of answers) {
    await page.keyboard.press(key)
    await expectAnnounced(page, text)
  }
  const focuses = [
    ['Tab', '[aria-label="Brush, slider"]'],
    ['Shift+Tab', 'canvas'],
    ['Shift+Tab', '.dialog-head button'],
  ] as const
  for (const [key, selector] of focuses) {
    await page.keyboard.press(key)
    await focusIsOn(page, selector)
  }
  await page.getByRole('button', { name: 'Use this mask' }).press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})
