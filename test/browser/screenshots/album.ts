import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { type ConsoleVisit, owner } from '../support/console-visit.ts'
import type { StartedService } from '../support/start-service.ts'
import { looksAlike } from './looks-alike.ts'

/** A text of the pages as they say it in some language, with texts put where `{0}`, `{1}` … stand. */
export type Say = (english: string, ...values: readonly string[]) => string

/** A page in front of a service. */
export interface Visit extends Pick<ConsoleVisit, 'page' | 'browser'> {
  readonly service: Pick<StartedService, 'url' | 'link' | 'token'>
}

/** Pictures of the console in one language. */
export interface Album {
  readonly visit: Visit
  readonly page: Page
  readonly say: Say
  /** Draws the page as it stands: wide in light and dark, and at two narrower widths. */
  readonly take: (name: string) => Promise<void>
  /** Goes to a page by its path behind `/console/` and waits until all of it is there. */
  readonly open: (path: string) => Promise<void>
}

const wide = { width: 1280, height: 860 }
const narrower = [
  { width: 768, height: 1024 },
  { width: 360, height: 780 },
] as const

/** @param folder Where its pictures go; one that looks as before is left as it is. */
export async function openAlbum(visit: Visit, folder: string, say: Say): Promise<Album> {
  const { page, service } = visit
  await mkdir(folder, { recursive: true })
  const shoot = async (name: string) => {
    const file = join(folder, `${name}.webp`)
    const picture = await sharp(await page.screenshot())
      .webp({ quality: 78 })
      .toBuffer()
    const earlier = await readFile(file).catch(() => null)
    if (earlier === null || !(await looksAlike(earlier, picture))) await writeFile(file, picture)
  }
  return {
    visit,
    page,
    say,
    async take(name) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await shoot(`${name}-${colorScheme}`)
      }
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
      for (const size of narrower) {
        await page.setViewportSize(size)
        await shoot(`${name}-${size.width}`)
      }
      await page.setViewportSize(wide)
    },
    async open(path) {
      await page.goto(`${service.url}/console/${path}`)
      await page.locator('h1').waitFor()
      await settle(page)
    },
  }
}

/** Waits until nothing on the page waits for an answer. */
export async function settle(page: Page): Promise<void> {
  await page.locator('main:not(:has([aria-busy]))').waitFor()
}

/** Follows the first-run link and becomes the owner, in the album's language. */
export async function becomeOwnerIn({ page, visit, say }: Album): Promise<void> {
  await page.goto(visit.service.link)
  await signUp({ page, say }, owner)
}

/** Fills in the form that an invitation leads to. */
export async function signUp(
  { page, say }: Pick<Album, 'page' | 'say'>,
  { name, email, password }: { readonly name: string; readonly email: string; readonly password: string },
): Promise<void> {
  await page.getByLabel(say('Name')).fill(name)
  await page.getByLabel(say('E-mail')).fill(email)
  await page.getByLabel(say('Password')).fill(password)
  await page.getByRole('button', { name: say('Create the account') }).click()
  await page.getByRole('heading', { level: 1, name: say('Chat') }).waitFor()
}
