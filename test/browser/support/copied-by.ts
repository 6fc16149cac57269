import type { Locator } from 'playwright-core'
import { untilTrue } from './until-true.ts'

/** The text that a button copies. The clipboard itself belongs to every page of the browser. */
export async function copiedBy(button: Locator): Promise<string> {
  const page = button.page()
  await page.evaluate('navigator.clipboard.writeText = async (text) => void (window.copied = text)')
  await button.click()
  await untilTrue(page, 'window.copied !== undefined')
  return page.evaluate<string>('window.copied')
}
