import { type Album, becomeOwnerIn } from './album.ts'

/** Drawing, and what was drawn. */
export async function takeImages(album: Album): Promise<void> {
  const { page, say, take, open } = album
  await becomeOwnerIn(album)
  await open('images')
  const model = page.getByLabel(say('Model'), { exact: true })
  const draw = async (prompt: string) => {
    await page.getByLabel(say('Prompt'), { exact: true }).fill(prompt)
    await page.getByRole('button', { name: say('Draw'), exact: true }).click()
  }
  await model.selectOption('dead-images')
  await draw('a glossy pear on a beige background')
  await page.locator('.run[data-state=failed]').waitFor({ timeout: 60_000 })
  await take('images-failed-drawing')
  await model.selectOption('sepia-mini-image')
  await page.getByLabel(say('Images'), { exact: true }).fill('4')
  for (const prompt of ['a glossy strawberry on a cream background', 'a glossy tiger on a light blue background']) {
    await draw(prompt)
    await page
      .locator('.studio-board .run')
      .filter({ hasText: prompt })
      .and(page.locator('[data-state=done]'))
      .waitFor({ timeout: 120_000 })
  }
  await take('images')
  await page.locator('.style-choice').click()
  await page.getByRole('dialog').waitFor()
  await take('styles')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: say('X/Y grid') }).click()
  await page.getByRole('dialog').waitFor()
  await take('grid')
  await page.keyboard.press('Escape')
  await page.getByLabel(say('Images'), { exact: true }).fill('1')
  await draw('a glossy fox on a beige background')
  await page
    .locator('.run')
    .first()
    .getByText(/ ([6-9]|1\d) \p{L}+ 20/u)
    .waitFor()
  await take('images-drawing')
  await page
    .getByRole('button', { name: say('Use as starting image') })
    .last()
    .click()
  // It would follow into the dialogs.
  await page
    .locator('.toast')
    .getByRole('button', { name: say('Close') })
    .click()
  await page.getByRole('button', { name: say('Extend (outpaint)') }).click()
  await page.getByRole('dialog').waitFor()
  await take('extend')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: say('Paint a mask') }).click()
  const canvas = page.locator('.painter canvas')
  await canvas.hover({ position: { x: 70, y: 60 } })
  await page.mouse.down()
  for (const [x, y] of [
    [130, 50],
    [180, 70],
    [130, 90],
    [80, 80],
  ] as const)
    await canvas.hover({ position: { x, y } })
  await page.mouse.up()
  await take('mask')
  await page.keyboard.press('Escape')
  await page.locator('.toasts:not(:has(.toast))').waitFor({ state: 'attached' })

  await open('gallery')
  await page.locator('.gallery .plate-picture').first().waitFor()
  await take('gallery')
  await page.locator('.gallery .plate-picture').nth(2).click()
  await page.getByRole('button', { name: say('Use its settings') }).waitFor()
  await take('picture')
  await page.keyboard.press('Escape')
}
