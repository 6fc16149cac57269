import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { becomeOwner, draw, openPage, shownEntry } from './support/console-visit.ts'
import { eventually } from './support/eventually.ts'
import { untilTrue } from './support/until-true.ts'
import { useConsole } from './support/use-console.ts'
import { answerNext, haveAnswered } from './support/written-answer.ts'

const { skip, visit } = useConsole(becomeOwner)

/** The accessible name of the focused element. */
async function focused(page: Page): Promise<string> {
  const name =
    "(document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.labels?.[0]?.textContent ?? document.activeElement?.textContent ?? '')"
  return (await page.evaluate<string>(`document.activeElement === document.body ? 'nothing' : ${name}`)).trim()
}

/** Waits until something of this name has the focus. */
async function assertFocused(page: Page, name: string): Promise<void> {
  await eventually(async () => assert.equal(await focused(page), name))
}

/** Waits until something has the focus. */
async function assertSomethingFocused(page: Page): Promise<void> {
  await eventually(async () => assert.notEqual(await focused(page), 'nothing'))
}

/** Presses something by key. */
async function press(of: Locator, key = 'Enter'): Promise<void> {
  // A key first, so that the browser knows how it is used.
  await of.press('Shift')
  await of.press(key)
}

async function beginConversation(page: Page): Promise<void> {
  await openPage(page, 'Chat')
  const another = page.getByRole('button', { name: 'New conversation' })
  if (await another.isVisible()) await another.click()
}

test('editing a message focuses the box, and afterwards the message', { skip }, async () => {
  const { page } = visit()
  await beginConversation(page)
  await haveAnswered(page, 'An answer.')
  await press(page.getByRole('button', { name: 'Edit', exact: true }))
  await assertFocused(page, 'Edit your message')
  await page.keyboard.type(' Or not.')
  await openPage(page, 'Models')
  await openPage(page, 'Chat')
  await eventually(async () => assert.equal(await page.getByLabel('Edit your message').inputValue(), 'Go on. Or not.'))
  await press(page.getByRole('button', { name: 'Cancel' }))
  await assertSomethingFocused(page)
})

test('editing starts with the caret at the end; Escape cancels, and Ctrl+Enter sends', { skip }, async () => {
  const { page } = visit()
  await beginConversation(page)
  await haveAnswered(page, 'An answer.')
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await assertFocused(page, 'Edit your message')
  await page.keyboard.type(' Dropped.')
  await page.keyboard.press('Escape')
  await page.getByLabel('Edit your message').waitFor({ state: 'detached' })
  await page
    .locator('.turn-user')
    .filter({ hasText: /Go on\.$/ })
    .waitFor()
  await assertFocused(page, 'Edit')
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await page.getByLabel('Edit your message').fill('Go on.')
  await page.keyboard.type(' Further.')
  await page.keyboard.press('Control+Enter')
  await page.locator('.turn-user').filter({ hasText: 'Go on. Further.' }).waitFor()
})

test('a key steps through the versions of an answer', { skip }, async () => {
  const { page } = visit()
  await beginConversation(page)
  await haveAnswered(page, 'First.')
  for (const text of ['Second.', 'Third.']) {
    await answerNext(page, text)
    await press(page.getByRole('button', { name: 'Regenerate' }))
    await page.locator('.turn-answer').getByText(text).waitFor()
  }
  await press(page.getByRole('button', { name: 'Earlier version' }))
  await page.getByText('2 of 3').waitFor()
  await assertFocused(page, 'Earlier version')
  await page.keyboard.press('Enter')
  await page.getByText('1 of 3').waitFor()
  await assertFocused(page, 'Later version')
  await page.keyboard.press('Enter')
  await page.getByText('2 of 3').waitFor()
})

test('an undo by keyboard restores a deleted item, and keeps the focus nearby', { skip }, async () => {
  const { page } = visit()
  await beginConversation(page)
  await haveAnswered(page, 'To stay.')
  await press(page.getByRole('button', { name: 'Delete', exact: true }).last())
  await page.getByText('To stay.').waitFor({ state: 'detached' })
  await assertSomethingFocused(page)
  await page.keyboard.press('Control+z')
  await page.locator('.turn-answer').getByText('To stay.').waitFor()
  await press(shownEntry(page).getByRole('button', { name: 'Delete conversation' }))
  await page.getByText('Conversation deleted.').waitFor()
  await assertSomethingFocused(page)
})

test('closing messages by keyboard moves the focus to the next one, then back to where it was, or to the heading', { skip }, async () => {
  const page = await visit().context.newPage()
  await page.goto(visit().page.url())
  // The messages would otherwise disappear by themselves after ten seconds.
  await page.evaluate('{ const set = setTimeout; window.setTimeout = (run, ms, ...rest) => (ms === 10_000 ? 0 : set(run, ms, ...rest)) }')
  await beginConversation(page)
  await haveAnswered(page, 'To go.')
  const messages = page.locator('.toast')
  const close = messages.first().getByRole('button', { name: 'Close' })
  await press(page.getByRole('button', { name: 'Delete', exact: true }).last())
  await messages.waitFor()
  await press(shownEntry(page).getByRole('button', { name: 'Delete conversation' }))
  await messages.nth(1).waitFor()
  // The dialog moves the focus when it closes.
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await assertSomethingFocused(page)
  const link = page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Gallery' })
  await link.focus()
  await press(close)
  await messages.nth(1).waitFor({ state: 'detached' })
  await assertFocused(page, 'Close')
  await page.keyboard.press('Enter')
  await messages.waitFor({ state: 'detached' })
  await assertFocused(page, 'Gallery')

  await beginConversation(page)
  await haveAnswered(page, 'To go, too.')
  await press(page.getByRole('button', { name: 'Delete', exact: true }).last())
  await messages.waitFor()
  await page.evaluate('{ const gone = document.createElement("button"); gone.id = "gone"; document.body.append(gone); gone.focus() }')
  await close.focus()
  await page.evaluate('document.getElementById("gone").remove()')
  await page.keyboard.press('Enter')
  await messages.waitFor({ state: 'detached' })
  await assertFocused(page, 'Chat')
  await untilTrue(page, "document.activeElement.matches('h1')")
  await page.close()
})

test('a dialog with a form focuses its first field and returns the focus', { skip }, async () => {
  const { page } = visit()
  await beginConversation(page)
  await haveAnswered(page, 'To be renamed.')
  await press(shownEntry(page).getByRole('button', { name: 'Rename' }))
  await page.getByRole('dialog').waitFor()
  await assertFocused(page, 'Name')
  await page.keyboard.press('Control+a')
  await page.keyboard.type('By key')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'By key' }).waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await assertFocused(page, 'Rename')
})

test('a picture is removed from the gallery by keyboard; the focus moves to the next', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Images')
  for (const prompt of ['a red apple', 'a green apple']) {
    await draw(page, prompt)
    await page.locator('.run[data-state=done]').getByRole('heading', { name: prompt }).waitFor()
  }
  await openPage(page, 'Gallery')
  await page.locator('.gallery li').nth(1).waitFor()
  await press(page.getByRole('button', { name: 'Remove from the gallery' }).first())
  await page.locator('.gallery li').nth(1).waitFor({ state: 'detached' })
  await assertSomethingFocused(page)
})

test('following a link within the console moves the focus to the new page', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Access tokens')
  await openPage(page, 'Gallery')
  await press(page.locator('.gallery button.plate-picture').first())
  await press(page.getByRole('link', { name: 'View request' }))
  await page.getByRole('heading', { level: 1, name: 'Request', exact: true }).waitFor()
  await untilTrue(page, "document.activeElement?.closest('#main') !== null")
})

test('an announcement during an open dialog is made inside it', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Gallery')
  await page.locator('.gallery button.plate-picture').first().click()
  await page.getByRole('button', { name: 'Use as starting image' }).waitFor()
  await page.route('**/console/api/outputs/**', (route) => route.abort())
  await page.getByRole('button', { name: 'Use as starting image' }).click()
  await page.getByRole('dialog').locator('.toast').getByText('The server isn’t responding.').waitFor()
  await page.unroute('**/console/api/outputs/**')
})
