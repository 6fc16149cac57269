import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { byKeys } from './support/by-keys.ts'
import { becomeOwner, draw, openPage } from './support/console-visit.ts'
import { useConsole } from './support/use-console.ts'

const { skip, visit } = useConsole(async (started) => {
  await becomeOwner(started)
  await openPage(started.page, 'Images')
  for (const prompt of ['a red apple', 'a green apple']) {
    await draw(started.page, prompt)
    await started.page.locator('.run[data-state=done]').getByRole('heading', { name: prompt }).waitFor()
  }
})

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const link = (page: Page, name: string) => page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name, exact: true })

test('pictures are browsed by keyboard, and the current one is announced', { skip }, async () => {
  const { page } = visit()
  const keys = await byKeys(page)
  await keys.press(link(page, 'Gallery'), 'Shift+Tab')
  const first = page.locator('.gallery button.plate-picture').first()
  await keys.press(first)
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('ArrowRight')
  await keys.expectAnnounced('Image 2 of 2: a red apple')
  await page.keyboard.press('ArrowLeft')
  await keys.expectAnnounced('Image 1 of 2: a green apple')
  await keys.press(button(page, 'Next'))
  await keys.expectAnnounced('Image 2 of 2')
  await keys.stand(button(page, 'Next'))
  await page.keyboard.press('+')
  await keys.expectAnnounced('Shown at 200 percent')
  await keys.press(button(page, 'Larger'))
  await keys.press(button(page, 'Larger'))
  await keys.expectAnnounced('Shown at 800 percent')
  await keys.stand(button(page, 'Smaller'))
  await page.keyboard.press('Escape')
  await keys.stand(first)
})

test('a picture is kept, deleted and removed from the gallery by keyboard', { skip }, async () => {
  const { page } = visit()
  const keys = await byKeys(page)
  await keys.press(button(page, 'Save').first())
  await keys.expectAnnounced('Saved until you delete it.')
  // Not on the button that removes the picture, which Enter would press.
  await keys.stand(page.locator('.gallery li').first().getByRole('checkbox'))
  await keys.press(button(page, 'Remove from the gallery').last())
  await keys.expectAnnounced('Removed from the gallery')
  await page.keyboard.press('Control+z')
  await keys.expectAnnounced('Undone.')
  await page.locator('.gallery li').nth(1).waitFor()
})

test('a request is run again and shown as code by keyboard', { skip }, async () => {
  const { page } = visit()
  const keys = await byKeys(page)
  await keys.press(link(page, 'Requests'), 'Shift+Tab')
  await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor()
  await keys.press(page.getByRole('link', { name: /a green apple/ }).first())
  await page.getByRole('heading', { level: 1, name: 'Request', exact: true }).waitFor()
  await keys.press(button(page, 'Show as code'))
  await keys.stand(button(page, 'Show as JSON'))
  await keys.to(page.getByRole('tab').first())
  await page.keyboard.press('ArrowRight')
  await keys.stand(page.getByRole('tab').nth(1))
  const before = page.url()
  await keys.press(button(page, 'Run again'), 'Shift+Tab')
  await keys.expectAnnounced('Request sent again')
  await page.waitForURL((url) => url.href !== before)
  await keys.stand(page.getByRole('heading', { level: 1, name: 'Request', exact: true }))
})

test('a grid is drawn by keyboard, and its end is announced', { skip }, async () => {
  const { page } = visit()
  const keys = await byKeys(page)
  await keys.press(link(page, 'Images'), 'Shift+Tab')
  await keys.press(button(page, 'X/Y grid'))
  await page.getByRole('dialog').waitFor()
  await keys.to(page.getByRole('dialog').getByLabel('Values across'))
  await page.keyboard.press('Control+a')
  await page.keyboard.type('1, 2')
  await keys.press(page.getByRole('dialog').getByRole('button', { name: /^Draw/ }))
  await page.locator('.grid-run').first().waitFor()
  await keys.expectAnnounced('6 of 6 images')
})
