import { test } from 'node:test'
import { byKeys } from './support/by-keys.ts'
import { becomeOwner } from './support/console-visit.ts'
import { offerModel } from './support/offer-model.ts'
import { useConsole } from './support/use-console.ts'

const { skip, visit } = useConsole(becomeOwner)

test('a model is pulled by address, watched and removed by keyboard', { skip }, async () => {
  const { page } = visit()
  await using offered = await offerModel({ id: 'second-chat', from: 'sepia-mini-chat' })
  const keys = await byKeys(page)
  await keys.press(page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Models', exact: true }))
  await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor()
  const open = page.getByRole('button', { name: 'Pull a model' })
  await keys.press(open)
  await keys.stand(page.getByLabel('Search Hugging Face, or paste'))
  await page.keyboard.type(offered.address)
  await page.keyboard.press('Enter')
  await keys.expectAnnounced('Pull started.')
  await keys.stand(open)
  offered.release()
  await keys.expectAnnounced('is ready to use.')
  await keys.press(page.getByRole('button', { name: /^Dismiss/ }))
  await keys.expectAnnounced('Pull cleared.')
  const second = page.locator('article.sheet').filter({ has: page.getByText('second-chat', { exact: true }) })
  await keys.press(second.getByRole('button', { name: 'Remove' }))
  await keys.press(page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }))
  await keys.expectAnnounced('Model removed.')
  await second.waitFor({ state: 'detached' })
})

test('a model is unloaded, loaded and tried by keyboard', { skip }, async () => {
  const { page } = visit()
  const keys = await byKeys(page)
  await keys.press(page.getByRole('button', { name: 'Load Sepia Mini Chat', exact: true }))
  await keys.expectAnnounced('Model loaded.')
  await keys.stand(page.getByRole('button', { name: 'Unload Sepia Mini Chat' }))
  await page.keyboard.press('Enter')
  await keys.expectAnnounced('Model unloaded.')
  await keys.press(page.getByRole('button', { name: 'Try it Sepia Mini Image' }))
  await keys.stand(page.getByRole('heading', { level: 1, name: 'Images' }))
  await keys.to(page.getByLabel('Prompt', { exact: true }))
})
