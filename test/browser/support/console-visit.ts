import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { openChromium } from './open-chromium.ts'
import { type StartedService, startService } from './start-service.ts'

/** A browser in front of a service that was just started. */
export interface ConsoleVisit extends AsyncDisposable {
  readonly service: StartedService
  readonly browser: Browser
  readonly context: BrowserContext
  readonly page: Page
  /** Errors of the page: script errors and violations of its content policy. */
  readonly complaints: readonly string[]
}

export const owner = { name: 'Ada Lovelace', email: 'ada@example.org', password: 'a poet of science' } as const

/**
 * @param flags Settings of the service besides those of every test.
 * @param locale What the browser asks for.
 */
export async function visitConsole(flags: readonly string[] = [], { locale = 'en-US' } = {}): Promise<ConsoleVisit> {
  await using stack = new AsyncDisposableStack()
  const service = stack.use(await startService(flags))
  const browser = await openChromium()
  stack.defer(() => browser.close())
  const viewport = { width: 1280, height: 860 }
  const context = await browser.newContext({ viewport, locale, colorScheme: 'light', reducedMotion: 'reduce' })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // The browser also logs answers that refuse something, which tests ask for on purpose.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) complaints.push(message.text())
  })
  const owned = stack.move()
  return { service, browser, context, page, complaints, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

export const bob = { name: 'Bob', email: 'bob@example.org', password: 'under a blue moon' } as const
export const grace = { name: 'Grace', email: 'grace@example.org', password: 'a compiler of words' } as const

/** Follows a link that invites and makes the account that it is for. */
export async function createAccount(
  page: Page,
  link: string,
  { name, email, password }: { readonly name: string; readonly email: string; readonly password: string },
): Promise<void> {
  await page.goto(link)
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Create the account' }).click()
}

/** Follows the first-run link and becomes the owner. */
export async function becomeOwner({ page, service }: { readonly page: Page; readonly service: { readonly link: string } }): Promise<void> {
  await createAccount(page, service.link, owner)
  await page.getByRole('heading', { level: 1, name: 'Chat' }).waitFor()
}

/** Goes to a page by the navigation and waits for its heading. */
export async function openPage(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name, exact: true }).click()
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
}

/** Where the list has the shown conversation, which may take a moment: until then, its first entry is another one. */
export function shownEntry(page: Page): Locator {
  return page.locator('.history li', { has: page.locator('[aria-current=page]') })
}

/** Asks for a picture in the playground. */
export async function draw(page: Page, prompt: string): Promise<void> {
  await page.getByLabel('Prompt', { exact: true }).fill(prompt)
  await page.getByRole('button', { name: 'Draw', exact: true }).click()
}

/** Finds the button that undoes the last change, and keeps its message, which otherwise disappears after ten seconds, under the pointer. */
export async function holdUndo(page: Page): Promise<Locator> {
  const undo = page.getByRole('button', { name: 'Undo' }).last()
  await undo.hover()
  return undo
}
