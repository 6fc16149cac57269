import { type Album, becomeOwnerIn } from './album.ts'

/** The pages that wait for answers, by their paths. */
const paths = 'chat images gallery assets requests usage models tokens webhooks account people audit service'.split(' ')

/** Each page while its answers are awaited, and when they do not come. */
export async function takeStates(album: Album): Promise<void> {
  await becomeOwnerIn(album)
  for (const path of paths) {
    await takeState(album, path, 'loading')
    await takeState(album, path, 'failed')
  }
}

async function takeState({ page, visit, take }: Album, path: string, state: 'loading' | 'failed'): Promise<void> {
  const { promise: letGo, resolve } = Promise.withResolvers<void>()
  const isAnswer = ({ pathname }: URL) => /^\/(console\/api\/(?!session$)|v1\/assets)/.test(pathname)
  await page.route(isAnswer, async (route) => {
    if (state === 'loading') await letGo
    await route.abort().catch(() => undefined)
  })
  await page.goto(`${visit.service.url}/console/${path}`)
  await page.locator('h1').waitFor()
  const shown = state === 'loading' ? page.locator('main [aria-busy]') : page.getByRole('alert')
  await shown
    .first()
    .waitFor({ timeout: 5000 })
    .catch(() => console.log(`${path} shows no state ${state}`))
  await take(`${path}-${state}`)
  resolve()
  await page.unroute(isAnswer)
}
