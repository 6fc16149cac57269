import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowserPage } from '../../../../../../test/support/browser-page.ts'

const page = openBrowserPage('/console/chat')
page.kept.set('sepia.work.chat', '{"maxTokens":512,"topK":7}')
const { isSame, differs, settingsNow, showSettings } = await import('./presets.ts')
const { changeChatSettings, chatRequestBody, chatSettings, defaultChatParameters, limitedTo } = await import('../chat-settings.ts')
const ofThisBrowser = chatSettings.value

test('settings stored before LoRAs existed are read as having none', () => {
  const { loras: _, ...older } = defaultChatParameters
  assert.ok(isSame({ model: 'm', parameters: older }, { model: 'm', parameters: defaultChatParameters }))
  showSettings({ model: 'm', parameters: older })
  assert.ok(!differs({ id: 'p', name: 'P', parameters: older }))
})

test('512 stored for no limit stays none, and a chosen 512 is sent and stored', () => {
  const sent = (settings = chatSettings.value) => chatRequestBody(settings, []).max_tokens
  assert.deepEqual([ofThisBrowser.topK, sent(ofThisBrowser)], [7, undefined])
  const { loras: _, limited: __, ...older } = defaultChatParameters
  const before = { model: 'm', parameters: { ...older, maxTokens: 512 } }
  changeChatSettings(limitedTo(77))
  showSettings(before)
  assert.equal(sent(), undefined)
  assert.deepEqual(settingsNow(), before, 'as older pages store it')
  changeChatSettings(limitedTo(512))
  assert.equal(sent(), 512)
  assert.ok(!isSame(settingsNow(), before) && !isSame(before, settingsNow()))
  const chosen = structuredClone(settingsNow())
  showSettings(before)
  showSettings(chosen)
  assert.equal(sent(), 512)
  changeChatSettings(limitedTo(0))
  assert.ok(isSame(settingsNow(), before))
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
