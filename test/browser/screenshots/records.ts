import { readGoldenCheckpoints } from '../../support/model-files/golden-checkpoints.ts'
import { type Album, becomeOwnerIn, settle } from './album.ts'

const spoken = (content: string) => ({ model: 'sepia-mini-chat', messages: [{ role: 'user', content }], max_tokens: 16 })

/** Stored records of earlier work: assets, requests, usage, and the log of requests. */
export async function takeRecords(album: Album): Promise<void> {
  const { page, say, take, open } = album
  await becomeOwnerIn(album)
  await open('images')
  await page.getByLabel(say('Prompt'), { exact: true }).fill('a glossy strawberry on a cream background')
  await page.getByRole('button', { name: say('Draw'), exact: true }).click()
  await page.locator('.run[data-state=done] img').first().waitFor({ timeout: 120_000 })
  await page.locator('.toasts:not(:has(.toast))').waitFor({ state: 'attached' })
  for (const content of ['What is the capital of Spain?', 'What is 17 + 25?', 'Tell me a story.']) await ask(album, spoken(content))
  await ask(album, spoken('A question of the night'), {
    'x-service-async': '1',
    'x-service-webhook': 'https://sepia.invalid/hooks/nightly-report',
  })
  await open('assets')
  await page
    .locator('.drop-zone input')
    .setInputFiles({ name: 'My look.safetensors', mimeType: 'application/octet-stream', buffer: await aLora() })
  await page.getByLabel(say('Trigger words')).fill('sks, in my look')
  await take('asset-upload')
  await page.getByRole('button', { name: say('Upload'), exact: true }).click()
  await page.locator('.asset').getByText(say('ready'), { exact: true }).waitFor()
  await page.locator('.toasts:not(:has(.toast))').waitFor({ state: 'attached' })
  await take('assets')
  await open('requests')
  await take('requests')
  await page.locator('.request-lead:has(img) a').click()
  await page.locator('main img').first().waitFor()
  await take('request')
  await open('usage')
  await page.getByRole('slider').first().focus()
  await take('usage')
  await open('webhooks')
  await page.locator('.ledger tbody tr').first().waitFor()
  await take('webhooks')
  await takeRequestLog(album)
}

async function takeRequestLog({ page, visit, say, take, open }: Album): Promise<void> {
  await open('people')
  await page
    .getByRole('button', { name: say('Request log of {0}', 'Ada Lovelace') })
    .first()
    .click()
  await page.getByLabel(say('Keep each for (hours)')).waitFor()
  await take('people-request-log')
  await page.getByRole('button', { name: say('Log from now on') }).click()
  await page.getByRole('button', { name: say('Turn off'), exact: true }).waitFor()
  await take('people-request-log-on')
  await ask({ visit }, spoken('What is the capital of France?'))
  await open('requests')
  await page.getByLabel(say('Status'), { exact: true }).selectOption('synchronous')
  await settle(page)
  await page.locator('main a[href^="/console/requests/"]').first().click()
  await page.getByRole('button', { name: say('Show request and answer') }).click()
  await page.getByRole('region', { name: say('Answer'), exact: true }).waitFor()
  await settle(page)
  await take('request-logged')
}

async function ask({ visit: { service } }: Pick<Album, 'visit'>, body: object, headers: Record<string, string> = {}): Promise<void> {
  const answer = await fetch(`${service.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(await answer.text())
}

async function aLora(): Promise<Buffer> {
  const lora = (await readGoldenCheckpoints()).get('lora-peft.safetensors')
  if (lora === undefined) throw new Error('There is no LoRA among the golden files')
  return lora
}
