import { type Album, becomeOwnerIn, settle, signUp } from './album.ts'

/** Pages that have nothing to show yet: each path with the name of its picture. */
const empty = {
  images: 'images-empty',
  gallery: 'gallery-empty',
  assets: 'assets-empty',
  requests: 'requests-empty',
  usage: 'usage-empty',
  webhooks: 'webhooks-empty',
  people: 'people-empty',
  audit: 'audit-empty',
  service: 'service-empty',
} as const

/** The ways in, and each page before anything happened. */
export async function takeEntry(album: Album): Promise<void> {
  const { page, visit, say, take, open } = album
  const { service } = visit
  const heading = (name: string) => page.getByRole('heading', { level: 1, name: say(name) }).waitFor()
  await page.goto(service.url)
  await heading('Almost there')
  await take('first-start')
  await page.goto(service.link)
  await page.getByLabel(say('Name')).waitFor()
  await take('first-run')
  await becomeOwnerIn(album)
  await page.goto(service.link)
  await heading('Invalid or used link')
  await take('used-link')
  await open('chat')
  await page.locator('.suggestions').waitFor()
  await take('chat-empty')
  for (const [path, name] of Object.entries(empty)) {
    await open(path)
    await take(name)
  }
  await page.route('**/console/api/models', (route) =>
    route.fulfill({ json: { models: [], pulls: [], origins: { imageUrl: null, textUrl: null } } }),
  )
  await open('models')
  await take('models-empty')
  await page.unroute('**/console/api/models')
  await open('nowhere')
  await take('not-found')
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
  await take('shortcuts')
  await page.keyboard.press('Escape')

  await open('people')
  await page.getByRole('button', { name: say('Invite'), exact: true }).click()
  await page.getByRole('radio', { name: say('Member') }).waitFor()
  await take('invite')
  await page.getByRole('button', { name: say('Create link') }).click()
  const link = (await page.getByRole('dialog').locator('code').textContent()) ?? ''
  await take('invitation')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: say('Sign out') }).click()
  await heading('Sign in')
  await take('signed-out')
  await page.goto(service.url)
  await page.getByText(say('Welcome. Sign in to chat, draw and create access tokens for programs.')).waitFor()
  await take('sign-in')
  await page.getByLabel(say('E-mail')).fill('ada@example.org')
  await page.getByLabel(say('Password')).fill('a guess of somebody')
  await page.getByRole('button', { name: say('Sign in'), exact: true }).click()
  await page.getByRole('alert').waitFor()
  await take('sign-in-refused')

  await page.goto(link)
  await page.getByLabel(say('Name')).waitFor()
  await take('invited')
  await signUp(album, { name: 'Grace Hopper', email: 'grace@example.org', password: 'nanoseconds of wire' })
  await open('tokens')
  await settle(page)
  await take('access-tokens-empty')
}
