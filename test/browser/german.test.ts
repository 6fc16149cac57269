import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { owner } from './support/console-visit.ts'
import { countedRequests } from './support/counted-requests.ts'
import { eventually } from './support/eventually.ts'
import { findBarriers } from './support/find-barriers.ts'
import { scriptBytes } from './support/script-bytes.ts'
import { assertFits, settle } from './support/settle.ts'
import { untilTrue } from './support/until-true.ts'
import { useConsole } from './support/use-console.ts'

let german: Page | null = null
const startedAt = Date.now()

const { skip, visit } = useConsole(async ({ browser }) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, locale: 'de-AT', reducedMotion: 'reduce' })
  german = await context.newPage()
})

/** A page of a browser that asks for German as it is written in Austria. */
function page(): Page {
  if (german === null) throw new Error('No page was opened')
  return german
}

async function open(path: string): Promise<void> {
  await page().goto(`${visit().service.url}/console/${path}`)
  await page().locator('h1').waitFor()
  await settle(page())
}

test('a German browser gets a German sign-in and console', { skip }, async () => {
  await page().goto(visit().service.link)
  await page().getByRole('heading', { level: 1, name: 'Dienst einrichten' }).waitFor()
  await page().getByLabel('Name').fill(owner.name)
  await page().getByLabel('E-Mail').fill(owner.email)
  await page().getByLabel('Passwort').fill(owner.password)
  await page().getByRole('button', { name: 'Konto anlegen' }).click()
  await page().getByRole('heading', { level: 1, name: 'Chat' }).waitFor()
  await page().context().clearCookies()
  await page().goto(visit().service.url)
  await page().getByRole('heading', { level: 1, name: 'Anmelden' }).waitFor()
  await untilTrue(page(), "document.documentElement.lang === 'de'")
  await page().getByLabel('E-Mail').fill('nobody@example.org')
  await page().getByLabel('Passwort').fill('a guess of mine')
  await page().getByRole('button', { name: 'Anmelden' }).click()
  // Messages of the service stay in English, and are marked so.
  await page().getByRole('alert').locator('[lang=en]').waitFor()
  await page().getByLabel('E-Mail').fill(owner.email)
  await page().getByLabel('Passwort').fill(owner.password)
  await page().getByRole('button', { name: 'Anmelden' }).click()
  await page().getByRole('heading', { level: 1, name: 'Chat' }).waitFor()
})

test('the chat is German around the messages', { skip }, async () => {
  await page().getByLabel('Ihre Nachricht').fill('What is the capital of Japan?')
  await page().keyboard.press('Enter')
  await page().locator('.turn-answer:is([data-state=done], [data-state=cut])').waitFor()
  await page()
    .getByText(/\d+ Token gelesen · \d+ geschrieben/)
    .waitFor()
  await page().getByRole('button', { name: 'Neu erzeugen' }).waitFor()
})

test('numbers are typed, validated and sent in German notation', { skip }, async () => {
  const box = page().getByLabel('Temperatur', { exact: true })
  await box.fill('0,5')
  await eventually(async () => assert.equal(await page().getByLabel('Temperatur, Schieberegler').inputValue(), '0.5'))
  assert.equal(await box.getAttribute('aria-invalid'), 'false')
  await box.fill('7,5')
  await page().getByText('Eine Zahl von 0 bis 2.').waitFor()
  await box.fill('1')
})

test('drawing a picture is in German', { skip }, async () => {
  await open('images')
  await page().getByLabel('Prompt', { exact: true }).fill('a red apple')
  await page().getByRole('button', { name: 'Zeichnen', exact: true }).click()
  await page().locator('.run[data-state=done] img').waitFor()
  await page().getByText('1 Bild, 256 × 256, 20 Schritte').waitFor()
})

test('usage shows days, hours and numbers in German notation', { skip }, async () => {
  await countedRequests(page(), 2)
  await open('usage')
  const { format } = new Intl.DateTimeFormat('de-AT', { dateStyle: 'medium', timeZone: 'UTC' })
  // A day may have begun since.
  const days = new RegExp([startedAt, Date.now()].map((at) => format(at).replaceAll('.', '\\.')).join('|'))
  await page().getByRole('table', { name: 'Nutzung nach Tag und Modell' }).getByText(days).first().waitFor()
})

test('a service that is down is reported in German', { skip }, async () => {
  await page().route('**/console/api/webhooks', (route) => route.abort())
  await page().goto(`${visit().service.url}/console/webhooks`)
  await page().getByText('Der Server antwortet nicht.').waitFor()
  await page().unroute('**/console/api/webhooks')
})

const paths = 'chat images gallery assets requests usage models tokens webhooks people audit service account nowhere'.split(' ')
for (const path of paths)
  test(`${path} in German loads at most 90 kB of script, is accessible, and fits at every width`, { skip }, async () => {
    await open(path)
    const loaded = await scriptBytes(page())
    assert.ok(loaded > 0 && loaded <= 90_000, `${loaded} bytes`)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page().emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      assert.deepEqual(await findBarriers(page()), [], colorScheme)
    }
    for (const width of [1280, 768, 360]) {
      await page().setViewportSize({ width, height: 860 })
      await assertFits(page(), `${width} pixels`)
    }
    await page().setViewportSize({ width: 1280, height: 860 })
  })

test('limits, kinds of requests and palette entries are in German', { skip }, async () => {
  await open('service')
  const limits = page().getByRole('table', { name: 'Limits' })
  await limits.getByText('Threads je Engine').waitFor()
  await limits.getByRole('row', { name: 'Anfragen je Minute kein Limit' }).waitFor()
  await open('models')
  await page().getByText('Bilder', { exact: true }).last().waitFor()
  const requested = `fetch('/v1/chat/completions', { method: 'POST', headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sepia-mini-chat', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 }) }).then((answer) => answer.text())`
  await page().evaluate(requested)
  await open('requests')
  await page().getByRole('table', { name: 'Anfragen' }).getByRole('link', { name: 'Chat' }).first().click()
  await page().getByText('Art', { exact: true }).waitFor()
  await page().keyboard.press('Control+k')
  await page().getByRole('option', { name: 'Galerie Seite' }).waitFor()
  await page().keyboard.press('Escape')
})

test('messages of the service in a notification are marked as English', { skip }, async () => {
  const fault = { code: 'internal_error', message: 'The request failed.', type: 'server_error', param: null }
  await page().route('**/console/api/session', (route) =>
    route.request().method() === 'DELETE' ? route.fulfill({ status: 500, json: { error: fault } }) : route.continue(),
  )
  await page().getByRole('button', { name: 'Abmelden' }).click()
  await page().locator('.toast [lang=en]').filter({ hasText: 'The request failed.' }).waitFor()
  await page().unrouteAll()
})

test('errors of an answer and a drawing are shown in English and marked so, and so are styles', { skip }, async () => {
  const fault = { code: 'inference_failed', message: 'The model stopped.', type: 'server_error', param: null }
  const failed = page().locator('[role=alert] [lang=en]').filter({ hasText: 'The model stopped.' })
  await open('chat')
  await page().route('**/v1/chat/completions', (route) => route.fulfill({ status: 500, json: { error: fault } }))
  await page().getByLabel('Ihre Nachricht').fill('Hallo')
  const kept = page().waitForResponse((response) => /"failureLanguage":"en"/.test(response.request().postData() ?? ''))
  await page().keyboard.press('Enter')
  await failed.waitFor()
  await kept
  await page().reload()
  await failed.waitFor()
  await open('images')
  await page().route('**/generate/sdxl', (route) => route.fulfill({ status: 500, json: { error: fault } }))
  await page().getByLabel('Prompt', { exact: true }).fill('a red apple')
  await page().getByRole('button', { name: 'Zeichnen', exact: true }).click()
  await failed.waitFor()
  await page().getByRole('button', { name: 'Stil Ohne' }).click()
  await page().locator('.styles [lang=en]').filter({ hasText: 'Anime' }).waitFor()
  await page().keyboard.press('Escape')
  await page().unrouteAll()
})

test('the built-in English model gets English sample questions, and other models German ones', { skip }, async () => {
  await open('chat')
  await page().locator('.suggestions[lang=en]').getByText('What is the capital of Japan?').waitFor()
  await page().getByText('Dieses Modell kann nur Englisch.').waitFor()
  await page().route('**/console/api/models', async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ body: (await answer.text()).replaceAll('"id":"sepia-mini-chat"', '"id":"another-chat"') })
  })
  await open('chat')
  await page().locator('.suggestions:not([lang])').getByText('Was ist die Hauptstadt von Japan?').waitFor()
  assert.equal(await page().getByText('Dieses Modell kann nur Englisch.').count(), 0)
  await page().unrouteAll()
})

test('another language is chosen in the navigation, and stays', { skip }, async () => {
  await open('tokens')
  await page().getByRole('radio', { name: 'English' }).click()
  await page().getByRole('heading', { level: 1, name: 'Access tokens' }).waitFor()
  await untilTrue(page(), "document.documentElement.lang === 'en'")
  await page().reload()
  await page().getByRole('heading', { level: 1, name: 'Access tokens' }).waitFor()
  await page().getByRole('radio', { name: 'Deutsch' }).click()
  await page().getByRole('heading', { level: 1, name: 'Zugangstoken' }).waitFor()
})
