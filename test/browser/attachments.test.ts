import assert from 'node:assert/strict'
import { test } from 'node:test'
import { becomeOwner, visitConsole } from './support/console-visit.ts'
import { withoutChromium } from './support/open-chromium.ts'

const letters = (name: string, count: number) => ({ name, mimeType: 'text/plain', buffer: Buffer.alloc(count, 'a') })

test('attachments that together are more than the service takes are named before they are sent', { skip: withoutChromium }, async () => {
  await using visit = await visitConsole(['--body-limit', '100kb'])
  const { page } = visit
  await becomeOwner(visit)
  const refused: string[] = []
  page.on('response', (response) => void (response.status() === 413 && refused.push(response.url())))
  const chooser = page.getByLabel('Files to attach')
  const send = page.getByRole('button', { name: 'Send', exact: true })
  const takeOut = (name: string) => page.getByRole('button', { name: `Take out ${name}` }).click()
  await chooser.setInputFiles([letters('first.txt', 40_000), letters('largest.txt', 60_000), letters('last.txt', 20_000)])
  await page.getByLabel('Your message', { exact: true }).fill('Hello.')
  const alone = page.getByText(
    /^This message comes to 121 kB, and the service takes at most 102 kB at once; take out largest\.txt \(60\.\d kB\)\.$/,
  )
  await alone.waitFor()
  await send.and(page.locator(':disabled')).waitFor()
  await page.getByLabel('Your message', { exact: true }).press('Enter')
  await takeOut('largest.txt')
  await alone.waitFor({ state: 'detached' })
  await send.click()
  await page.locator('.turn-answer:is([data-state=done], [data-state=cut], [data-state=failed])').waitFor()

  await chooser.setInputFiles([letters('second.txt', 60_000)])
  await page.getByLabel('Your message', { exact: true }).fill('And now?')
  await page.getByText(/^With what was said before, .+ take out second\.txt \(60\.\d kB\), or begin a new conversation\.$/).waitFor()
  await send.and(page.locator(':disabled')).waitFor()
  assert.deepEqual(refused, [])
})
