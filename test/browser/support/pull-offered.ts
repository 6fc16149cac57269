import type { Page } from 'playwright-core'
import { openPage } from './console-visit.ts'
import type { OfferedModel } from './offer-model.ts'

/** Pulls an offered model by its address as an owner, and waits until it is on its way. */
export async function pullOffered(page: Page, { address }: Pick<OfferedModel, 'address'>): Promise<void> {
  await openPage(page, 'Models')
  await page.getByRole('button', { name: 'Pull a model' }).click()
  await page.getByLabel('Search Hugging Face, or paste').fill(address)
  await page.getByRole('dialog').getByRole('button', { name: 'Pull', exact: true }).click()
  await page.getByRole('progressbar').waitFor()
}
