import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { becomeOwner, draw, openPage } from './support/console-visit.ts'
import { eventually } from './support/eventually.ts'
import { useConsole } from './support/use-console.ts'

const { skip, visit } = useConsole(becomeOwner)

/** Presses Draw with everything around it as it is, and gives back what was sent. */
async function sentBody(page: Page): Promise<Record<string, unknown>> {
  const sent = page.waitForRequest((request) => request.url().endsWith('/generate/sdxl'))
  await page.getByRole('button', { name: 'Draw', exact: true }).click()
  const body = (await sent).postDataJSON()
  await page.locator('.run').first().and(page.locator('[data-state=done]')).waitFor()
  return body
}

test('the Draw button is visible with every setting open, and the drawing scrolls into view', { skip }, async () => {
  const { page } = visit()
  await openPage(page, 'Images')
  for (const title of ['Sampling', 'Text encoders', 'File and log']) await page.locator('.fold summary', { hasText: title }).click()
  for (const viewport of [
    { width: 1280, height: 700 },
    { width: 768, height: 900 },
    { width: 360, height: 740 },
  ]) {
    await page.setViewportSize(viewport)
    const button = page.getByRole('button', { name: 'Draw', exact: true })
    for (const place of ['0', 'document.body.scrollHeight / 4']) {
      await page.evaluate(`window.scrollTo(0, ${place})`)
      await eventually(async () => assert.ok(await isInSight(page, '.draw-bar .button'), `at ${viewport.width} px, scrolled to ${place}`))
    }
    await draw(page, `a red apple at ${viewport.width}`)
    await page.locator('.run', { hasText: `at ${viewport.width}` }).waitFor()
    // The board scrolls once it was rendered again.
    await eventually(async () => assert.ok(await isInSight(page, '.run h2'), `the drawing at ${viewport.width} px`))
    await page.locator('.run').first().and(page.locator('[data-state=done]')).waitFor()
    await button.waitFor()
  }
  await page.setViewportSize({ width: 1280, height: 860 })
})

test('the model is at the top, and sizes have the names of their shapes', { skip }, async () => {
  const { page } = visit()
  await eventually(async () => assert.equal(await page.locator('.studio-fields label').first().textContent(), 'Model'))
  await page.getByLabel('16:9').check()
  const { width, height } = await sentBody(page)
  assert.ok(Math.abs(Number(width) / Number(height) - 16 / 9) < 0.05)
})

test('a custom size is drawn, and an unsupported one is reported and not sent', { skip }, async () => {
  const { page } = visit()
  await page.getByLabel('Custom').check()
  await page.getByLabel('Width').fill('100')
  await page.getByText('Multiples of 8 from 64 to 2048.').waitFor()
  await page.getByRole('button', { name: 'Draw', exact: true, disabled: true }).waitFor()
  assert.equal(await page.getByLabel('Width').inputValue(), '100')
  await page.getByLabel('Width').fill('104')
  await page.getByLabel('Height').fill('72')
  await page.getByRole('button', { name: 'Swap width and height' }).click()
  const { width, height } = await sentBody(page)
  assert.deepEqual([width, height], [72, 104])
})

test('a style is chosen by its thumbnail', { skip }, async () => {
  const { page } = visit()
  await page.locator('.style-choice').click()
  await page.getByLabel('Search styles').fill('film noir')
  await page.getByRole('button', { name: 'Film noir' }).click()
  assert.equal((await sentBody(page)).style_preset, 'film-noir')
  await page.locator('.style-choice').click()
  await page.getByRole('button', { name: 'None' }).click()
})

test('second prompts, clip skip, guidance rescale and the log setting are sent if the model supports them', { skip }, async () => {
  const { page } = visit()
  await page.getByLabel('Second prompt').fill('glossy')
  await page.getByLabel('Second negative prompt').fill('frame')
  await page.getByLabel('Guidance rescale', { exact: true }).fill('0.5')
  await page.getByLabel('Write the prompt to the log').check()
  const { prompt_2, negative_prompt_2, guidance_rescale, log_prompt } = await sentBody(page)
  assert.deepEqual([prompt_2, negative_prompt_2, guidance_rescale, log_prompt], ['glossy', 'frame', 0.5, true])
  assert.equal(await page.getByText('LoRAs and other weights').count(), 0, 'the built-in model takes none')
})

test('settings that need guidance are neither shown nor sent without it', { skip }, async () => {
  const { page } = visit()
  await page.getByLabel('Guidance', { exact: true }).fill('1')
  await page.getByLabel('Negative prompt').waitFor({ state: 'detached' })
  const { negative_prompt_2, guidance_rescale } = await sentBody(page)
  assert.deepEqual([negative_prompt_2, guidance_rescale], [undefined, undefined])
  await page.getByLabel('Guidance', { exact: true }).fill('5')
})

test('a picture is extended in a larger frame', { skip }, async () => {
  const { page } = visit()
  await page.getByLabel('1:1').check()
  await page.getByRole('button', { name: 'Use as starting image' }).first().click()
  await page.getByRole('button', { name: 'Extend (outpaint)' }).click()
  const dialog = page.getByRole('dialog', { name: 'Extend the image' })
  await dialog.getByRole('button', { name: 'Close' }).and(page.locator(':focus')).waitFor()
  await dialog.getByLabel('Left').check()
  await dialog.getByRole('button', { name: 'Use this frame' }).click()
  await page.getByText('The area around the image is drawn.').waitFor()
  await page.getByLabel('Inpaint at full resolution').check()
  const { outpainting, inpaint_full_res, mask_image } = await sentBody(page)
  assert.deepEqual([outpainting, inpaint_full_res], [true, true])
  assert.match(String(mask_image), /^iVBOR/)
  await page.getByRole('button', { name: 'Remove' }).click()
})

function isInSight(page: Page, selector: string): Promise<boolean> {
  return page.evaluate<boolean>(`(() => {
    const box = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect()
    return box.top >= 0 && box.bottom <= innerHeight + 1
  })()`)
}
