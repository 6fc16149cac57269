import { join } from 'node:path'
import sharp from 'sharp'
import type { DyingServers } from '../support/dying-servers.ts'
import { type Album, becomeOwnerIn } from './album.ts'

/** A conversation, and what can be done with one. */
export async function takeChat(album: Album, { die }: DyingServers): Promise<void> {
  const { page, say, take } = album
  await becomeOwnerIn(album)
  const ask = async (question: string) => {
    await page.getByLabel(say('Your message'), { exact: true }).fill(question)
    await page.keyboard.press('Enter')
  }
  const answered = () => page.locator('.turn-answer').last().and(page.locator('[data-state=done]')).waitFor()
  for (const question of ['What is the capital of Japan?', 'Tell me a short story about a fox.']) {
    await ask(question)
    await page.getByText(question).last().waitFor()
    await answered()
  }
  await take('chat')
  await page.getByRole('button', { name: say('Show as code') }).click()
  await take('chat-as-code')
  await page.keyboard.press('Escape')
  const panel = page.getByRole('complementary', { name: say('Conversations and settings') })
  await panel
    .locator('summary')
    .filter({ hasText: say('Compare models') })
    .click()
  await panel.getByLabel(say('Second model')).selectOption('seeing-chat')
  await ask('How do you say “water” in Spanish?')
  await page
    .getByRole('button', { name: say('Use this answer') })
    .nth(1)
    .waitFor()
  await take('chat-compared')
  await page
    .getByRole('button', { name: say('Use this answer') })
    .first()
    .click()
  await panel.getByLabel(say('Second model')).selectOption({ index: 0 })
  await panel
    .locator('summary')
    .filter({ hasText: say('Functions and JSON') })
    .click()
  await panel.getByRole('button', { name: say('Insert an example') }).click()
  await panel.getByLabel(say('The model'), { exact: true }).selectOption('required')
  await ask('How is the weather in Oslo?')
  await page.getByRole('region', { name: say('Call of {0}', 'get_weather') }).waitFor()
  await page.locator('.turn-answer[data-state=writing]').waitFor({ state: 'detached' })
  await take('chat-function')
  await panel.getByLabel(say('Functions'), { exact: true }).fill('')
  await page.getByRole('button', { name: say('New conversation') }).click()
  await panel.getByLabel(say('Model'), { exact: true }).selectOption('seeing-chat')
  const photo = await sharp(join(import.meta.dirname, '../../../models/sepia-mini-image/samples.jpg'))
    .resize(640)
    .png()
    .toBuffer()
  await page.getByLabel(say('Files to attach')).setInputFiles({ name: 'samples.png', mimeType: 'image/png', buffer: photo })
  await page.locator('.attached-picture').waitFor()
  await ask('What do you see?')
  await answered()
  await take('chat-picture')
  await panel.getByLabel(say('Model'), { exact: true }).selectOption('dying-chat')
  await page.getByRole('button', { name: say('New conversation') }).click()
  await ask('Tell me a story.')
  await page.locator('.turn-answer').getByText('Once upon a time').waitFor()
  await die()
  await page.locator('.turn-answer[data-state=failed]').waitFor()
  await take('chat-failed-answer')
  await panel.getByLabel(say('Model'), { exact: true }).selectOption('sepia-mini-chat')
  await page.keyboard.press('Control+k')
  await page.locator('.palette [role=option]').nth(1).waitFor()
  await take('palette')
  await page.keyboard.press('Escape')
}
