import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openBrowserPage } from '../../../../../../test/support/browser-page.ts'
import type { ImageAbilities } from '../form/image-abilities.ts'

openBrowserPage()
const { imageSettings } = await import('../form/image-settings.ts')
const { axesFor, readAxis } = await import('./grid-axes.ts')

const abilities: ImageAbilities = {
  startsFromImage: true,
  repaintsOnly: false,
  takesSeeds: true,
  refines: false,
  drawsTwice: false,
  upscalers: [],
  secondPrompts: true,
  clipSkip: 1,
  samplers: ['DDIM', 'K_EULER'],
  lcmSteps: 200,
  assets: [{ kind: 'lora', name: 'ink', label: 'ink', family: null }],
}
const settings = { ...imageSettings.value, prompt: 'a red cat on a red mat', guidanceScale: 5, loras: [{ name: 'ink', weight: 1 }] }
const context = { settings, abilities, starts: false }

describe('the axes of a grid', () => {
  for (const [name, text, labels] of [
    ['steps', '10, 20', ['10', '20']],
    ['guidance', '1.5', ['1.5']],
    ['sampler', 'ddim,K_EULER', ['DDIM', 'K_EULER']],
    ['style', 'none, anime', ['none', 'anime']],
    ['none', 'whatever', ['']],
  ] as const)
    it(`reads ${name} ${text}`, () => {
      const values = readAxis(name, text, context)
      assert.ok(typeof values !== 'string')
      assert.deepEqual(
        values.map(({ label }) => label),
        labels,
      )
    })

  for (const [name, text, fault] of [
    ['steps', '', /commas/],
    ['steps', '10,,20', /commas/],
    ['steps', '10, 10', /once/],
    ['steps', '0', /from 1 to 200/],
    ['steps', '1.5', /Whole numbers/],
    ['guidance', 'NaN', /Numbers/],
    ['seed', '-1', /from 0/],
    ['clip-skip', '2', /from 0 to 1/],
    ['sampler', 'MAGIC', /no sampler MAGIC/],
    ['style', 'nice', /no style nice/],
    ['prompt', 'blue, green', /stand in the prompt/],
  ] as const)
    it(`says what is wrong with ${name} ${JSON.stringify(text)}`, () => assert.match(String(readAxis(name, text, context)), fault))

  it('puts each word in the place of the first', () => {
    const values = readAxis('prompt', 'red, blue', context)
    assert.ok(typeof values !== 'string')
    assert.equal(values[1]?.change(settings).prompt, 'a blue cat on a blue mat')
  })

  it('weighs the first LoRA', () => {
    const values = readAxis('lora', '-0.5', context)
    assert.ok(typeof values !== 'string')
    assert.deepEqual(values[0]?.change(settings).loras, [{ name: 'ink', weight: -0.5 }])
  })

  it('offers only what changes something', () => {
    assert.ok(!axesFor(context).includes('strength'))
    assert.ok(axesFor({ ...context, starts: true }).includes('strength'))
    const poor = { ...context, abilities: { ...abilities, clipSkip: 0, takesSeeds: false, assets: [] } }
    for (const name of ['clip-skip', 'seed', 'lora'] as const) assert.ok(!axesFor(poor).includes(name), name)
  })
})
