import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openBrowserPage } from '../../../../../../test/support/browser-page.ts'
import type { ImageAbilities } from '../form/image-abilities.ts'
import type { AxisContext } from './grid-axes.ts'

openBrowserPage()
const { imageSettings } = await import('../form/image-settings.ts')
const { axesFor, readAxis } = await import('./grid-axes.ts')

const abilities: ImageAbilities = {
  startsFromImage: true,
  repaintsOnly: false,
  takesReferences: false,
  takesSeeds: true,
  refines: false,
  drawsTwice: false,
  upscalers: [],
  secondPrompts: true,
  negativeOver: 1,
  rescalesGuidance: true,
  clipSkip: 1,
  samplers: ['DDIM', 'K_EULER'],
  lcmSteps: 200,
  assets: [
    { kind: 'lora', name: 'ink', label: 'ink', family: null },
    { kind: 'controlnet', name: 'edges', label: 'edges', family: null },
    { kind: 'vae', name: 'soft', label: 'soft', family: null },
  ],
}
const drawable = {
  ...imageSettings.value,
  prompt: 'a red cat on a red mat',
  negativePrompt: 'frame, text',
  guidanceScale: 5,
  loras: [{ name: 'ink', weight: 1 }],
  controlnets: [{ key: 7, name: 'edges', url: null, scale: 1, until: 1, preprocess: true }],
}
const sized = { sizes: { type: 'range', min: 64, max: 512 }, native: { width: 256, height: 256 } } as const
const model = { id: 'one', ...sized }
const context: AxisContext = { drawable, model, abilities, models: [model, { id: 'other', ...sized }], start: null }
const namesOf = (changed: Partial<AxisContext> = {}) => axesFor({ ...context, ...changed }).map(({ name }) => name)

describe('the axes of a grid', () => {
  for (const [name, text, labels] of [
    ['steps', '10, 20', ['10', '20']],
    ['guidanceScale', '1.5', ['1.5']],
    ['sampler', 'ddim,K_EULER', ['DDIM', 'K_EULER']],
    ['style', 'none, anime', ['none', 'anime']],
    ['size', '256x256, 64 × 512', ['256 × 256', '64 × 512']],
    ['model', 'ONE, other', ['one', 'other']],
    ['vae', 'none, soft', ['none', 'soft']],
    ['until 7', '0.5, 1', ['0.5', '1']],
    ['negativePrompt', 'frame, blur', ['frame', 'blur']],
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
    ['guidanceScale', 'NaN', /Numbers/],
    ['seed', '-1', /from 0/],
    ['clipSkip', '2', /from 0 to 1/],
    ['sampler', 'MAGIC', /no sampler MAGIC/],
    ['style', 'nice', /no style nice/],
    ['prompt', 'blue, green', /appear in the prompt/],
    ['size', '256', /Width and height/],
    ['size', '256x1024', /256x1024: Multiples of 8 from 64 to 512/],
    ['model', 'third', /no model third: one, other/],
    ['sampler', 'ddim, DDIM', /once/],
  ] as const)
    it(`reports what is wrong with ${name} ${JSON.stringify(text)}`, () => assert.match(String(readAxis(name, text, context)), fault))

  it('replaces the first word with each other word, literally', () => {
    const [, blue, odd] = valuesOf('prompt', 'red, blue, $&')
    assert.equal(blue?.change(drawable).prompt, 'a blue cat on a blue mat')
    assert.equal(odd?.change(drawable).prompt, 'a $& cat on a $& mat')
  })

  it('sets the weight of each selected LoRA and ControlNet', () => {
    assert.deepEqual(valuesOf('lora ink', '-0.5')[0]?.change(drawable).loras, [{ name: 'ink', weight: -0.5 }])
    const [half] = valuesOf('scale 7', '0.5')
    assert.equal(half?.change(drawable).controlnets?.[0]?.scale, 0.5)
  })

  it("keeps the other axis's change to the same ControlNet", () => {
    const first = { ...drawable, ...valuesOf('scale 7', '0.5')[0]?.change(drawable) }
    const both = valuesOf('until 7', '0.2')[0]?.change(first).controlnets?.[0]
    assert.deepEqual([both?.scale, both?.until], [0.5, 0.2])
  })

  it('offers only axes that have an effect', () => {
    const painted = { start: { mask: 'data:' } }
    for (const [name, changed] of [
      ['strength', { start: { mask: null } }],
      ['feather', painted],
      ['fullResolution', painted],
      ['padding', painted],
      ['refinerStart', { abilities: { ...abilities, refines: true } }],
      ['refine', { abilities: { ...abilities, refines: true } }],
      ['enlargement', { abilities: { ...abilities, drawsTwice: true }, drawable: { ...drawable, twice: true } }],
      ['prompt2', { drawable: { ...drawable, prompt2: 'ink' } }],
      ['negativePrompt2', { drawable: { ...drawable, negativePrompt2: 'ink' } }],
    ] as const) {
      assert.ok(!namesOf().includes(name), name)
      assert.ok(namesOf(changed).includes(name), name)
    }
    const poor = namesOf({ abilities: { ...abilities, clipSkip: 0, takesSeeds: false, assets: [] }, models: [model] })
    for (const name of ['clipSkip', 'seed', 'lora ink', 'scale 7', 'vae', 'model']) {
      assert.ok(namesOf().includes(name), name)
      assert.ok(!poor.includes(name), name)
    }
  })
})

function valuesOf(name: string, text: string) {
  const values = readAxis(name, text, context)
  assert.ok(typeof values !== 'string', String(values))
  return values
}
