import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { becomeOwner, visitConsole } from './support/console-visit.ts'
import { findBarriers } from './support/find-barriers.ts'
import { withoutChromium } from './support/open-chromium.ts'
import { openSeeingServer } from './support/seeing-server.ts'
import { untilTrue } from './support/until-true.ts'

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#c8641e' } })
    .png()
    .toBuffer()

/** Hands files to the page as the system does when something is pasted or dropped. */
async function handOver(page: Page, how: 'paste' | 'drop', file: Buffer, name: string): Promise<void> {
  const target = how === 'paste' ? "document.querySelector('.composer textarea')" : "document.querySelector('h1')"
  const event = how === 'paste' ? "new ClipboardEvent('paste', { clipboardData: data, " : "new DragEvent('drop', { dataTransfer: data, "
  await page.evaluate(`{
    const data = new DataTransfer()
    const bytes = Uint8Array.from(atob('${file.toString('base64')}'), (letter) => letter.charCodeAt(0))
    data.items.add(new File([bytes], '${name}', { type: 'image/png' }))
    ${target}.dispatchEvent(${event}bubbles: true, cancelable: true }))
  }`)
}

test('pictures are chosen, pasted and dropped for a vision model, shown, kept and exported', { skip: withoutChromium }, async () => {
  await using server = await openSeeingServer()
  await using visit = await visitConsole(['--models', server.folder])
  const { page } = visit
  await becomeOwner(visit)
  const panel = page.getByRole('complementary', { name: 'Conversations and settings' })
  const attached = page.getByRole('list', { name: 'Attached' })
  const chooser = page.getByLabel('Files to attach')
  await panel.getByLabel('Model', { exact: true }).selectOption('sepia-mini-chat')
  await chooser.setInputFiles({ name: 'small.png', mimeType: 'image/png', buffer: await picture(40, 20) })
  await page.getByText('Sepia Mini Chat can’t see images; choose Seeing Chat.').waitFor()
  assert.equal(await attached.count(), 0)

  await panel.getByLabel('Model', { exact: true }).selectOption('seeing-chat')
  await chooser.setInputFiles([
    { name: 'large.png', mimeType: 'image/png', buffer: await picture(4000, 2000) },
    { name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('no picture') },
  ])
  await page.getByText('This browser can’t read broken.png').waitFor()
  await handOver(page, 'paste', await picture(30, 30), 'pasted.png')
  await attached.getByRole('button', { name: 'Remove pasted.png' }).waitFor()
  await handOver(page, 'drop', await picture(20, 60), 'dropped.png')
  await attached.getByRole('button', { name: 'Remove dropped.png' }).waitFor()
  assert.deepEqual(await findBarriers(page), [])
  await attached.getByRole('button', { name: 'Remove pasted.png' }).click()
  await page.getByLabel('Your message').fill('What is this?')
  await page.keyboard.press('Enter')
  await page.locator('.turn-answer[data-state=done]').getByText('I see it.').waitFor()
  const content = server.requested.at(-1)?.messages.at(-1)?.content
  assert.ok(Array.isArray(content))
  assert.deepEqual(
    content.map(({ type }) => type),
    ['image_url', 'image_url', 'text'],
  )
  const sent = Buffer.from(content[0]?.image_url?.url.split(',')[1] ?? '', 'base64')
  const { width, height } = await sharp(sent).metadata()
  assert.deepEqual([width, height], [1568, 784], 'no larger than models look at')

  await page.reload()
  const shown = page.locator('.turn-user img')
  await shown.nth(1).waitFor()
  await untilTrue(page, 'document.querySelector(".turn-user img").naturalWidth === 1568')
  await page.getByRole('button', { name: 'large.png' }).click()
  await page.getByRole('dialog', { name: 'large.png' }).getByRole('img').waitFor()
  assert.deepEqual(await findBarriers(page), [])
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Show as code' }).click()
  const code = page.getByRole('dialog')
  for (const language of ['curl', 'Responses', 'Messages', 'AI SDK', 'LangChain', 'LlamaIndex']) {
    await code.getByRole('tab', { name: language }).click()
    await code.getByText('IMAGE').first().waitFor()
  }
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Export' }).click()
  const downloading = page.waitForEvent('download')
  await page.getByRole('dialog').getByRole('button', { name: 'Markdown' }).click()
  assert.match(await readFile(await (await downloading).path(), 'utf8'), /!\[large\.png\]\(data:image\/(png|jpeg);base64,/)
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await page.getByLabel('Edit your message').fill('And now?')
  await page.locator('.turn-edit').getByRole('button', { name: 'Send' }).click()
  await page.locator('.turn-user').getByText('And now?').waitFor()
  await page.locator('.turn-answer[data-state=done]').getByText('I see it.').waitFor()
  assert.equal(server.requested.at(-1)?.messages.at(-1)?.content.length, 3, 'the pictures stay with the message')

  await panel.getByLabel('Model', { exact: true }).selectOption('sepia-mini-chat')
  await page.getByText('This conversation contains images. Sepia Mini Chat can’t see images; choose Seeing Chat.').waitFor()
  await page.getByLabel('Your message').fill('Go on.')
  assert.equal(await page.getByRole('button', { name: 'Send' }).isDisabled(), true)
})
