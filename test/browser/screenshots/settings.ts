import type { PlacedPull } from '../../../src/core/model-pull.ts'
import { type Album, becomeOwnerIn, settle, signUp } from './album.ts'
import { beginWork, readingsShown } from './work.ts'

/** Models, tokens, people and the service, as an owner sees them. */
export async function takeSettings(album: Album): Promise<void> {
  const { page, say, take, open } = album
  await becomeOwnerIn(album)
  await invitePerson(album)
  await open('models')
  await take('models')
  await page.getByRole('button', { name: say('Pull a model') }).click()
  const words = page.getByLabel(say('Search Hugging Face, or paste a model name or URL'))
  await words.waitFor()
  await take('pull-model')
  await words.fill('chat')
  await page.keyboard.press('Enter')
  await page.getByText('someone/small-chat-GGUF').first().waitFor()
  await take('hub-search')
  await page.keyboard.press('Escape')
  await takePull(album)
  await open('people')
  await take('people')
  await page.getByRole('button', { name: say('Limits of {0}', 'Grace Hopper') }).click()
  await page.getByLabel(say('Requests a minute')).fill('60')
  await take('limits')
  await page.keyboard.press('Escape')
  await open('account')
  await take('account')
  await open('tokens')
  await take('access-tokens')
  await page.getByRole('button', { name: say('New token') }).click()
  await page.getByLabel(say('Name'), { exact: true }).fill(say('Nightly report'))
  await page.getByRole('button', { name: say('Create token') }).click()
  await page.getByText(say('Your new token')).waitFor()
  await take('new-token')
  await takeServiceAtWork(album)
  await open('audit')
  await take('audit-log')
}

/** The service while it works, with as many readings as make a line. */
async function takeServiceAtWork({ page, visit: { service }, take, open }: Album): Promise<void> {
  await using _work = beginWork(service)
  await open('service')
  await readingsShown(page, 5)
  await take('service')
}

/** A model being pulled, as the service reports it. */
async function takePull({ page, take, open }: Album): Promise<void> {
  const pull: PlacedPull = {
    source: 'hf:Qwen/Qwen3-8B-GGUF',
    state: 'pulling',
    bytesDone: 1_900_000_000,
    bytesTotal: 4_700_000_000,
    bytesPerSecond: 38_000_000,
    startedAt: Date.now(),
    reason: null,
    node: null,
  }
  await page.route('**/console/api/models', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), pulls: [pull] } })
  })
  await open('models')
  await page.getByRole('progressbar').waitFor()
  await take('models-pulling')
  await page.unroute('**/console/api/models')
}

/** Adds a person, and leaves one more invitation open. */
async function invitePerson({ page, visit, say, open }: Album): Promise<void> {
  await open('people')
  for (const role of ['Member', 'Owner']) {
    await page.getByRole('button', { name: say('Invite'), exact: true }).click()
    await page.getByRole('radio', { name: say(role) }).check()
    await page.getByRole('button', { name: say('Create link') }).click()
    const link = (await page.getByRole('dialog').locator('code').textContent()) ?? ''
    await page.keyboard.press('Escape')
    if (role === 'Owner') continue
    await using context = await visit.browser.newContext({ locale: await page.evaluate('navigator.language') })
    const other = await context.newPage()
    await other.goto(link)
    await signUp({ page: other, say }, { name: 'Grace Hopper', email: 'grace@example.org', password: 'nanoseconds of wire' })
  }
  await settle(page)
}
