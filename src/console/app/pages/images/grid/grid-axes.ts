import { stylePresetNames } from '../../../../../core/images/style-preset.ts'
import type { ConsoleImageModel } from '../../../../contract/models.ts'
import { t } from '../../../language/t.ts'
import { loraRange } from '../../../parts/fields/lora-range.ts'
import type { ImageAbilities } from '../form/image-abilities.ts'
import { controlnetRanges, imageRanges } from '../form/image-ranges.ts'
import { type Size, type Sized, sizeChoices, sizeFault } from '../form/size-choices.ts'
import type { StartingImage } from '../start/starting-image.ts'
import { type Axis, type AxisValue, choiceAxis, type Drawable, namedChoices, numberAxis, settingAxis, switchAxis } from './axis.ts'

/** The data that axes look their values up in. */
export interface AxisContext {
  readonly drawable: Drawable
  readonly model: Pick<ConsoleImageModel, 'id' | 'sizes' | 'native'>
  readonly abilities: ImageAbilities
  /** All models that can draw, including the chosen one. */
  readonly models: readonly Pick<ConsoleImageModel, 'id' | 'sizes' | 'native'>[]
  readonly start: Pick<StartingImage, 'mask'> | null
}

const seedRange = { min: 0, max: 2 ** 32 - 1, step: 1 }
const noAxis: Axis = { name: 'none', label: t`Nothing`, example: '', read: () => [{ label: '', change: () => ({}) }] }

/** The axes that have an effect with these settings and this model. */
export function axesFor(context: AxisContext): readonly Axis[] {
  const { drawable, abilities } = context
  const guided = drawable.guidanceScale > 1
  const two = abilities.secondPrompts
  const { samplers } = abilities
  const styles = [['none', ''] as const, ...namedChoices(stylePresetNames)]
  const axes = [
    noAxis,
    settingAxis('steps', t`Steps`, '10, 20, 40'),
    settingAxis('guidanceScale', t`Guidance`, '3, 5, 8'),
    guided && settingAxis('guidanceRescale', t`Guidance rescale`, '0, 0.5, 1'),
    choiceAxis('sampler', t`Sampler`, namedChoices(samplers), (name) => t`There is no sampler ${name}: ${samplers.join(', ')}.`),
    abilities.takesSeeds && numberAxis({ name: 'seed', label: t`Seed`, example: '1, 2, 3' }, seedRange, (seed) => ({ seed: String(seed) })),
    wordsAxis('prompt', t`Words of the prompt`, drawable),
    guided && drawable.negativePrompt !== '' && wordsAxis('negativePrompt', t`Words of the negative prompt`, drawable),
    two && drawable.prompt2 !== '' && wordsAxis('prompt2', t`Words of the second prompt`, drawable),
    guided && two && drawable.negativePrompt2 !== '' && wordsAxis('negativePrompt2', t`Words of the second negative prompt`, drawable),
    abilities.clipSkip > 0 && settingAxis('clipSkip', t`Clip skip`, '0, 1, 2', { ...imageRanges.clipSkip, max: abilities.clipSkip }),
    choiceAxis('style', t`Style`, styles, (name) => t`There is no style ${name}; the style picker shows them all.`),
    ...modelAxes(context),
    ...startAxes(context),
    ...assetAxes(context),
  ]
  return axes.filter((axis) => axis !== false)
}

/** Parses the values of an axis, separated by commas; returns an error message for invalid ones. */
export function readAxis(name: string, text: string, context: AxisContext): readonly AxisValue[] | string {
  const axis = axesFor(context).find((each) => each.name === name) ?? noAxis
  if (axis === noAxis) return axis.read([])
  const words = text.split(',').map((word) => word.trim())
  if (words.some((word) => word === '')) return t`Separate values with commas.`
  const values = axis.read(words)
  if (typeof values !== 'string' && new Set(values.map(({ label }) => label)).size < values.length) return t`Enter each value only once.`
  return values
}

function modelAxes({ drawable, model, models, abilities }: AxisContext): readonly (Axis | false)[] {
  const ids = models.map(({ id }) => id)
  const twice = abilities.drawsTwice && drawable.twice
  const pass = (what: string) => `${t`Second pass`}: ${what}`
  return [
    ids.length > 1 && choiceAxis('model', t`Model`, namedChoices(ids), (name) => t`There is no model ${name}: ${ids.join(', ')}.`),
    sizeAxis(model),
    abilities.refines && drawable.refine && settingAxis('refinerStart', t`Refiner from`, '0.6, 0.8, 1'),
    abilities.refines && switchAxis('refine', t`Refine the last steps`),
    twice && settingAxis('enlargement', pass(t`Scale factor`), '1.5, 2'),
    twice && settingAxis('secondSteps', t`Second-pass steps`, '10, 20'),
    twice && settingAxis('secondStrength', t`Second-pass strength`, '0.5, 0.7'),
  ]
}

function startAxes({ start, abilities }: AxisContext): readonly Axis[] {
  if (start === null || !abilities.startsFromImage) return []
  const strength = settingAxis('strength', t`Strength`, '0.4, 0.6, 0.8')
  if (start.mask === null) return [strength]
  return [
    strength,
    settingAxis('feather', t`Feather`, '0, 8, 16'),
    switchAxis('fullResolution', t`Inpaint at full resolution`),
    settingAxis('padding', t`Surroundings`, '16, 32, 64'),
  ]
}

function assetAxes({ drawable, abilities: { assets } }: AxisContext): readonly (Axis | false)[] {
  const fits = (kind: (typeof assets)[number]['kind'], name: string) => assets.find((asset) => asset.kind === kind && asset.name === name)
  const vaes = assets.filter(({ kind }) => kind === 'vae')
  return [
    ...drawable.loras.flatMap(({ name }) => {
      const lora = fits('lora', name)
      if (lora === undefined) return []
      const head = { name: `lora ${name}`, label: t`Weight of ${lora.label}`, example: '0, 0.5, 1' }
      return numberAxis(head, loraRange, (weight, { loras }) => ({
        loras: loras.map((each) => (each.name === name ? { ...each, weight } : each)),
      }))
    }),
    ...drawable.controlnets.flatMap(({ key, name }) => {
      const net = fits('controlnet', name)
      if (net === undefined) return []
      const change = (fields: Partial<Pick<(typeof drawable.controlnets)[number], 'scale' | 'until'>>, { controlnets }: Drawable) => ({
        controlnets: controlnets.map((each) => (each.key === key ? { ...each, ...fields } : each)),
      })
      const head = (what: string, label: string) => ({ name: `${what} ${key}`, label, example: '0.5, 1' })
      return [
        numberAxis(head('scale', t`Strength of ${net.label}`), controlnetRanges.scale, (scale, drawn) => change({ scale }, drawn)),
        numberAxis(head('until', t`End of ${net.label}`), controlnetRanges.until, (until, drawn) => change({ until }, drawn)),
      ]
    }),
    vaes.length > 0 &&
      choiceAxis('vae', 'VAE', [['none', ''], ...namedChoices(vaes.map(({ name }) => name))], (name) => {
        return t`There is no VAE ${name}; none stands for the model’s own.`
      }),
  ]
}

/** An axis of words, each of which replaces the first one in a text. */
function wordsAxis(field: 'prompt' | 'negativePrompt' | 'prompt2' | 'negativePrompt2', label: string, drawable: Drawable): Axis {
  return {
    name: field,
    label,
    example: field.startsWith('prompt') ? t`tiger, fox, owl` : t`text, frame, blur`,
    read: (words) => {
      const [first = ''] = words
      if (!drawable[field].includes(first)) return t`The first value must appear in the prompt; “${first}” doesn’t.`
      return words.map((word) => ({ label: word, change: (drawn) => ({ [field]: drawn[field].replaceAll(first, () => word) }) }))
    },
  }
}

/** An axis of sizes, typed as `512x768`. */
function sizeAxis(model: Sized): Axis {
  const example = sizeChoices(model)
    .slice(0, 3)
    .map(({ width, height }) => `${width}x${height}`)
  return {
    name: 'size',
    label: t`Size`,
    example: example.join(', '),
    read: (words) => {
      const wrong = words.find((word) => faultOf(word, model) !== null)
      if (wrong !== undefined) return `${wrong}: ${faultOf(wrong, model)}`
      return words.flatMap((word) => {
        const size = readSize(word)
        return size === null ? [] : [{ label: `${size.width} × ${size.height}`, change: () => size }]
      })
    },
  }
}

function faultOf(word: string, model: Sized): string | null {
  const size = readSize(word)
  return size === null ? t`Width and height, for example ${'512x768'}.` : sizeFault(size, model)
}

function readSize(word: string): Size | null {
  const [, width, height] = /^(\d{1,5})\s*[x×*]\s*(\d{1,5})$/i.exec(word) ?? []
  return width === undefined || height === undefined ? null : { width: Number(width), height: Number(height) }
}
