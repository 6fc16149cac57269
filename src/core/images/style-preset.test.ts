import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findStylePreset, stylePresetNames, stylePresets } from './style-preset.ts'

test('there are at least forty style presets with distinct names', () => {
  assert.ok(stylePresets.length >= 40)
  assert.equal(new Set(stylePresetNames).size, stylePresets.length)
})

test('every style preset has one placeholder for the prompt and is found by its name', () => {
  for (const preset of stylePresets) {
    assert.equal(preset.prompt.split('{prompt}').length, 2, preset.name)
    assert.match(preset.name, /^[a-z0-9]+(-[a-z0-9]+)*$/)
    assert.equal(preset.negativePrompt === '', preset.name === 'base')
    assert.equal(findStylePreset(preset.name), preset)
  }
  for (const name of ['no-such-look', '', 'craft  clay', 'origami-']) assert.equal(findStylePreset(name), undefined)
})
