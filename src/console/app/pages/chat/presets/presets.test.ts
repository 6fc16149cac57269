import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowserPage } from '../../../../../../test/support/browser-page.ts'

openBrowserPage('/console/chat')
const { isSame, differs, settingsNow, showSettings } = await import('./presets.ts')
const { changeChatSettings, defaultChatParameters } = await import('../chat-settings.ts')

test('settings stored before LoRAs existed are read as having none', () => {
  const { loras: _, ...older } = defaultChatParameters
  assert.ok(isSame({ model: 'm', parameters: older }, { model: 'm', parameters: defaultChatParameters }))
  showSettings({ model: 'm', parameters: older })
  assert.ok(!differs({ id: 'p', name: 'P', parameters: older }))
})

test('a LoRA and its weight are settings of one conversation, and absent from the next', () => {
  const ink = { model: 'm', parameters: { ...defaultChatParameters, loras: [{ name: 'ink', weight: 0.5 }] } }
  showSettings(ink)
  assert.deepEqual(settingsNow().parameters.loras, [{ name: 'ink', weight: 0.5 }])
  assert.ok(isSame(settingsNow(), structuredClone(ink)))
  changeChatSettings({ loras: [{ name: 'ink', weight: 0.6 }] })
  assert.ok(!isSame(settingsNow(), ink))
  assert.ok(differs({ id: 'p', name: 'P', parameters: ink.parameters }))
  showSettings({ model: 'm', parameters: defaultChatParameters })
  assert.equal(settingsNow().parameters.loras, undefined)
})
