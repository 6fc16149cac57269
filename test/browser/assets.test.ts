import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readGoldenCheckpoints } from '../support/model-files/golden-checkpoints.ts'
import { becomeOwner, openPage } from './support/console-visit.ts'
import { eventually } from './support/eventually.ts'
import { findBarriers } from './support/find-barriers.ts'
import { assertFits, settle } from './support/settle.ts'
import { untilTrue } from './support/until-true.ts'
import { useConsole } from './support/use-console.ts'

const { skip, visit } = useConsole()

test('a dropped LoRA is recognized, uploaded, and shown with its trigger words and picture', { skip }, async () => {
  const { page } = visit()
  await becomeOwner(visit())
  await openPage(page, 'LoRAs & checkpoints')
  const lora = (await readGoldenCheckpoints()).get('lora-peft.safetensors')
  assert.ok(lora)
  const dropped = `(() => {
    const bytes = Uint8Array.from(atob('${lora.toString('base64')}'), (letter) => letter.charCodeAt(0))
    const data = new DataTransfer()
    data.items.add(new File([bytes], 'My look.safetensors'))
    return data
  })()`
  const transfer = await page.evaluateHandle(dropped)
  await page.dispatchEvent('.drop-zone', 'drop', { dataTransfer: transfer })
  await page.getByRole('heading', { name: 'Upload a LoRA' }).waitFor()
  await page.getByText('For SDXL.').waitFor()
  await eventually(async () => assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'My-look'))
  await page.getByLabel('Trigger words').fill('sks, in my look')
  assert.deepEqual(await findBarriers(page), [])
  await page.getByRole('button', { name: 'Upload' }).click()
  const card = page.locator('.asset')
  await card.getByText('ready').waitFor()
  await card.getByText('sks, in my look').waitFor()
  const { default: sharp } = await import('sharp')
  const picture = await sharp({ create: { width: 900, height: 600, channels: 3, background: '#a06040' } })
    .png()
    .toBuffer()
  await card.locator('input[type=file]').setInputFiles({ name: 'look.png', mimeType: 'image/png', buffer: picture })
  const shown = card.getByRole('img', { name: 'What My-look does' })
  await shown.waitFor()
  await untilTrue(page, `document.querySelector('.asset-picture').naturalWidth === 320`)
})

test('the page fits on a small phone', { skip }, async () => {
  const { page } = visit()
  await page.setViewportSize({ width: 360, height: 740 })
  await settle(page)
  await assertFits(page)
  assert.deepEqual(await findBarriers(page), [])
  await page.setViewportSize({ width: 1280, height: 800 })
})

test('a pickle file is rejected before the upload, and a deleted file is gone', { skip }, async () => {
  const { page } = visit()
  const choose = page.locator('.drop-zone input')
  await choose.setInputFiles({ name: 'old.ckpt', mimeType: 'application/octet-stream', buffer: Buffer.from('PK') })
  await page.getByText('old.ckpt isn’t a .safetensors file').waitFor()
  await page.getByRole('button', { name: 'Delete My-look' }).click()
  await page.getByRole('button', { name: 'Delete for good My-look' }).click()
  await page.getByText('Nothing uploaded yet').waitFor()
})
